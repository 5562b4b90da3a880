//! The repository's commands: whether they can be read, and whether their runners are installed.

use std::collections::BTreeMap;

use windlass_ops::Workspace;

use super::check::{Check, counted};

/// How many names a check lists.
const MOST_NAMES: usize = 5;

pub fn checks(workspace: &Workspace) -> Vec<Check> {
    let catalog = match workspace.discovery() {
        Ok(discovery) => discovery.discover(),
        Err(error) => {
            let fix = "Make the project's folder readable.";
            return vec![Check::failed("commands", &error, fix)];
        }
    };
    let mut checks = Vec::new();
    for problem in &catalog.problems {
        let message = format!("{}:{}: {}", problem.file, problem.line, problem.message);
        let fix = format!("Fix {}; its commands cannot be read.", problem.file);
        checks.push(Check::warning("commands", message, fix));
    }
    if checks.is_empty() {
        let found = counted(catalog.commands.len(), "command");
        checks.push(Check::ok("commands", format!("{found} found")));
    }
    let mut missing: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for command in &catalog.commands {
        // A command without a program runs only on an external service.
        if command.runner.program().is_empty() || catalog.is_available(command) {
            continue;
        }
        let program = &command.invocation.program;
        let hint = if program.contains('/') {
            format!("Restore {program} in the repository.")
        } else {
            format!("{}.", command.runner.install_hint())
        };
        missing.entry(program.clone()).or_insert((hint, 0)).1 += 1;
    }
    if missing.is_empty() {
        checks.push(Check::ok(
            "runners",
            "All runners that the commands need are installed",
        ));
    }
    for (program, (hint, count)) in missing {
        let message = format!(
            "{program} is not installed; {} cannot be run",
            counted(count, "command")
        );
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
