//! The real binary through its real doors.

mod cli;
mod crash;
mod examples;
mod many_processes;
mod mcp_protocol;

mod sample;
mod server;
