//! The real binary through its real doors.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod cli;
mod clients;
mod commands;
mod crash;
mod examples;
mod jobs;
mod many_processes;
mod mcp_protocol;
mod refusals;
mod trees;

mod repository;
mod sample;
mod server;
