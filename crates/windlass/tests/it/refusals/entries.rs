//! Allowlists that say something else, or that cannot be understood.

use std::fs;

use serde_json::json;

use super::{DIRECTORY, not_allowed, repository, server};

/// An allowlist, a command, and why it is refused under it.
const ENTRIES: &[(&str, &str, &str)] = &[
    ("", "build", "no entry allows it"),
    // Names that are not the command's.
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['test']",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['BUILD']",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build ']",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['buіld']",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['*']",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'",
        "build",
        "no entry",
    ),
    // Files and folders that are not the command's.
    ("path = 'ROOT/more.mk'\nscope = 'File'", "build", "no entry"),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'",
        "extra",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'",
        "sub/build",
        "no entry",
    ),
    (
        "path = 'ROOT/sub/'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile/'\nscope = 'File'",
        "sub/build",
        "no entry",
    ),
    (
        "path = 'ROOT/sub/..'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/sub/../Makefile'\nscope = 'File'",
        "build",
        "no entry",
    ),
    (
        "path = 'BASE/link'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    (
        "path = 'BASE/link/Makefile'\nscope = 'File'",
        "build",
        "no entry",
    ),
    (
        "path = 'BASE/REPO'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    (
        "path = 'BASE/rеpo'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    (
        "path = 'BASE/rep'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    ("path = '.'\nscope = 'Directory'", "build", "no entry"),
    ("path = ''\nscope = 'Directory'", "build", "no entry"),
    (
        "path = 'ROOT/Makefile'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    ("path = 'ROOT'\nscope = 'File'", "build", "no entry"),
    (
        "path = 'ROOT/Makefile'\nscope = 'Once'",
        "build",
        "no entry",
    ),
    ("path = 'ROOT'\nscope = 'Once'", "build", "no entry"),
    // Allowed by folder, and denied by name, by file, by folder, however that is written.
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Deny'\ntasks = ['build']",
        "build",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Deny'",
        "build",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT'\nscope = 'Deny'",
        "run",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/sub'\nscope = 'Deny'",
        "sub/build",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Deny'\ntasks = ['sub/build']\n[[entries]]\npath = 'ROOT'\nscope = 'Directory'",
        "sub/build",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'BASE/link'\nscope = 'Deny'",
        "build",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/sub/..'\nscope = 'Deny'",
        "build",
        "Deny",
    ),
    // A pin of another definition.
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']\npins = { build = 'abc' }",
        "build",
        "definition changed",
    ),
    // A file that cannot be understood allows nothing, and the reason says where.
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries",
        "build",
        "allowlist.toml:4",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\nscop = 'File'",
        "build",
        "cannot be used",
    ),
    (
        "path = 'ROOT'\nscope = 'Everything'",
        "build",
        "cannot be used",
    ),
    (
        "path = 'ROOT'\nscope = 'directory'",
        "build",
        "cannot be used",
    ),
    ("scope = 'Directory'", "build", "cannot be used"),
];

#[test]
fn entries_allow_no_more_than_they_say() {
    let repository = repository();
    let mut server = server(&repository);
    for (entry, name, reason) in ENTRIES {
        let text = match *entry {
            "" => String::new(),
            entry => format!("[[entries]]\n{entry}\n"),
        };
        repository.set_allowlist(&text);
        not_allowed(&repository, &mut server, name, reason);
        let why = server.ok("allowlist_list", json!({"name": name}));
        assert_eq!(why["explanation"]["allowlisted"], false, "{entry}: {why}");
    }
    assert!(ENTRIES.len() >= 35);
}

/// Files that stand in place of the allowlist, or beside it.
#[test]
fn an_allowlist_that_cannot_be_read_denies_everything() {
    let repository = repository();
    let mut server = server(&repository);
    let file = repository.allowlist();
    repository.set_allowlist(DIRECTORY);
    fs::write(&file, b"# \xff\n[[entries]]\n").expect("written");
    not_allowed(&repository, &mut server, "build", "cannot be used");
    fs::remove_file(&file).expect("removed");
    fs::create_dir(&file).expect("a folder in its place");
    not_allowed(&repository, &mut server, "build", "cannot be used");
    fs::remove_dir(&file).expect("removed");
    not_allowed(&repository, &mut server, "build", "no entry allows it");
    repository.set_allowlist(DIRECTORY);
    // The allowlists of another tool are honoured, and so is that they are broken.
    let other = repository.base().join(".dela/allowlist.toml");
    fs::create_dir(other.parent().expect("a folder")).expect("a folder");
    fs::write(&other, "[[entries]\n").expect("written");
    not_allowed(&repository, &mut server, "build", ".dela/allowlist.toml");
    let deny = format!(
        "[[entries]]\npath = '{}'\nscope = 'Deny'\n",
        repository.root.display()
    );
    fs::write(&other, deny).expect("written");
    not_allowed(&repository, &mut server, "build", "Deny");
}
