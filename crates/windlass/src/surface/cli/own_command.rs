//! Commands of the tree that are more than one operation with its own arguments.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use windlass_core::Result;

use super::caller::Caller;
use super::commands;
use super::{doctor, init, serve, serve_http, session, setup};

/// A command that the command line defines by itself.
pub struct OwnCommand {
    /// The words after `windlass`.
    pub words: &'static [&'static str],
    /// Adds the description and the arguments. Given the words of the process too, where the arguments
    /// depend on them.
    pub build: fn(Command, &[OsString]) -> Command,
    pub run: fn(&ArgMatches, &Caller) -> Result<ExitCode>,
    /// The operations that people reach by this command, so that texts which name one can name this.
    pub operations: &'static [&'static str],
    /// What it is good for, and the words after `windlass` that do it.
    pub examples: &'static [(&'static str, &'static [&'static str])],
}

impl OwnCommand {
    pub const fn new(
        words: &'static [&'static str],
        build: fn(Command, &[OsString]) -> Command,
        run: fn(&ArgMatches, &Caller) -> Result<ExitCode>,
    ) -> Self {
        Self {
            words,
            build,
            run,
            operations: &[],
            examples: &[],
        }
    }

    pub const fn operations(mut self, names: &'static [&'static str]) -> Self {
        self.operations = names;
        self
    }

    pub const fn examples(
        mut self,
        examples: &'static [(&'static str, &'static [&'static str])],
    ) -> Self {
        self.examples = examples;
        self
    }
}

/// All of them.
pub static OWN_COMMANDS: &[&[OwnCommand]] = &[
    commands::status::COMMANDS,
    commands::task_lists::COMMANDS,
    commands::show::COMMANDS,
    commands::add::COMMANDS,
    commands::edit::COMMANDS,
    commands::task_steps::COMMANDS,
    commands::task_changes::COMMANDS,
    commands::task_tree::COMMANDS,
    commands::log::COMMANDS,
    commands::delete::COMMANDS,
    commands::run::COMMANDS,
    commands::exec::COMMANDS,
    commands::call::COMMANDS,
    commands::config::COMMANDS,
    commands::manual::COMMANDS,
    commands::completions::COMMANDS,
    commands::help::COMMANDS,
    session::COMMANDS,
    serve::COMMANDS,
    serve_http::COMMANDS,
    setup::COMMANDS,
    init::COMMANDS,
    doctor::COMMANDS,
    super::exit_codes::COMMANDS,
];

pub fn own_commands() -> impl Iterator<Item = &'static OwnCommand> {
    OWN_COMMANDS.iter().flat_map(|list| list.iter())
}
