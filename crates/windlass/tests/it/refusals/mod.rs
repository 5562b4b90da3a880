//! Attempts to run what no person allowed, each through `task_start` of a real server. All of them
//! are refused with a reason, and nothing runs: every command here leaves a mark where it does.

mod changes;
mod entries;
mod inputs;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::repository::Repository;
use crate::server::Server;

/// What every command does.
const MARK: &str = "ran";
const DIRECTORY: &str = "[[entries]]\npath = 'ROOT'\nscope = 'Directory'\n";

fn repository() -> Repository {
    let repository = Repository::new(&[
        ("Makefile", "include more.mk\nbuild:\n\t@touch ran\n"),
        ("more.mk", "extra:\n\t@touch ran\n"),
        ("sub/Makefile", "build:\n\t@touch ran\n"),
        (
            "package.json",
            "{\"scripts\": {\"start\": \"touch ran\"}}\n",
        ),
        ("package-lock.json", "{}\n"),
        ("justfile", "fixed:\n  touch ran\none name:\n  touch ran\n"),
        ("run.sh", "#!/bin/sh\ntouch ran\n"),
        // Whatever a runner would be started for leaves the mark, so that none is started unseen.
        ("../bin/npm.sh", "#!/bin/sh\ntouch ran\n"),
        ("../outside/Makefile", "build:\n\t@touch ran\n"),
    ]);
    let bin = repository.base().join("bin");
    for name in ["npm", "yarn", "just"] {
        symlink(bin.join("npm.sh"), bin.join(name)).expect("linked");
    }
    symlink(&repository.root, repository.base().join("link")).expect("linked");
    repository
}

fn server(repository: &Repository) -> Server {
    let mut command = repository.command(&["mcp"]);
    let bin = repository.base().join("bin");
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    Server::of(command)
}

/// Whether anything has run.
fn marked(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries.into_iter().any(|entry| {
        let kind = entry.file_type().expect("a type");
        entry.file_name() == MARK || kind.is_dir() && marked(&entry.path())
    })
}

/// A start that must be refused with this code, for a reason that has these words.
fn refused(repository: &Repository, server: &mut Server, input: &Json, code: i64, says: &str) {
    let error = server.refused("task_start", input.clone());
    let data = &error["data"];
    assert_eq!(error["code"], code, "{input}: {error}");
    assert!(error.to_string().contains(says), "{input}: {error}");
    assert!(data["error_type"].is_string(), "{input}: {error}");
    // What is malformed is said by the message alone.
    let malformed =
        data["error_type"] == "InvalidParams" || data["error_type"] == "ValidationFailed";
    assert!(malformed || data["hint"].is_string(), "{input}: {error}");
    assert!(!marked(&repository.base()), "{input}: something ran");
}

/// The same where nobody allowed it.
fn not_allowed(repository: &Repository, server: &mut Server, name: &str, reason: &str) {
    let input = json!({"unique_name": name});
    refused(repository, server, &input, -32010, reason);
}

/// What the tables show would mean little if nothing ran in any case.
#[test]
fn what_is_allowed_runs() {
    let repository = repository();
    repository.set_allowlist(DIRECTORY);
    let mut server = server(&repository);
    for name in ["build", "extra", "sub/build", "start", "fixed", "run"] {
        let done = server.ok(
            "task_start",
            json!({"unique_name": name, "wait_seconds": 10}),
        );
        assert_eq!(done["exit_code"], 0, "{name}: {done}");
        assert!(marked(&repository.base()), "{name}");
        for folder in ["", "sub"] {
            let _ = fs::remove_file(repository.root.join(folder).join(MARK));
        }
    }
}

#[test]
fn an_agent_cannot_allow_itself_anything() {
    let repository = repository();
    let mut server = server(&repository);
    for tool in ["allowlist_allow", "allowlist_deny", "allowlist_revoke"] {
        let error = server.refused(tool, json!({"target": "build"}));
        assert_eq!(error["code"], -32602, "{tool}: {error}");
    }
    for words in [
        &["allow", "build"][..],
        &["allow", ".", "--scope", "directory"],
        &["allow", "build", "--no-pin"],
        &["allow", "build", "--yes"],
        &["deny", "build"],
        &["revoke", "build"],
    ] {
        let output = repository.run(words);
        assert_eq!(output.status.code(), Some(6), "{words:?}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("person"), "{words:?}: {said}");
        assert!(!repository.allowlist().exists(), "{words:?}");
    }
    for words in [
        &["run", "build"][..],
        &["run", "run", "--", "x"],
        &["run", "build", "--json"],
    ] {
        let output = repository.run(words);
        assert_eq!(output.status.code(), Some(6), "{words:?}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("not allowlisted"), "{words:?}: {said}");
    }
    repository.set_allowlist(DIRECTORY);
    for (words, code) in [
        (&["run", "build", "--", "-f", "other"][..], 2),
        (&["run", "build", "--env", "PATH=/tmp"], 2),
        (&["run", "build", "--in", ".."], 2),
        (&["run", "buil"], 4),
    ] {
        let output = repository.run(words);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {output:?}");
    }
    assert!(!marked(&repository.base()));
}
