//! The list of commands as people and agents see it: its length, its order, names that several
//! commands have, one command in full, and what changes while somebody looks on.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::{Value as Json, json};

use crate::repository::Repository;

fn names(listed: &Json) -> Vec<String> {
    let tasks = listed["tasks"].as_array().expect("tasks").iter();
    tasks
        .map(|task| task["unique_name"].as_str().expect("a name").to_owned())
        .collect()
}

/// A workspace with far more commands than anyone wants to read.
fn large() -> Repository {
    let repository = Repository::new(&[
        ("Makefile", "build:\n\t@echo built\n"),
        (
            "package.json",
            r#"{"scripts": {"build": "vite build", "prepare": "husky"}}"#,
        ),
        (".github/workflows/ci.yml", "on: push\njobs: {a: {}}\n"),
        (
            "tests/fixtures/a/package.json",
            r#"{"scripts": {"build": "x"}}"#,
        ),
    ]);
    for number in 0..120 {
        let script = "rollup --config a/very/long/path/to/a/configuration.js --environment NODE_ENV:production --silent --something-else";
        let text = format!(r#"{{"scripts": {{"build": "{script}", "test": "vitest"}}}}"#);
        repository.write(&format!("packages/package-{number:03}/package.json"), &text);
    }
    repository
}

#[test]
fn a_list_has_at_most_four_thousand_tokens() {
    let repository = large();
    let mut server = repository.server();
    let answer = server.call("list_tasks", json!({})).expect("an answer");
    let text = answer["result"]["content"][0]["text"]
        .as_str()
        .expect("text");
    // Three characters a token is a careful guess for JSON.
    assert!(text.len() < 12_700, "{} characters", text.len());
    let listed = &answer["result"]["structuredContent"];
    assert_eq!(listed["total"], 245, "{listed}");
    assert_eq!(
        listed["next_offset"],
        listed["tasks"].as_array().expect("tasks").len()
    );
    let first = &listed["tasks"][0];
    assert_eq!(first["unique_name"], "build-m");
    assert_eq!(
        (&first["line"], &first["cwd"], &first["kind"]),
        (&json!(1), &json!("."), &json!("task"))
    );
    // Every command comes once, over all pages.
    let (mut all, mut offset) = (Vec::new(), json!(0));
    while offset.is_number() {
        let page = server.ok("list_tasks", json!({"offset": offset}));
        all.extend(names(&page));
        offset = page["next_offset"].clone();
    }
    assert_eq!(all.len(), 245);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 245);
    // A caller that wants more gets more.
    let many = server.ok("list_tasks", json!({"limit": 200}));
    assert_eq!(names(&many).len(), 200);
    let filtered = server.ok("list_tasks", json!({"name": "build", "folder": "."}));
    assert_eq!(names(&filtered), ["build-m", "build-n"]);
    assert_eq!(
        server.ok("list_tasks", json!({"allowed": true}))["total"],
        0
    );
}

#[test]
fn people_see_their_own_commands_first_and_tests_as_a_count() {
    let repository = large();
    let listed = repository.json(&["commands"]);
    let all = names(&listed);
    assert_eq!(all[..4], ["build-m", "build-n", "prepare", "ci"]);
    assert_eq!(
        all.last().map(String::as_str),
        Some("tests/fixtures/a/build")
    );
    let shown = |words: &[&str]| {
        let output = repository
            .command(words)
            .env("COLUMNS", "80")
            .output()
            .expect("run");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let table = shown(&["commands"]);
    assert!(!table.contains("tests/fixtures/a/build"), "{table}");
    assert!(
        table.contains("and 1 more in tests, fixtures and examples"),
        "{table}"
    );
    assert!(shown(&["commands", "--all"]).contains("tests/fixtures"));
    assert_eq!(names(&repository.json(&["commands", "--root"])).len(), 4);
    assert_eq!(names(&repository.json(&["commands", "test"])).len(), 120);
    assert_eq!(
        names(&repository.json(&["commands", "--search", "HUSKY"])),
        ["prepare"]
    );
}

#[test]
fn a_name_that_several_have_is_answered_with_all() {
    let repository = large();
    let mut server = repository.server();
    let refused = server.refused("task_start", json!({"unique_name": "build"}));
    assert_eq!(refused["code"], -32012);
    let message = refused["message"].as_str().expect("a message");
    assert!(message.starts_with("Task 'build' not found"), "{message}");
    assert!(
        message.contains("'build-m' (Makefile:1, make build)"),
        "{message}"
    );
    assert!(
        message.contains("'build-n' (package.json:1, npm run build)"),
        "{message}"
    );
    let candidates = refused["data"]["candidates"]
        .as_array()
        .expect("candidates");
    // The rest of them is cut.
    assert!(candidates.len() >= 50, "{refused}");
    // In a folder, its own command is meant.
    let inside = repository.root.join("packages/package-007");
    let output = repository
        .command(&["--json", "run", "build", "--dry-run"])
        .arg("--cwd")
        .arg(&inside)
        .output()
        .expect("run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("\"cwd\":\"packages/package-007\"") || text.contains("packages/package-007"),
        "{text}"
    );
}

#[test]
fn one_command_in_full() {
    let repository = Repository::new(&[
        (
            "Makefile",
            "include more.mk\nall: gen ## Everything\n\t@echo $(CI) all\n",
        ),
        ("more.mk", "gen:\n\t@echo gen\n"),
    ]);
    repository.allow_all();
    let mut server = repository.server();
    server.ok(
        "task_start",
        json!({"unique_name": "all", "wait_seconds": 20}),
    );
    let shown = server.ok("command_show", json!({"unique_name": "all"}));
    assert_eq!(shown["executed"], "make -f Makefile all");
    assert_eq!(shown["line"], 2);
    assert_eq!(shown["prerequisites"], json!(["gen"]));
    assert_eq!(shown["environment"], json!(["CI"]));
    assert_eq!(shown["allowlisted"], true);
    assert_eq!(shown["last_jobs"][0]["exit_code"], 0, "{shown}");
    let files: Vec<_> = shown["pinned_files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|it| it["path"].clone())
        .collect();
    assert_eq!(files, ["Makefile", "more.mk"]);
    let refused = server.refused("command_show", json!({"unique_name": "no-such"}));
    assert_eq!(refused["code"], -32012);
}

/// A machine without pnpm and just, but with the programs that bring them.
#[test]
fn runners_that_corepack_and_mise_bring() {
    let repository = Repository::new(&[
        (
            "package.json",
            r#"{"packageManager": "pnpm@9.1.0", "scripts": {"build": "vite"}}"#,
        ),
        ("mise.toml", "[tools]\njust = \"1.40.0\"\n"),
        ("web/justfile", "hello:\n  echo hello\n"),
    ]);
    repository.allow_all();
    let programs = tempfile::tempdir().expect("a folder");
    let path = programs.path().to_str().expect("UTF-8").to_owned();
    let json = |words: &[&str]| -> Json {
        let words: Vec<&str> = ["--json"].iter().chain(words).copied().collect();
        let mut command = repository.command(&words);
        let output = command.env("PATH", &path).output().expect("run");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let before = json(&["commands", "show", "build"]);
    assert_eq!(before["runner_available"], false, "{before}");
    assert_eq!(before["executed"], "pnpm run build");
    for name in ["corepack", "mise"] {
        let file = programs.path().join(name);
        std::fs::write(&file, format!("#!/bin/sh\necho {name} \"$@\"\n")).expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    for (name, executed, version) in [
        ("build", "corepack pnpm run build", "9.1.0 (by corepack)"),
        ("web/hello", "mise exec -- just", "1.40.0 (by mise)"),
    ] {
        let shown = json(&["commands", "show", name]);
        let line = shown["executed"].as_str().expect("a line");
        assert!(line.starts_with(executed), "{line}");
        assert_eq!(shown["runner_version"], version, "{shown}");
        assert_eq!(shown["runner_available"], true, "{shown}");
        let mut run = repository.command(&["run", name]);
        let output = run.env("PATH", &path).output().expect("run");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.contains(executed), "{name}: {output:?}");
    }
    // What mise reads belongs to what a person allows.
    let shown = json(&["commands", "show", "web/hello"]);
    let mut files = shown["pinned_files"].as_array().expect("files").iter();
    assert!(files.any(|it| it["path"] == "mise.toml"), "{shown}");
}

#[test]
fn a_listing_of_an_earlier_process_is_checked_and_decides_nothing() {
    let repository = Repository::new(&[("Makefile", "build:\n\t@echo built\n")]);
    assert_eq!(names(&repository.json(&["commands"])), ["build"]);
    let state = repository.root.join(".windlass/state");
    let kept = std::fs::read_dir(&state)
        .expect("a state")
        .flatten()
        .map(|it| it.path());
    let kept = kept.filter(|it| it.to_string_lossy().contains("commands-"));
    let kept: Vec<_> = kept.collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    // A definition that changed is read again.
    repository.write("Makefile", "build:\n\t@echo other\nmore:\n\t@echo more\n");
    assert_eq!(names(&repository.json(&["commands"])), ["build", "more"]);
    // Whoever writes another command into it changes what is shown, and nothing that runs.
    let text = std::fs::read_to_string(&kept[0]).expect("text");
    std::fs::write(&kept[0], text.replace("\"more\"", "\"evil\"")).expect("written");
    assert_eq!(names(&repository.json(&["commands"])), ["build", "evil"]);
    let mut server = repository.server();
    assert_eq!(
        names(&server.ok("list_tasks", json!({}))),
        ["build", "more"]
    );
    assert_eq!(
        server.refused("task_start", json!({"unique_name": "evil"}))["code"],
        -32012
    );
    for broken in ["", "{}", "[", "null", "{\"version\": 1}"] {
        std::fs::write(&kept[0], broken).expect("written");
        assert_eq!(
            names(&repository.json(&["commands"])),
            ["build", "more"],
            "{broken}"
        );
    }
}

#[test]
fn changes_are_printed_while_somebody_watches() {
    let repository = Repository::new(&[("Makefile", "build:\n\t@echo built\n")]);
    let mut child = repository
        .command(&["--json", "commands", "--watch"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || -> Json {
        let line = lines.next().expect("a line").expect("text");
        serde_json::from_str(&line).expect("JSON")
    };
    assert_eq!(names(&next()), ["build"]);
    repository.write("Makefile", "build:\n\t@echo built\nlint:\n\t@echo lint\n");
    let mut events = [next(), next()];
    events.sort_by_key(|it| it["event"].to_string());
    assert_eq!(events[0]["event"], "added");
    assert_eq!(events[0]["task"]["unique_name"], "lint");
    // The makefile decides about all of its targets.
    assert_eq!(events[1]["event"], "changed");
    child.kill().expect("ended");
    child.wait().expect("ended");
}
