//! What a person sees before they allow something, what they allow by it, and what they see later.

use std::fs;
use std::process::Output;

use serde_json::json;

use crate::repository::Repository;

/// A recipe of more than 20 lines, which ends in what it really does.
fn makefile(last: &str) -> String {
    let lines: Vec<String> = (1..=60).map(|line| format!("\t@: line {line}\n")).collect();
    let lines = lines.concat();
    format!("build:\n{lines}\t@{last}\ntest:\n\t@echo tested\n")
}

fn repository() -> Repository {
    Repository::new(&[
        ("Makefile", &makefile("echo built")),
        ("sub/Makefile", "deep:\n\t@echo deep\n"),
    ])
}

/// What a person does at a terminal without colours.
fn person(repository: &Repository, words: &[&str], typed: &str) -> Output {
    repository.as_person_who_types(&[words, &["--color", "never"]].concat(), typed)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).replace('\r', "")
}

fn may_run(repository: &Repository, name: &str) -> bool {
    let why = repository.json(&["allowed", name]);
    why["explanation"]["allowlisted"] == true
}

#[test]
fn allow_shows_everything_and_asks() {
    let repository = repository();
    for (typed, code) in [("n\n", 9), ("\n", 9), ("", 9), ("yess\n", 9), ("y\n", 0)] {
        let output = person(&repository, &["allow", "build"], typed);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(code), "{typed:?}: {said}");
        for shown in [
            "make",
            "Makefile",
            ": line 1\n",
            ": line 60\n",
            "@echo built",
        ] {
            assert!(said.contains(shown), "{shown} is missing: {said}");
        }
        assert!(
            said.contains("Allow agents to run build as shown? [y/N] "),
            "{said}"
        );
        assert_eq!(repository.allowlist().exists(), code == 0, "{typed:?}");
        assert_eq!(may_run(&repository, "build"), code == 0, "{typed:?}");
    }
    let allowlist = fs::read_to_string(repository.allowlist()).expect("written");
    assert!(allowlist.contains("pins = { build = \""), "{allowlist}");
    assert!(!may_run(&repository, "test"));
}

/// What is shown must not be able to hide or repaint anything.
#[test]
fn control_characters_of_a_definition_are_shown_and_not_obeyed() {
    let repository = repository();
    let evil = "echo \u{1b}[2J\u{1b}]0;title\u{7} \u{202e}txt.exe \u{9b}31m\rharmless";
    repository.write("Makefile", &makefile(evil));
    for words in [&["allow", "build"][..], &["run", "build"]] {
        let shown = said(&person(&repository, words, "n\n"));
        for letter in ["\u{1b}", "\u{7}", "\u{202e}", "\u{9b}"] {
            assert!(!shown.contains(letter), "{words:?}: {shown:?}");
        }
        assert!(
            shown.contains("\\u{1b}[2J") && shown.contains("\\rharmless"),
            "{shown}"
        );
    }
    person(&repository, &["allow", "build", "--yes"], "");
    repository.write("Makefile", &makefile(&evil.replace("harmless", "harmful")));
    let shown = said(&person(&repository, &["allowed", "build", "--diff"], ""));
    assert!(
        !shown.contains('\u{1b}') && shown.contains("\\rharmful"),
        "{shown:?}"
    );
}

#[test]
fn after_a_change_only_the_difference_is_shown() {
    let repository = repository();
    person(&repository, &["allow", "build", "--yes"], "");
    repository.write("Makefile", &makefile("echo built; ./evil"));
    let mut server = repository.server();
    let error = server.refused("task_start", json!({"unique_name": "build"}));
    assert_eq!(error["code"], -32010, "{error}");
    assert_eq!(error["data"]["changed"], json!(["Makefile"]), "{error}");
    assert_eq!(error["data"]["how"], "windlass allow build", "{error}");
    let hint = error["data"]["hint"].as_str().expect("a hint");
    assert!(
        hint.starts_with("Ask a human to grant MCP access to this task"),
        "{hint}"
    );
    assert!(
        hint.contains("Makefile changed") && hint.contains("windlass allow"),
        "{hint}"
    );

    let listed = said(&person(&repository, &["allowed"], ""));
    assert!(listed.contains("changed: build"), "{listed}");
    let why = repository.json(&["allowed", "build"]);
    let why = &why["explanation"];
    assert_eq!(why["files"][0]["state"], "changed", "{why}");
    let diff = why["diff"].as_str().expect("a diff");
    assert!(
        diff.contains("@echo built; ./evil") && !diff.contains(": line 1\n"),
        "{diff}"
    );
    let doctor = said(&person(&repository, &["doctor"], ""));
    assert!(doctor.contains("build of Makefile"), "{doctor}");

    let output = person(&repository, &["allow", "build"], "y\n");
    let shown = said(&output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("It has changed since"), "{shown}");
    assert!(shown.contains("+    @echo built; ./evil"), "{shown}");
    assert!(
        shown.contains("-    @echo built\n") && !shown.contains(": line 1\n"),
        "{shown}"
    );
    assert!(may_run(&repository, "build"));
    let why = repository.json(&["allowed", "build", "--diff"]);
    assert!(why["explanation"]["diff"].is_null(), "{why}");
    assert_eq!(
        why["explanation"]["files"][0]["state"], "unchanged",
        "{why}"
    );
    let shown = said(&person(&repository, &["allowed", "build", "--diff"], ""));
    assert!(shown.contains("Nothing differs"), "{shown}");
}

#[test]
fn a_file_or_folder_lists_what_it_covers() {
    let repository = repository();
    let output = person(&repository, &["allow", "./Makefile"], "y\n");
    let shown = said(&output);
    for words in [
        "Makefile has 2 commands now:",
        "build",
        "test",
        ": line 60\n",
        "the 2 commands of",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(may_run(&repository, "build") && may_run(&repository, "test"));
    assert!(!may_run(&repository, "sub/deep"));
    // What comes later is not covered, and what changes is not either.
    let mut server = repository.server();
    repository.write("Makefile", &(makefile("./evil") + "new:\n\t@./evil\n"));
    for (name, reason) in [
        ("new", "allowed without it"),
        ("build", "changed after it was allowed"),
    ] {
        let error = server.refused("task_start", json!({"unique_name": name}));
        assert_eq!(error["code"], -32010, "{error}");
        assert!(
            error["data"]["reason"].to_string().contains(reason),
            "{name}: {error}"
        );
    }
    let output = person(&repository, &["allow", "."], "y\n");
    let shown = said(&output);
    for words in ["4 commands now:", "new", "sub/deep", "Nothing is pinned"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(may_run(&repository, "new") && may_run(&repository, "sub/deep"));
}

#[test]
fn what_makes_no_sense_is_refused_with_a_reason() {
    let repository = repository();
    repository.write("notes.txt", "nothing\n");
    repository.write(".windlass/config.toml", "[commands]\nallow_env = ['X']\n");
    for (words, says) in [
        (&["allow", "./notes.txt", "--yes"][..], "defines no command"),
        (
            &["allow", "./Makefile", "--no-pin", "--yes"],
            "one command only",
        ),
        (
            &["allow", ".windlass/config.toml", "--no-pin", "--yes"],
            "one command only",
        ),
        (
            &["allow", ".windlass/config.toml", "--scope", "file", "--yes"],
            "file cannot be used",
        ),
        (
            &[
                "allow",
                ".windlass/config.toml",
                "--scope",
                "directory",
                "--yes",
            ],
            "directory cannot",
        ),
        (&["allow", "nothing", "--yes"], "neither a command"),
    ] {
        let output = person(&repository, words, "");
        let said = said(&output);
        assert!(
            !output.status.success() && said.contains(says),
            "{words:?}: {said}"
        );
        assert!(!repository.allowlist().exists(), "{words:?}");
    }
}

#[test]
fn grants_are_listed_by_project() {
    let repository = repository();
    repository.set_allowlist(
        "[[entries]]\npath = '/some/other/Makefile'\nscope = 'File'\n\
         [[entries]]\npath = 'BASE'\nscope = 'Deny'\ntasks = ['deep']\n",
    );
    person(&repository, &["allow", "build", "--yes"], "");
    let here = repository.json(&["allowed"]);
    assert_eq!(
        here["entries"].as_array().expect("entries").len(),
        2,
        "{here}"
    );
    assert_eq!(here["elsewhere"], 1, "{here}");
    let all = repository.json(&["allowed", "--all"]);
    assert_eq!(
        all["entries"].as_array().expect("entries").len(),
        3,
        "{all}"
    );
}

#[test]
fn taking_back_a_grant_keeps_what_is_denied() {
    let repository = repository();
    person(&repository, &["allow", "./Makefile", "--yes"], "");
    person(&repository, &["deny", "test"], "");
    let output = person(&repository, &["revoke", "./Makefile"], "");
    let shown = said(&output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("Still denied: test of "), "{shown}");
    person(&repository, &["allow", ".", "--yes"], "");
    assert!(may_run(&repository, "build") && !may_run(&repository, "test"));
    let output = person(&repository, &["revoke", "./Makefile"], "");
    let shown = said(&output);
    assert_eq!(output.status.code(), Some(4), "{shown}");
    assert!(shown.contains("`windlass revoke` with --deny"), "{shown}");
    assert!(!may_run(&repository, "test"));
    assert!(
        person(&repository, &["revoke", "--deny", "test"], "")
            .status
            .success()
    );
    assert!(may_run(&repository, "test"));
}

#[test]
fn the_question_of_run_shows_everything() {
    let repository = repository();
    let output = person(&repository, &["run", "build"], "n\n");
    let shown = said(&output);
    assert_eq!(output.status.code(), Some(9), "{shown}");
    for words in [
        "is not allowed",
        "It would run: make build",
        ": line 60\n",
        "@echo built",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    // What covers more than the command is shown and asked about too.
    let output = person(&repository, &["run", "build"], "f\nn\n");
    let shown = said(&output);
    assert_eq!(output.status.code(), Some(9), "{shown}");
    assert!(shown.contains("Makefile has 2 commands now:"), "{shown}");
    assert!(!repository.allowlist().exists());
    let output = person(&repository, &["run", "build"], "f\ny\n");
    assert!(output.status.success(), "{}", said(&output));
    assert!(may_run(&repository, "test"));
}
