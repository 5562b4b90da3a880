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
mod knowledge;
mod list;
mod plan;
mod plan_fields;
mod resources;
mod support;
mod workflow;
