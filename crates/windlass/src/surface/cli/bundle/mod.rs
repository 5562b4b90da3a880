//! `windlass debug bundle`: one file for a bug report, in which no secret is, and no text of the plan
//! unless it is asked for.

mod collect;
mod command;
mod tar;

pub use command::COMMANDS;
