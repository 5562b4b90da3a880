//! `windlass prime`: what an agent should know before it works on this project.

mod command;
mod primer;
mod rules;

pub use command::COMMANDS;
pub use rules::{Reader, rules};
