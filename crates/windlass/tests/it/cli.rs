//! The command line as a process: what is printed where, and the exit code.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};

/// A project in a folder of its own, which goes with the value.
struct Sample {
    folder: tempfile::TempDir,
}

impl Sample {
    fn new() -> Self {
        let sample = Self::bare();
        assert_eq!(code(&sample.run(&["init"])), 0);
        sample
    }

    fn bare() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
        command
            .args(words)
            .current_dir(self.path())
            .stdin(Stdio::null())
            .env_remove("CLICOLOR_FORCE");
        for name in ["MAX_BATCH_SIZE", "SESSION", "REQUEST_TIMEOUT_MS"] {
            command.env_remove(format!("WINDLASS_{name}"));
        }
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// What a command answers as JSON.
    fn json(&self, words: &[&str]) -> Json {
        let output = self.run(&[words, &["--json"]].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        serde_json::from_str(&stdout(&output)).unwrap()
    }

    fn run_with_input(&self, words: &[&str], input: &str) -> Output {
        let mut child = self
            .command(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        child.wait_with_output().unwrap()
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn init_says_what_comes_next_and_does_nothing_twice() {
    let sample = Sample::bare();
    let first = stdout(&sample.run(&["init"]));
    assert!(first.starts_with("Made a Windlass project: "), "{first}");
    assert!(first.contains("windlass add task"), "{first}");
    let second = stdout(&sample.run(&["init"]));
    assert!(
        second.starts_with("Already a Windlass project: "),
        "{second}"
    );
    assert_eq!(sample.json(&["init"])["created"], false);
}

#[test]
fn outside_a_project_the_error_says_what_to_do() {
    let output = Sample::bare().run(&["tasks", "next"]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).starts_with("error: "));
    assert!(stderr(&output).contains("windlass init"));
    assert_eq!(stdout(&output), "");
}

#[test]
fn added_by_words_and_by_json() {
    let sample = Sample::new();
    assert_eq!(code(&sample.run(&["add", "task", "By words"])), 0);
    let input = r#"{"type": "task", "title": "By JSON"}"#;
    assert_eq!(code(&sample.run(&["add", "--input", input])), 0);
    std::fs::write(sample.path().join("task.json"), input).unwrap();
    assert_eq!(code(&sample.run(&["add", "--input", "@task.json"])), 0);
    assert_eq!(
        code(&sample.run_with_input(&["add", "--input", "-"], input)),
        0
    );
    let text = stdout(&sample.run(&["list", "task"]));
    assert_eq!(text.matches("By JSON").count(), 3, "{text}");
    assert_eq!(text.matches("By words").count(), 1, "{text}");
}

#[test]
fn a_hostile_title_cannot_control_the_terminal() {
    let sample = Sample::new();
    let title = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}";
    let input = json!({ "type": "task", "title": title }).to_string();
    assert_eq!(code(&sample.run(&["add", "--input", &input])), 0);
    let commands: [&[&str]; 5] = [
        &["list", "task"],
        &["get", "1"],
        &["tasks", "next"],
        &["search", "owned"],
        &["list", "task", "--json"],
    ];
    for words in commands {
        let text = stdout(&sample.run(words));
        let hostile =
            |letter: &char| (letter.is_control() && *letter != '\n') || *letter == '\u{202e}';
        assert_eq!(text.chars().find(hostile), None, "{words:?}: {text:?}");
    }
}

#[test]
fn without_a_terminal_nobody_is_asked() {
    let sample = Sample::new();
    sample.run(&["add", "task", "Short-lived"]);
    let output = sample.run(&["delete", "1"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(code(&sample.run(&["get", "1"])), 4);
}

#[test]
fn errors_as_json_go_to_standard_error() {
    let sample = Sample::new();
    let output = sample.run(&["get", "404", "--json"]);
    assert_eq!(code(&output), 4);
    assert_eq!(stdout(&output), "");
    let error: Json = serde_json::from_str(&stderr(&output)).unwrap();
    assert_eq!(error["error"]["error_type"], "EntityNotFound");

    let output = sample.run(&["lst", "task", "--json"]);
    assert_eq!(code(&output), 2);
    let error: Json = serde_json::from_str(&stderr(&output)).unwrap();
    assert_eq!(error["error"]["error_type"], "InvalidParams");
    assert!(error["error"]["hint"].as_str().unwrap().contains("'list'"));
}

#[test]
fn a_slip_in_a_word_gets_a_suggestion() {
    let output = Sample::bare().run(&["taks", "next"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("'tasks'"), "{}", stderr(&output));
}

#[test]
fn a_wrong_setting_is_named() {
    let sample = Sample::new();
    let output = sample
        .command(&["list", "task"])
        .env("WINDLASS_MAX_BATCH_SIZE", "lots")
        .output()
        .unwrap();
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("WINDLASS_MAX_BATCH_SIZE"));
}

#[test]
fn works_from_elsewhere() {
    let sample = Sample::new();
    sample.run(&["add", "note", "From afar"]);
    let elsewhere = Sample::bare();
    let root = sample.path().to_str().unwrap();
    for words in [
        ["-C", root, "list", "note"],
        ["list", "note", "--cwd", root],
    ] {
        assert!(stdout(&elsewhere.run(&words)).contains("From afar"));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Sample::bare()
        .command(&["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
}

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = Sample::bare().run(&["completions", shell]);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).contains("tasks"), "{shell}");
    }
}

#[test]
fn help_and_version_need_no_project() {
    let sample = Sample::bare();
    for words in [
        &["--version"][..],
        &["--help"],
        &["help", "exit-codes"],
        &["exit-codes"],
    ] {
        let output = sample.run(words);
        assert_eq!(code(&output), 0, "{words:?}");
        assert!(!output.stdout.is_empty(), "{words:?}");
    }
    assert_eq!(code(&sample.run(&[])), 2);
}
