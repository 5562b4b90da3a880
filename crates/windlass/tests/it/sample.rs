//! The binary under test, and the sample project that the examples of the operations are about.

use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// What is in the sample project: one command each, so that the first entity has number 1.
const SAMPLE: &[&[&str]] = &[
    &[
        "add",
        "decision",
        "Use PostgreSQL",
        "--content",
        "We need a relational database that many can write to.",
        "--tag",
        "database",
        "--status",
        "accepted",
    ],
    &["add", "task", "Set up auth", "--tag", "auth"],
    &["add", "task", "Deploy"],
    &["add", "note", "Meeting notes"],
    &["add", "decision", "Use SQLite"],
    &["relation", "add", "2", "blocks", "3"],
    &["relation", "add", "2", "implements", "1"],
];

/// The binary in a folder, with no settings from the environment of the tests.
pub fn windlass(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
    command.current_dir(folder).stdin(Stdio::null());
    clean(&mut command);
    command
}

/// Takes away what would make a server or a command behave differently on another machine.
pub fn clean(command: &mut Command) {
    for name in [
        "CLICOLOR_FORCE",
        "RUST_LOG",
        "WINDLASS_CORRELATION_ID",
        "WINDLASS_LOG_LEVEL",
        "WINDLASS_MAX_BATCH_SIZE",
        "WINDLASS_REQUEST_TIMEOUT_MS",
        "WINDLASS_SESSION",
    ] {
        command.env_remove(name);
    }
}

/// A project with nothing in it.
pub fn empty_project() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path(), &["init"]);
    folder
}

/// A project with #1 decision "Use PostgreSQL", #2 task "Set up auth", #3 task "Deploy", #4 note
/// "Meeting notes" and #5 decision "Use SQLite"; #2 blocks #3 and implements #1.
pub fn sample_project() -> TempDir {
    let folder = empty_project();
    for words in SAMPLE {
        run(folder.path(), words);
    }
    folder
}

fn run(folder: &Path, words: &[&str]) {
    let output = windlass(folder).args(words).output().expect("a process");
    assert!(
        output.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
