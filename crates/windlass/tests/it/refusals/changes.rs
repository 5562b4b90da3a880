//! Definitions that are not what they were when a person allowed them.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::{marked, repository, server};

/// A command that a person allowed as it stood, and what was changed since.
const CHANGES: &[(&str, &str, &str)] = &[
    (
        "build",
        "Makefile",
        "include more.mk\nbuild:\n\t@touch ran evil\n",
    ),
    (
        "build",
        "Makefile",
        "include more.mk\nbuild: evil\n\t@touch ran\nevil:\n\t@touch ran\n",
    ),
    (
        "build",
        "Makefile",
        "SHELL := ./evil\ninclude more.mk\nbuild:\n\t@touch ran\n",
    ),
    (
        "build",
        "more.mk",
        "SHELL := ./evil\nextra:\n\t@touch ran\n",
    ),
    ("build", "GNUmakefile", "build:\n\t@touch ran evil\n"),
    ("extra", "more.mk", "extra:\n\t@touch ran evil\n"),
    (
        "start",
        "package.json",
        "{\"scripts\": {\"start\": \"touch ran evil\"}}\n",
    ),
    (
        "start",
        "package.json",
        "{\"scripts\": {\"start\": \"touch ran\", \"prestart\": \"touch ran\"}}\n",
    ),
    ("start", "yarn.lock", "# yarn lockfile v1\n"),
    (
        "fixed",
        "justfile",
        "fixed:\n  touch ran evil\none name:\n  touch ran\n",
    ),
    (
        "fixed",
        "justfile",
        "set shell := ['./evil']\nfixed:\n  touch ran\none name:\n  touch ran\n",
    ),
    ("run", "run.sh", "#!/bin/sh\ntouch ran evil\n"),
];

#[test]
fn what_changed_after_it_was_allowed_is_refused() {
    for (name, file, text) in CHANGES {
        let repository = repository();
        let allowed = repository.as_person(&["allow", name, "--yes"]);
        assert!(allowed.status.success(), "{name}: {allowed:?}");
        let mut server = server(&repository);
        // It is seen as allowed, and then changed before the start.
        let listed = server.ok("list_tasks", json!({"query": name}));
        let before = listed["tasks"].as_array().expect("tasks").iter();
        let mut before = before.filter(|task| task["unique_name"] == *name);
        assert_eq!(
            before.next().expect("listed")["allowlisted"],
            true,
            "{name}"
        );
        if *file == "yarn.lock" {
            fs::remove_file(repository.root.join("package-lock.json")).expect("removed");
        }
        repository.write(file, text);
        let error = server.refused("task_start", json!({"unique_name": name}));
        // Another file of the same name may have taken its place.
        let codes = [json!(-32010), json!(-32012)];
        assert!(
            codes.contains(&error["code"]),
            "{name} with {text}: {error}"
        );
        assert!(!marked(&repository.base()), "{name} with {text}");
    }
    assert!(CHANGES.len() >= 12);
}

#[test]
fn a_definition_that_leads_out_of_the_project_is_refused() {
    let repository = repository();
    repository.set_allowlist("[[entries]]\npath = 'BASE'\nscope = 'Directory'\n");
    let mut server = server(&repository);
    let outside = repository.base().join("outside");
    fs::create_dir(repository.root.join("linked")).expect("a folder");
    symlink(
        outside.join("Makefile"),
        repository.root.join("linked/Makefile"),
    )
    .expect("linked");
    symlink(&outside, repository.root.join("folder")).expect("linked");
    for name in ["linked/build", "folder/build", "../outside/build"] {
        let error = server.refused("task_start", json!({"unique_name": name}));
        let codes = [json!(-32010), json!(-32012)];
        assert!(codes.contains(&error["code"]), "{name}: {error}");
    }
    // One that was listed, and is then swapped.
    server.ok("list_tasks", json!({}));
    fs::remove_file(repository.root.join("Makefile")).expect("removed");
    symlink(outside.join("Makefile"), repository.root.join("Makefile")).expect("linked");
    let error = server.refused("task_start", json!({"unique_name": "build"}));
    assert!(
        error["code"] == -32010 || error["code"] == -32012,
        "{error}"
    );
    assert!(!marked(&repository.base()));
}
