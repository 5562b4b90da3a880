//! The edits with the real runners: started as the command would be, they run another text. A runner
//! that is not installed is skipped with a note.

use std::collections::BTreeMap;
use std::process::{Command as Process, Stdio};

use windlass_commands::Command;

use super::{Shown, cases};
use crate::support::Repository;

/// What the command prints, started as it was before the edit.
fn output(repository: &Repository, command: &Command) -> (bool, String) {
    let invocation = &command.invocation;
    let cwd = repository.root.join(&invocation.cwd);
    let ended = Process::new(&invocation.program)
        .args(&invocation.args)
        .current_dir(cwd)
        .stdin(Stdio::null())
        .env("MISE_TRUSTED_CONFIG_PATHS", &repository.root)
        .env("COMPOSER_ALLOW_SUPERUSER", "1")
        .env("npm_config_update_notifier", "false")
        .env("CARGO_TARGET_DIR", repository.base.join("target"))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let printed = text(&ended.stdout) + &text(&ended.stderr);
    (ended.status.success(), printed)
}

fn is_installed(repository: &Repository, command: &Command) -> bool {
    let program = &command.invocation.program;
    if program.contains('/') {
        let folder = repository.root.join(&command.invocation.cwd);
        folder.join(program).exists()
    } else {
        which::which(program).is_ok()
    }
}

#[test]
fn the_edits_are_real() {
    let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in cases() {
        let all = case.edits.iter();
        let edits: Vec<_> = all.filter(|(_, _, shown)| *shown == Shown::Yes).collect();
        if edits.is_empty() {
            continue;
        }
        let repository = case.repository();
        let command = repository.command(case.command);
        if !is_installed(&repository, &command) {
            println!("{} is not installed: its edits are not tried", case.runner);
            continue;
        }
        let (worked, before) = output(&repository, &command);
        assert!(!before.contains("EVIL"), "{}: {before}", case.runner);
        if !worked {
            // Another program of that name, or one that needs what is not here.
            println!("{} cannot run {}: {before}", case.runner, case.command);
            continue;
        }
        for (_, change, _) in edits {
            let repository = case.repository();
            let old = repository.command(case.command);
            change.apply(&repository);
            // As it is started now; a command that is gone, as before.
            let found = repository.discovery.discover();
            let command = found.get(case.command).map_or(&old, |it| it);
            let (_, after) = output(&repository, command);
            let row = rows.entry(case.runner.short_name()).or_default();
            row.0 += 1;
            if after.contains("EVIL") {
                row.1 += 1;
            } else {
                wrong.push(format!(
                    "{} {change:?}:\nbefore: {before}after: {after}",
                    case.runner
                ));
            }
        }
    }
    println!("| runner | edits tried with it | other text ran |\n|---|---|---|");
    for (runner, (tried, ran)) in rows {
        println!("| {runner} | {tried} | {ran} |");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
