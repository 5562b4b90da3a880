//! What the commands of a repository need and whether agents may run them, without running any.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_core::Result;
use windlass_ops::Workspace;

/// The commands that agents need first: they tell whether a change is good.
const CHECKS: &[&str] = &[
    "test",
    "check",
    "lint",
    "build",
    "typecheck",
    "verify",
    "fmt",
    "format",
    "ci",
];
/// How many commands are proposed.
const MOST_PROPOSED: usize = 3;

/// A program that commands of the repository need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunnerUse {
    pub program: String,
    pub installed: bool,
    pub commands: usize,
    /// How to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
}

/// The commands of a repository, counted.
#[derive(Debug, Default, Serialize)]
pub struct RepositoryCommands {
    pub total: usize,
    /// How many of them agents may run.
    pub allowed: usize,
    pub runners: Vec<RunnerUse>,
    /// Commands that are worth a person's look first. Nothing is allowed by being here.
    pub worth_allowing: Vec<String>,
    /// Definitions that cannot be read: where, and why.
    pub problems: Vec<(String, String)>,
}

impl RepositoryCommands {
    pub fn look(workspace: &Workspace) -> Result<Self> {
        let found = workspace.discovery()?.discover();
        let decisions = workspace.allowlist().decide_all(&found);
        let mut programs: BTreeMap<(bool, String), RunnerUse> = BTreeMap::new();
        let mut worth = Vec::new();
        for (command, decision) in found.commands.iter().zip(&decisions) {
            // A command without a program runs only on an external service.
            if command.runner.program().is_empty() {
                continue;
            }
            let installed = found.is_available(command);
            let program = &command.invocation.program;
            let known = programs.entry((installed, program.clone()));
            let used = known.or_insert_with(|| RunnerUse {
                program: program.clone(),
                installed,
                commands: 0,
                install: (!installed).then(|| {
                    if program.contains('/') {
                        format!("Restore {program} in the repository.")
                    } else {
                        format!("{}.", command.runner.install_hint())
                    }
                }),
            });
            used.commands += 1;
            let name = command.name.rsplit(['/', ':']).next().unwrap_or_default();
            let name = name.split('.').next().unwrap_or_default();
            let rank = CHECKS.iter().position(|known| *known == name);
            if let Some(rank) = rank.filter(|_| installed && !decision.allowed) {
                worth.push((command.folder.len(), rank, command.unique_name.clone()));
            }
        }
        worth.sort();
        worth.truncate(MOST_PROPOSED);
        let problems = found.problems.iter();
        Ok(Self {
            total: found.commands.len(),
            allowed: decisions.iter().filter(|it| it.allowed).count(),
            runners: programs.into_values().collect(),
            worth_allowing: worth.into_iter().map(|(_, _, name)| name).collect(),
            problems: problems
                .map(|it| {
                    (
                        it.file.clone(),
                        format!("{}:{}: {}", it.file, it.line, it.message),
                    )
                })
                .collect(),
        })
    }

    pub fn missing(&self) -> impl Iterator<Item = &RunnerUse> {
        self.runners.iter().filter(|runner| !runner.installed)
    }
}
