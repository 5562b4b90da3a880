//! The real binary through its real interfaces.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod agents;
mod board;
mod browser;
mod cli;
mod clients;
mod code;
mod command_lists;
mod commands;
mod crash;
mod debug_bundle;
mod doctor;
mod doctor_fix;
mod error_texts;
mod examples;
mod first_use;
mod grants;
mod guide;
mod hostile_clone;
mod http_admission;
mod http_dashboard;
mod http_end;
mod http_mcp;
mod http_plain;
mod http_server;
mod http_users;
mod interchange;
mod jobs;
mod launch;
mod launch_rounds;
mod linked_worktree;
mod logs;
mod many_processes;
mod mcp_protocol;
mod memory;
mod pipeline;
mod prime;
mod race;
mod real_agents;
mod reference;
mod refusals;
mod runs;
mod safety;
mod semantic;
mod setup;
mod setup_agents;
mod sync;
mod telemetry;
mod trees;
mod trust;
mod trusted_places;
mod who_is_a_person;
mod workflow;
mod working;

mod person;
mod remote_fleet;
mod remote_gates;
mod remote_kills;
mod remote_places;
mod remote_runs;
mod repository;
mod sample;
mod sample_work;
mod server;
