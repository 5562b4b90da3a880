//! `import`, `export` and `snapshot` as processes: paths, streams and exit codes.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn command(cwd: &Path, words: &[&str]) -> Command {
    let mut command = crate::sample::windlass();
    command.args(words).current_dir(cwd).stdin(Stdio::null());
    command
}

fn run(cwd: &Path, words: &[&str]) -> Output {
    command(cwd, words).output().expect("started")
}

fn ok(cwd: &Path, words: &[&str]) -> String {
    let output = run(cwd, words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn paths_are_those_of_the_folder_that_the_command_runs_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    ok(root, &["init"]);
    let below = root.join("notes");
    fs::create_dir(&below).expect("created");
    fs::write(below.join("todo.md"), "- [ ] One\n  - [x] Two\n").expect("written");
    let said = ok(&below, &["import", "markdown", "todo.md"]);
    assert!(said.starts_with("Imported from markdown: 2 new"), "{said}");
    ok(&below, &["snapshot", "plan"]);
    assert!(below.join("plan/tasks/002-two.md").is_file());
    ok(&below, &["snapshot"]);
    assert!(root.join(".windlass/snapshot/README.md").is_file());
    ok(&below, &["export", "--jsonl", "--out", "plan.jsonl"]);
    let exported = fs::read_to_string(below.join("plan.jsonl")).expect("read");
    assert_eq!(exported.lines().count(), 3);
    assert_eq!(ok(&below, &["export", "--jsonl"]), exported);
    assert_eq!(ok(root, &["export", "--format", "jsonl"]), exported);
    let document: serde_json::Value =
        serde_json::from_str(&ok(root, &["export", "--json"])).expect("JSON");
    assert_eq!(document["entities"][1]["relations"][0]["type"], "parent");
}

#[test]
fn exit_codes_say_whether_it_worked() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    ok(root, &["init"]);
    ok(root, &["snapshot"]);
    ok(root, &["add", "note", "One"]);
    assert_eq!(run(root, &["snapshot", "--check"]).status.code(), Some(11));
    fs::write(
        root.join("issues.jsonl"),
        "{\"id\":\"a\",\"title\":\"A\"}\n{\"id\":\n",
    )
    .expect("written");
    let refused = run(root, &["import", "beads", "issues.jsonl"]);
    assert_eq!(refused.status.code(), Some(11));
    let said = String::from_utf8_lossy(&refused.stdout);
    assert!(said.contains("issues.jsonl:2"), "{said}");
    ok(root, &["import", "beads", "issues.jsonl", "--keep-going"]);
    assert_eq!(
        run(root, &["import", "beads", "none.jsonl"]).status.code(),
        Some(2)
    );
    assert_eq!(run(root, &["import", "jira", "x"]).status.code(), Some(2));
}

/// A reader that has enough closes the pipe.
#[test]
fn an_export_ends_with_its_reader() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    ok(root, &["init"]);
    let lines: Vec<String> = (0..3_000)
        .map(|at| format!("- [ ] Item number {at}\n"))
        .collect();
    fs::write(root.join("todo.md"), lines.concat()).expect("written");
    ok(root, &["import", "markdown", "todo.md"]);
    let mut child = command(root, &["export"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut first = [0; 10];
    child
        .stdout
        .take()
        .expect("a pipe")
        .read_exact(&mut first)
        .expect("read");
    let output = child.wait_with_output().expect("ended");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{error}");
    assert_eq!(&first, b"{\"format\":");
}
