//! Whose state it is: the one who made it here, and whoever took it over after a look at it.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value as Json;
use windlass_core::workflow::GateDefinition;
use windlass_store::{GateScope, Project, Store};

use crate::sample::origin;
use crate::setup::Bench;

/// A project with a task.
fn made() -> Bench {
    let bench = Bench::new();
    success(&bench.run(&["add", "The first"]));
    bench
}

fn success(output: &Output) {
    assert!(output.status.success(), "{output:?}");
}

/// What the command says that was refused with this exit code.
fn refused(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn at(bench: &Bench, folder: &Path, words: &[&str]) -> Output {
    let mut command = bench.command(words);
    command.current_dir(folder).output().expect("started")
}

fn number(output: &Output) -> Json {
    success(output);
    let json: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    json["number"].clone()
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(done.expect("cp").success());
}

fn git(folder: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(words)
        .current_dir(folder)
        .output()
        .expect("git");
    assert!(done.status.success(), "{words:?}: {done:?}");
}

fn state(bench: &Bench) -> PathBuf {
    bench.project().join(".windlass/state")
}

#[test]
fn whoever_reads_what_came_from_elsewhere_is_told() {
    let bench = made();
    let own = bench.run(&["tasks", "list"]);
    success(&own);
    assert!(own.stderr.is_empty(), "{own:?}");
    let elsewhere = bench.path("elsewhere");
    copy(&bench.project(), &elsewhere);
    let read = at(&bench, &elsewhere, &["tasks", "list"]);
    success(&read);
    let said = String::from_utf8_lossy(&read.stderr).into_owned();
    assert!(said.contains("came from elsewhere"), "{said}");
    let json = at(&bench, &elsewhere, &["--json", "tasks", "list"]);
    success(&json);
    assert!(json.stderr.is_empty(), "{json:?}");
}

#[test]
fn a_copy_is_read_only_until_a_person_takes_it_over() {
    let bench = made();
    let gate = GateDefinition::new("strict", "echo looked at");
    let store = Store::open(&Project::find(&bench.project()).expect("found")).expect("opened");
    let added = store.write(&origin(), |writer| writer.add_gate(&GateScope::Repo, &gate));
    added.expect("added");
    drop(store);
    let copied = bench.path("copied");
    copy(&bench.project(), &copied);
    let said = refused(&at(&bench, &copied, &["add", "x"]), 6);
    assert!(said.contains("windlass trust"), "{said}");
    let list = at(&bench, &copied, &["list"]);
    success(&list);
    assert!(String::from_utf8_lossy(&list.stdout).contains("The first"));
    let before = fs::read(copied.join(".windlass/state/windlass.db")).expect("read");
    let said = refused(&at(&bench, &copied, &["trust"]), 6);
    assert!(said.contains("person"), "{said}");
    let words = format!("--cwd {} trust", copied.display());
    let asked = bench.typed(&words, "n\n");
    let shown = String::from_utf8_lossy(&asked.stdout).into_owned();
    assert!(
        shown.contains("strict") && shown.contains("echo looked at"),
        "{shown}"
    );
    refused(&at(&bench, &copied, &["add", "x"]), 6);
    let after = fs::read(copied.join(".windlass/state/windlass.db")).expect("read");
    assert_eq!(before, after, "nothing was changed");
    success(&bench.typed(&words, "y\n"));
    assert_eq!(number(&at(&bench, &copied, &["--json", "add", "x"])), 2);
    assert_eq!(
        number(&bench.run(&["--json", "add", "x"])),
        2,
        "the first is still its own"
    );
}

#[test]
fn a_project_may_be_moved() {
    let bench = made();
    let moved = bench.path("moved");
    fs::rename(bench.project(), &moved).expect("moved");
    assert_eq!(number(&at(&bench, &moved, &["--json", "add", "x"])), 2);
    assert_eq!(number(&at(&bench, &moved, &["--json", "add", "x"])), 3);
    // What is made at the old place is a new project.
    fs::create_dir(bench.project()).expect("made");
    success(&bench.run(&["init"]));
    assert_eq!(number(&bench.run(&["--json", "add", "x"])), 1);
}

#[test]
fn a_state_that_is_gone_is_not_a_new_one() {
    let database = |bench: &Bench| state(bench).join("windlass.db");
    for lose in [
        (|bench: &Bench| fs::remove_dir_all(state(bench)).expect("removed")) as fn(&Bench),
        |bench| fs::remove_file(state(bench).join("windlass.db")).expect("removed"),
        |bench| fs::write(state(bench).join("windlass.db"), "").expect("emptied"),
        |bench| git(&bench.project(), &["clean", "-qfdx"]),
    ] {
        let bench = made();
        git(&bench.project(), &["init", "-q"]);
        git(&bench.project(), &["add", "--all"]);
        git(&bench.project(), &["commit", "-q", "-m", "all"]);
        lose(&bench);
        for words in [&["add", "x"][..], &["list"], &["init"], &["mcp"]] {
            let said = refused(&bench.run(words), 7);
            assert!(
                said.contains("gone") && said.contains("--new-state"),
                "{said}"
            );
        }
        let doctor = bench.run(&["doctor"]);
        let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(
            !doctor.status.success() && said.contains("is gone"),
            "{said}"
        );
        refused(&bench.run(&["init", "--new-state"]), 6);
        success(&bench.typed("init --new-state", ""));
        assert_eq!(number(&bench.run(&["--json", "add", "x"])), 1);
        assert!(database(&bench).exists());
        refused(&bench.run(&["init", "--new-state"]), 2);
    }
}

#[test]
fn a_new_clone_at_an_old_place_is_new() {
    let bench = made();
    fs::remove_dir_all(bench.project()).expect("removed");
    fs::create_dir_all(bench.project().join(".windlass")).expect("made");
    assert_eq!(number(&bench.run(&["--json", "add", "x"])), 1);
}

#[test]
fn a_backup_counts_once_a_person_says_so() {
    let bench = made();
    let backup = bench.path("backup");
    copy(&state(&bench), &backup);
    success(&bench.run(&["add", "Lost later"]));
    fs::remove_dir_all(state(&bench)).expect("removed");
    copy(&backup, &state(&bench));
    let said = refused(&bench.run(&["add", "x"]), 6);
    assert!(said.contains("restored"), "{said}");
    success(&bench.typed("trust", "y\n"));
    assert_eq!(number(&bench.run(&["--json", "add", "x"])), 2);
}

/// Git replaces ignored files that it tracks on another branch, without a word.
#[test]
fn a_state_that_git_tracks_is_looked_at_again() {
    let bench = made();
    let project = bench.project();
    git(&project, &["init", "-q"]);
    git(&project, &["add", "--force", ".windlass/state/windlass.db"]);
    let said = refused(&bench.run(&["add", "x"]), 6);
    assert!(said.contains("git rm -r --cached"), "{said}");
    refused(&bench.typed("trust", "y\n"), 6);
    git(&project, &["rm", "-q", "-r", "--cached", ".windlass/state"]);
    refused(&bench.run(&["add", "x"]), 6);
    success(&bench.typed("trust", "y\n"));
    assert_eq!(number(&bench.run(&["--json", "add", "x"])), 2);
}

#[test]
fn a_link_in_a_foreign_state_is_not_taken_over() {
    let bench = made();
    let copied = bench.path("copied");
    copy(&bench.project(), &copied);
    let link = copied.join(".windlass/state/sessions");
    std::os::unix::fs::symlink(bench.path("home"), link).expect("linked");
    let asked = bench.typed(&format!("--cwd {} trust", copied.display()), "y\n");
    assert_eq!(asked.status.code(), Some(7), "{asked:?}");
    refused(&at(&bench, &copied, &["add", "x"]), 6);
}

#[test]
fn the_records_are_where_agents_cannot_write() {
    let bench = Bench::without_project();
    let inside = bench.project().join("records");
    let with = |words: &[&str]| {
        let mut command = bench.command(words);
        command.env("XDG_STATE_HOME", &inside);
        command.output().expect("started")
    };
    let said = refused(&with(&["init"]), 3);
    assert!(said.contains("XDG_STATE_HOME"), "{said}");
    success(&bench.run(&["init"]));
    let records = bench.path("home/.local/state/windlass");
    fs::set_permissions(&records, fs::Permissions::from_mode(0o777)).expect("changed");
    let said = refused(&bench.run(&["add", "x"]), 3);
    assert!(said.contains("other users"), "{said}");
}

#[test]
fn many_who_come_first_make_one_state() {
    let bench = Bench::without_project();
    fs::create_dir(bench.project().join(".windlass")).expect("made");
    let numbers: Vec<Json> = std::thread::scope(|scope| {
        let one = || number(&bench.run(&["--json", "add", "x"]));
        let all: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
        all.into_iter().map(|it| it.join().expect("done")).collect()
    });
    let mut numbers: Vec<i64> = numbers.iter().filter_map(Json::as_i64).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=8).collect::<Vec<_>>());
}

#[test]
fn nobody_else_can_read_the_state_whatever_the_umask() {
    let bench = Bench::without_project();
    let program = env!("CARGO_BIN_EXE_windlass");
    let lines = format!(
        "umask 000; {program} init && {program} add x && \
         {program} session start --recipe focus --task 1 && {program} list"
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &lines]).current_dir(bench.project());
    for (name, value) in bench.command(&[]).get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    success(&shell.output().expect("started"));
    let mut paths = vec![
        state(&bench),
        bench.path("home/.local/state/windlass/projects"),
    ];
    let mut seen = 0;
    while let Some(path) = paths.pop() {
        let metadata = fs::symlink_metadata(&path).expect("there");
        assert_eq!(
            metadata.mode() & 0o077,
            0,
            "{} {:o}",
            path.display(),
            metadata.mode()
        );
        seen += 1;
        if metadata.is_dir() {
            let entries = fs::read_dir(path).expect("read").flatten();
            paths.extend(entries.map(|entry| entry.path()));
        }
    }
    assert!(seen >= 7, "{seen}");
}
