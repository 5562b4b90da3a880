//! Attempts to run commands that no human allowed. Every case is rejected for the right reason.

use std::os::unix::fs::symlink;

use windlass_commands::allowlist::Reason;

use crate::support::repository;

/// An allowlist, a command, and why it is rejected.
const ENTRIES: &[(&str, &str, Reason)] = &[
    ("", "build", Reason::NotListed),
    // Other commands and other files than the granted ones.
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['test']",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = []",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['BUILD', 'bui', 'build ', 'buіld', '*']",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'",
        "start",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'",
        "ship",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'",
        "repo2/build2",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/package.json'\nscope = 'Task'\ntasks = ['build']",
        "build",
        Reason::NotListed,
    ),
    ("path = 'ROOT'\nscope = 'File'", "build", Reason::NotListed),
    (
        "path = 'ROOT/Makefile'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Once'",
        "build",
        Reason::NotListed,
    ),
    ("path = 'ROOT'\nscope = 'Once'", "build", Reason::NotListed),
    // Paths that only look like the right one.
    (
        "path = 'ROOT/rep'\nscope = 'Directory'",
        "repo2/build2",
        Reason::NotListed,
    ),
    (
        "path = 'BASE/rep'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'BASE/REPO'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'BASE/rеpo'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/makefile'\nscope = 'File'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/repo2/..'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/repo2/../Makefile'\nscope = 'File'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/link'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'BASE/linked.mk'\nscope = 'File'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/*'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile\\u0000'\nscope = 'File'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = '.'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    ("path = ''\nscope = 'Directory'", "build", Reason::NotListed),
    (
        "path = 'ROOT/gone'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/repo2/'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    // A Deny wins over every grant, wherever it is and however its path is written.
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Deny'",
        "build",
        Reason::Denied,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'\n[[entries]]\npath = 'ROOT/repo2/..'\nscope = 'Deny'",
        "build",
        Reason::Denied,
    ),
    (
        "path = 'ROOT'\nscope = 'Deny'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']",
        "build",
        Reason::Denied,
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Deny'\ntasks = ['build']",
        "build",
        Reason::Denied,
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/link'\nscope = 'Deny'",
        "build",
        Reason::Denied,
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Deny'",
        "ship",
        Reason::Denied,
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT'\nscope = 'Deny'\ntasks = ['repo2/build2']",
        "repo2/build2",
        Reason::Denied,
    ),
    // Pins of another definition.
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']\npins = { build = 'abc' }",
        "build",
        Reason::Changed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']\npin = { build = '' }",
        "build",
        Reason::Changed,
    ),
];

#[test]
fn entries_allow_only_what_they_name() {
    let repository = repository();
    symlink(&repository.root, repository.root.join("link")).unwrap();
    symlink(
        repository.root.join("Makefile"),
        repository.base.join("linked.mk"),
    )
    .unwrap();
    let allowlist = repository.allowlist();
    for (entry, name, expected) in ENTRIES {
        let text = if entry.is_empty() {
            String::new()
        } else {
            format!("[[entries]]\n{entry}\n")
        };
        repository.set_allowlist(&text.replace('\'', "\""));
        let decision = allowlist.decide(&repository.root, &repository.command(name));
        assert!(!decision.allowed, "{name} under {entry}");
        assert_eq!(decision.reason, *expected, "{name} under {entry}");
    }
    assert!(ENTRIES.len() >= 35);
}

#[test]
fn entries_allow_what_they_name() {
    let repository = repository();
    let allowlist = repository.allowlist();
    for (entry, name) in [
        (
            "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']",
            "build",
        ),
        ("path = 'ROOT/tools.mk'\nscope = 'File'", "ship"),
        ("path = 'ROOT/'\nscope = 'Directory'", "repo2/build2"),
        ("path = 'BASE'\nscope = 'Directory'", "start"),
        (
            "path = 'ROOT/Makefile'\nscope = 'Deny'\ntasks = ['test']\n[[entries]]\npath = 'ROOT'\nscope = 'Directory'",
            "build",
        ),
        (
            "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']\npins = { build = 'old' }\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'File'",
            "build",
        ),
    ] {
        repository.set_allowlist(&format!("[[entries]]\n{entry}\n").replace('\'', "\""));
        let decision = allowlist.decide(&repository.root, &repository.command(name));
        assert!(
            decision.allowed,
            "{name} under {entry}: {:?}",
            decision.reason
        );
    }
}
