//! Whether a runner can be started on this machine. Looked up in this process, once for each runner
//! and discovery.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::command::Command;
use crate::launcher::Launcher;
use crate::runner::Runner;

/// Finds programs.
pub trait RunnerLookup: Send + Sync {
    /// Whether a program with that name can be started.
    fn is_available(&self, program: &str) -> bool;
}

/// Searches `PATH` of this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchPath;

impl SearchPath {
    /// Where the program is.
    pub fn find(program: &str) -> Option<PathBuf> {
        which::which(program).ok()
    }
}

impl RunnerLookup for SearchPath {
    fn is_available(&self, program: &str) -> bool {
        Self::find(program).is_some()
    }
}

/// The programs that commands use, and whether each can be started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Availability(BTreeMap<String, bool>);

impl Availability {
    pub fn look_up(commands: &[Arc<Command>], lookup: &dyn RunnerLookup) -> Self {
        let mut programs: BTreeMap<String, bool> = BTreeMap::new();
        for command in commands {
            let program = &command.invocation.program;
            if command.runner == Runner::Travis || program.contains('/') {
                continue;
            }
            let provided = command.provided.as_ref();
            let launcher = provided.map(|it| it.launcher.program());
            for program in [program.as_str()].into_iter().chain(launcher) {
                if !programs.contains_key(program) {
                    programs.insert(program.to_owned(), lookup.is_available(program));
                }
            }
        }
        Self(programs)
    }

    /// A program inside the repository, such as a wrapper script, is available if its file exists.
    pub fn of(&self, command: &Command, root: &Path) -> bool {
        let program = &command.invocation.program;
        match command.runner {
            _ if command.unavailable.is_some() => false,
            Runner::Travis => false,
            _ if program.contains('/') => {
                root.join(&command.invocation.cwd).join(program).is_file()
            }
            _ => self.has(program) || self.launcher(command).is_some(),
        }
    }

    /// What starts the command's runner because the machine does not have it.
    pub fn launcher(&self, command: &Command) -> Option<Launcher> {
        let program = &command.invocation.program;
        if program.contains('/') || self.has(program) {
            return None;
        }
        let launcher = command.provided.as_ref()?.launcher;
        self.has(launcher.program()).then_some(launcher)
    }

    fn has(&self, program: &str) -> bool {
        self.0.get(program).copied().unwrap_or(false)
    }
}
