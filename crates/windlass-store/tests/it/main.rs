//! The store against real files.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot continue fails at that line"
)]

mod backup;
mod binding;
mod changes;
mod clock;
mod common_words;
mod damage;
mod deadlines;
mod dump;
mod entities;
mod exchange;
mod fuzz_packs;
mod growth;
mod interleavings;
mod jobs;
mod load;
mod lost;
mod measure;
#[path = "../../../windlass-core/tests/shared/mutate.rs"]
mod mutate;
mod packs;
mod plan;
mod power;
mod queue;
mod read_only;
mod run_model;
mod runs;
mod schedules;
mod search;
mod sessions;
mod support;
mod travel;
mod undo;
mod vectors;
mod workflow;
mod workflow_model;
