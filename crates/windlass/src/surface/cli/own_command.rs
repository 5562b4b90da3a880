//! Commands of the tree that are more than one operation with its own arguments.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use windlass_core::Result;

use super::caller::Caller;
use super::commands;
use super::{
    board, bundle, dashboard, doctor, hook, init, prime, serve, serve_http, session, setup, sync,
    tour, trust,
};

/// A command that only the command line defines.
pub struct OwnCommand {
    /// The names after `windlass`, such as `session launch`.
    pub words: &'static [&'static str],
    /// Adds the description and the arguments. Also receives the arguments of the process, for
    /// commands whose own arguments depend on them.
    pub build: fn(Command, &[OsString]) -> Command,
    pub run: fn(&ArgMatches, &Caller) -> Result<ExitCode>,
    /// The operations that this command runs, so that texts for people can name the command.
    pub operations: &'static [&'static str],
    /// Examples: a description, and what to type after `windlass`.
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
    commands::logs::COMMANDS,
    board::COMMANDS,
    board::GRAPH_COMMANDS,
    commands::delete::COMMANDS,
    commands::restore::COMMANDS,
    commands::backup::COMMANDS,
    commands::list::COMMANDS,
    commands::run::COMMANDS,
    commands::allow::COMMANDS,
    commands::allowed::COMMANDS,
    commands::exec::COMMANDS,
    commands::github_install::COMMANDS,
    commands::call::COMMANDS,
    commands::config::COMMANDS,
    commands::manual::COMMANDS,
    commands::completions::COMMANDS,
    commands::help::COMMANDS,
    commands::interchange::COMMANDS,
    commands::memory::COMMANDS,
    commands::models::COMMANDS,
    session::COMMANDS,
    serve::COMMANDS,
    serve_http::COMMANDS,
    dashboard::COMMANDS,
    setup::COMMANDS,
    prime::COMMANDS,
    init::COMMANDS,
    tour::COMMANDS,
    trust::COMMANDS,
    sync::COMMANDS,
    hook::COMMANDS,
    doctor::COMMANDS,
    bundle::COMMANDS,
    super::exit_codes::COMMANDS,
];

pub fn own_commands() -> impl Iterator<Item = &'static OwnCommand> {
    OWN_COMMANDS.iter().flat_map(|list| list.iter())
}
