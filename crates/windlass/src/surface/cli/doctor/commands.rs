//! The repository's commands: whether they can be read, and whether their runners are installed.

use windlass_ops::Workspace;

use super::check::{Check, counted};
use crate::surface::cli::repository_commands::RepositoryCommands;

/// How many names a check lists.
const MOST_NAMES: usize = 5;

pub fn checks(workspace: &Workspace) -> Vec<Check> {
    let commands = match RepositoryCommands::look(workspace) {
        Ok(commands) => commands,
        Err(error) => {
            let fix = "Make the project's folder readable.";
            return vec![Check::failed("commands", &error, fix)];
        }
    };
    let mut checks = Vec::new();
    for (file, message) in &commands.problems {
        let fix = format!("Fix {file}; its commands cannot be read.");
        checks.push(Check::warning("commands", message, fix));
    }
    if checks.is_empty() {
        let found = counted(commands.total, "command");
        checks.push(Check::ok("commands", format!("{found} found")));
    }
    if commands.missing().next().is_none() {
        checks.push(Check::ok(
            "runners",
            "All runners that the commands need are installed",
        ));
    }
    for runner in commands.missing() {
        let message = format!(
            "{} is not installed; {} cannot be run",
            runner.program,
            counted(runner.commands, "command")
        );
        let hint = runner.install.clone().unwrap_or_default();
        checks.push(Check::warning("runners", message, hint));
    }
    checks.extend(stale_grants(workspace));
    checks
}

/// Commands that agents cannot run any more, although a person allowed them.
fn stale_grants(workspace: &Workspace) -> Option<Check> {
    let stale = windlass_ops::stale_grants(workspace).ok()?;
    let (count, verb) = match stale.len() {
        0 => return None,
        1 => ("1 allowed command".to_owned(), "has"),
        count => (format!("{count} allowed commands"), "have"),
    };
    let mut names = stale
        .iter()
        .take(MOST_NAMES)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if stale.len() > MOST_NAMES {
        names.push_str(" …");
    }
    let message = format!("{count} {verb} changed or gone since: {names}");
    let fix = "See what changed with windlass allowed NAME --diff; allow it again with windlass allow NAME, or \
               take it back with windlass revoke NAME.";
    Some(Check::warning("grants", message, fix))
}
