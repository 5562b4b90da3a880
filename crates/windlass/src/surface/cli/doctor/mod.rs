//! `windlass doctor`: checks everything that a project needs and says how to fix problems. It
//! changes nothing unless a fix or repair is asked for, and runs nothing from the repository.

mod check;
mod clients;
mod commands;
mod disk;
mod fix;
mod git;
mod leftovers;
mod machine;
mod models;
mod run;
mod runtimes;
mod servers;
mod settings;
mod state;
mod telemetry;

pub use run::{COMMANDS, report};
