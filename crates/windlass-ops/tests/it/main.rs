//! The list of operations as a whole, and each operation on a real store.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod board;
mod board_writes;
mod budget;
mod caller_words;
mod hints;
mod huge;
mod idempotency;
mod interchange;
mod knowledge;
mod list;
mod machines;
#[path = "../../../windlass-runs/tests/it/moto.rs"]
mod moto;
mod plan;
mod plan_fields;
mod resources;
mod support;
mod workflow;
