//! `windlass hook`: git carries the packs by itself, with each commit, merge and checkout.
//!
//! A hook is code that git runs for a person, so only a person installs it. It never fails what git
//! does, and never keeps it waiting for more than a second, unless a person wants it strict.

mod command;
mod install;
mod outdated;
mod report;
mod repository;
mod run;
mod script;

pub use command::COMMANDS;
pub use outdated::outdated_hooks;
