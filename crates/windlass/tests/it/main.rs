//! The real binary through its real doors.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod cli;
mod clients;
mod crash;
mod doctor;
mod examples;
mod many_processes;
mod mcp_protocol;

mod sample;
mod server;
mod setup;
