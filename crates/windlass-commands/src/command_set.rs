//! The result of a discovery.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::availability::Availability;
use crate::command::Command;
use crate::launcher::Launcher;
use crate::source::Problem;

/// The commands of a repository, and the files that could not be read.
#[derive(Debug, Clone)]
pub struct CommandSet {
    pub root: PathBuf,
    /// In the order of discovery: by folder, the root first, then by format, then as in the file.
    pub commands: Vec<Arc<Command>>,
    pub problems: Vec<Problem>,
    pub(crate) availability: Availability,
    by_name: HashMap<String, usize>,
}

impl CommandSet {
    pub(crate) fn new(
        root: PathBuf,
        commands: Vec<Arc<Command>>,
        problems: Vec<Problem>,
        availability: Availability,
    ) -> Self {
        let names = commands.iter().enumerate();
        let by_name = names
            .map(|(place, command)| (command.unique_name.clone(), place))
            .collect();
        Self {
            root,
            commands,
            problems,
            availability,
            by_name,
        }
    }

    /// The command with that unique name.
    pub fn get(&self, unique_name: &str) -> Option<&Arc<Command>> {
        self.commands.get(*self.by_name.get(unique_name)?)
    }

    /// Whether both have the same commands with the same definitions, and the same problems.
    pub fn is_same(&self, other: &Self) -> bool {
        let same = |one: &Arc<Command>, other: &Arc<Command>| {
            Arc::ptr_eq(one, other)
                || (one.unique_name == other.unique_name
                    && one.fingerprint == other.fingerprint
                    && one.description == other.description
                    && one.line == other.line)
        };
        let pairs = || self.commands.iter().zip(&other.commands);
        self.commands.len() == other.commands.len()
            && self.problems == other.problems
            && pairs().all(|(one, other)| same(one, other))
    }

    /// The most similar unique name, for hints.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        windlass_core::nearest(name, self.commands.iter().map(|it| it.unique_name.as_str()))
    }

    /// Whether the command's runner can be started here.
    pub fn is_available(&self, command: &Command) -> bool {
        self.availability.of(command, &self.root)
    }

    /// What starts the command's runner because the machine does not have it.
    pub fn launcher(&self, command: &Command) -> Option<Launcher> {
        self.availability.launcher(command)
    }
}
