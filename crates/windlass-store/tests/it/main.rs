//! The store against real files.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot continue fails at that line"
)]

mod binding;
mod changes;
mod clock;
mod damage;
mod deadlines;
mod entities;
mod exchange;
mod growth;
mod jobs;
mod load;
mod lost;
mod plan;
mod queue;
mod read_only;
mod runs;
mod search;
mod sessions;
mod support;
mod workflow;
mod workflow_model;
