//! Every syntax that real repositories use and that was once missed, at least three times each: the
//! files, and all commands that they define, with what runs them and where.

mod builds;
mod javascript;
mod python;
mod ruby;
mod scripts;
mod tools;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::Repository;

/// Files, and the rows `name | command | folder` that they define.
type Case = (
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
);

fn repository(files: &[(&str, &str)]) -> Repository {
    let repository = Repository::new(files);
    for (path, text) in files.iter().filter(|(_, text)| text.starts_with("#!")) {
        let _ = text;
        let path = repository.root.join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    repository
}

/// Checks all commands of each case, in the order of discovery.
fn check(syntax: &str, cases: &[Case]) {
    assert!(cases.len() >= 3, "{syntax} has too few cases");
    for (files, expected) in cases {
        let found = repository(files).discovery.discover();
        let rows: Vec<String> = found
            .commands
            .iter()
            .map(|it| {
                let folder = match it.invocation.cwd.as_str() {
                    "" => ".",
                    folder => folder,
                };
                format!("{} | {} | {folder}", it.unique_name, it.display())
            })
            .collect();
        assert_eq!(
            rows, *expected,
            "{syntax}: {files:#?}\n{:?}",
            found.problems
        );
        for command in &found.commands {
            let file = files.iter().find(|(path, _)| *path == command.file);
            let lines = file.map_or(0, |(_, text)| text.lines().count());
            assert!(
                (1..=lines.max(1)).contains(&command.line),
                "{syntax}: {} is at {}:{}",
                command.name,
                command.file,
                command.line
            );
            // What runs is pinned, or it is said why it cannot be.
            let pinned = command.pins.files.iter().any(|it| it.path == command.file);
            assert!(
                pinned || !command.pins.unreadable.is_empty(),
                "{syntax}: {} is not pinned to {}",
                command.name,
                command.file
            );
        }
    }
}
