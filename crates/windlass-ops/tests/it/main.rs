//! The list of operations as a whole, and each operation on a real store.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod board;
mod board_writes;
mod knowledge;
mod list;
mod plan;
mod resources;
mod support;
mod workflow;
