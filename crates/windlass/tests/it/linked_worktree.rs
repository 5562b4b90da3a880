//! A linked git worktree whose branch has no `.windlass`: it belongs to the project of the main one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value as Json, json};

use crate::repository::{Repository, until};
use crate::server::Server;

fn git(folder: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=ann", "-c", "user.email=ann@example.org"])
        .args(words)
        .current_dir(folder)
        .output()
        .expect("git");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{words:?}: {said}");
}

/// A repository that does not track its `.windlass`, and a linked worktree beside it.
fn linked() -> (Repository, PathBuf) {
    let repository = Repository::new(&[
        (
            "Makefile",
            "hello:\n\t@echo hello from $$(basename $$PWD)\n",
        ),
        ("web/index.txt", "text\n"),
        (
            ".windlass/config.toml",
            "[project]\ntitle = \"Shop\"\n[commands]\nmax_jobs = 7\n",
        ),
        (".windlass/recipes/look.toml", "tools = [\"entity_get\"]\n"),
    ]);
    let root = &repository.root;
    git(root, &["init", "-q"]);
    repository.write(".git/info/exclude", ".windlass/\n");
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "first"]);
    let side = repository.base().join("side");
    let folder = side.to_str().expect("UTF-8").to_owned();
    git(root, &["worktree", "add", "-q", "-b", "side", &folder]);
    assert!(!side.join(".windlass").exists());
    (repository, side)
}

fn run_in(repository: &Repository, folder: &Path, words: &[&str]) -> Output {
    let mut command = repository.command(words);
    command.current_dir(folder).output().expect("started")
}

fn json_in(repository: &Repository, folder: &Path, words: &[&str]) -> Json {
    let output = run_in(repository, folder, &[words, &["--json"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn commands_work_in_a_worktree_without_settings() {
    let (repository, side) = linked();
    repository.json(&["add", "Made in the main worktree"]);
    json_in(&repository, &side.join("web"), &["add", "Made beside it"]);
    for folder in [&repository.root, &side] {
        let ready = json_in(&repository, folder, &["ready"]).to_string();
        assert!(ready.contains("Made in the main worktree"), "{ready}");
        assert!(ready.contains("Made beside it"), "{ready}");
    }
    for words in [
        &["doctor"][..],
        &["status"],
        &["commands"],
        &["log"],
        &["recipes"],
        &["playbooks", "check"],
        &["config", "list"],
    ] {
        let output = run_in(&repository, &side, words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !said.contains("Not a windlass project"),
            "{words:?}: {said}"
        );
    }
    // The settings are those of the main worktree, the commands those of the branch.
    let text = String::from_utf8_lossy(&run_in(&repository, &side, &["config", "list"]).stdout)
        .into_owned();
    assert!(text.contains("Shop"), "{text}");
    fs::write(side.join("Makefile"), "other:\n\t@echo other\n").expect("written");
    let commands = json_in(&repository, &side, &["commands"]).to_string();
    assert!(commands.contains("other"), "{commands}");
    assert!(!commands.contains("hello"), "{commands}");
    assert!(!side.join(".windlass").exists(), "nothing was made there");
}

#[test]
fn a_server_works_in_a_worktree_without_settings() {
    let (repository, side) = linked();
    repository.set_allowlist("[[entries]]\npath = \"BASE/side\"\nscope = \"Directory\"\n");
    let mut command = repository.command(&["mcp", "--toolsets", "all"]);
    command.current_dir(&side);
    let mut server = Server::of(command);
    let made = server.ok("entity_create", json!({"type": "note", "title": "Here"}));
    let started = server.ok(
        "task_start",
        json!({"unique_name": "hello", "wait_seconds": 20}),
    );
    let said = started.to_string();
    assert!(said.contains("hello from side"), "{said}");
    // A job is recorded beside the answer.
    until("the job is on record", || {
        repository.json(&["jobs"])["jobs"][0]["unique_name"] == "hello"
    });
    let number = made["sequence_number"].to_string();
    let shown = repository.json(&["show", &number]);
    assert_eq!(shown["title"], "Here", "{shown}");
}

/// Files of the main worktree's `.windlass` are allowed from either place, and count in both.
#[test]
fn settings_of_the_main_worktree_are_allowed_from_a_linked_one() {
    let (repository, side) = linked();
    repository.write(
        ".windlass/config.toml",
        "[commands]\nallow_env = [\"SHOP_MODE\"]\n",
    );
    let mut allow = repository.command(&["allow", ".windlass/config.toml", "--yes"]);
    allow.current_dir(&side);
    let output = crate::person::at_a_terminal(&allow, "y\n");
    assert!(output.status.success(), "{output:?}");
    let list = fs::read_to_string(repository.allowlist()).expect("written");
    let file = repository.root.join(".windlass/config.toml");
    assert!(list.contains(file.to_str().expect("UTF-8")), "{list}");
}

/// A folder that only says that it is a worktree takes part in nothing.
#[test]
fn a_folder_that_the_repository_does_not_know_is_no_project() {
    let (repository, side) = linked();
    let liar = repository.base().join("liar");
    fs::create_dir(&liar).expect("a folder");
    fs::copy(side.join(".git"), liar.join(".git")).expect("copied");
    let output = run_in(&repository, &liar, &["ready"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("Not a windlass project"), "{said}");
}
