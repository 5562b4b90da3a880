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
        let mut command = crate::sample::windlass();
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
    assert!(first.contains("windlass add 'Write the README'"), "{first}");
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
    assert!(
        error["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("'windlass list'")
    );
}

#[test]
fn a_slip_in_a_word_gets_a_suggestion() {
    let output = Sample::bare().run(&["taks", "next"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("'windlass tasks'"),
        "{}",
        stderr(&output)
    );
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
        assert!(stdout(&output).contains("COMPLETE"), "{shell}");
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
}

#[test]
fn alone_it_says_where_one_is() {
    let outside = Sample::bare().run(&[]);
    assert_eq!(code(&outside), 0);
    insta::assert_snapshot!(stdout(&outside), @r"
    Windlass keeps a repository's plan and memory for people and coding agents.
    There is no project here yet.

      windlass init           make this folder a project
      windlass setup CLIENT   connect an agent: claude-code, cursor, codex, gemini …
      windlass help           see all commands
    ");
    let sample = Sample::new();
    sample.run(&["add", "Water the plants"]);
    let inside = sample.run(&[]);
    assert_eq!(code(&inside), 0, "{}", stderr(&inside));
    assert!(
        stdout(&inside).contains("Water the plants"),
        "{}",
        stdout(&inside)
    );
    assert_eq!(stdout(&inside), stdout(&sample.run(&["status"])));
}

#[test]
fn help_is_the_same_by_both_words() {
    let sample = Sample::bare();
    let help = stdout(&sample.run(&["help"]));
    assert_eq!(help, stdout(&sample.run(&["--help"])));
    assert!(stdout(&sample.run(&["help", "review"])).contains("reviews request-changes"));
    assert!(stdout(&sample.run(&["help", "every-day"])).contains("status"));
    let of_command = stdout(&sample.run(&["help", "tasks", "create"]));
    assert_eq!(
        of_command,
        stdout(&sample.run(&["tasks", "create", "--help"]))
    );
    let unknown = sample.run(&["help", "todo"]);
    assert_eq!(code(&unknown), 2);
    assert!(
        stderr(&unknown).contains("windlass ready"),
        "{}",
        stderr(&unknown)
    );
}

#[test]
fn a_word_of_another_program_gets_what_stands_for_it() {
    let sample = Sample::new();
    for (words, instead) in [
        (&["finish", "3"][..], "windlass done N"),
        (&["todo"], "windlass ready"),
        (&["approve", "1"], "windlass reviews approve N"),
        (&["call", "task_nxt"], "Did you mean 'task_next'?"),
    ] {
        let output = sample.run(words);
        assert_eq!(code(&output), 2, "{words:?}");
        assert!(stderr(&output).contains(instead), "{}", stderr(&output));
    }
}

#[test]
fn several_ids_go_on_after_one_that_fails() {
    let sample = Sample::new();
    for title in ["One", "Two", "Three"] {
        sample.run(&["add", title]);
    }
    let output = sample.run(&["done", "1", "99", "3"]);
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    assert!(stderr(&output).contains("99"), "{}", stderr(&output));
    insta::assert_snapshot!(stdout(&output), @r"
    Done #1 One
    Done #3 Three
    ");
    let shown = sample.run(&["show", "1", "2", "99", "--json"]);
    assert_eq!(code(&shown), 4);
    let shown: Json = serde_json::from_str(&stdout(&shown)).unwrap();
    assert_eq!(shown["results"][0]["result"]["status"], "done");
    assert_eq!(shown["results"][1]["result"]["status"], "pending");
    assert_eq!(shown["results"][2]["error"]["error_type"], "EntityNotFound");
}

#[test]
fn a_task_is_added_with_or_without_its_type() {
    let sample = Sample::new();
    std::fs::write(sample.path().join("why.md"), "Because.\n").unwrap();
    let output = sample.run(&["add", "Plain", "--priority", "critical", "--tag", "a,b"]);
    assert_eq!(
        stdout(&output),
        "Added #1 Plain  task\n",
        "{}",
        stderr(&output)
    );
    sample.run(&["new", "task", "Typed", "--description", "@why.md"]);
    let output = sample.run_with_input(&["add", "note", "Piped", "--content", "-"], "From a pipe");
    assert_eq!(
        stdout(&output),
        "Added #3 Piped  note\n",
        "{}",
        stderr(&output)
    );
    let first = sample.json(&["show", "1"]);
    assert_eq!(
        (&first["priority"], &first["tags"]),
        (&json!("urgent"), &json!(["a", "b"]))
    );
    assert_eq!(sample.json(&["show", "2"])["description"], "Because.\n");
    assert_eq!(sample.json(&["show", "3"])["description"], "From a pipe");
}

/// People read one set of words; the knowledge tools keep theirs in JSON.
#[test]
fn every_list_shows_the_canonical_words() {
    let sample = Sample::new();
    sample.run(&["add", "Sketch", "--status", "draft"]);
    sample.run(&["add", "Wait", "--blocked-by", "1"]);
    for words in [
        &["list", "task"][..],
        &["get", "1"],
        &["show", "1"],
        &["tasks", "list"],
        &["search", "Sketch"],
        &["query", "type:task Sketch"],
        &["tasks", "blocked"],
    ] {
        let text = stdout(&sample.run(words));
        assert!(
            text.contains("draft") && !text.contains("todo"),
            "{words:?}: {text}"
        );
    }
    assert_eq!(sample.json(&["get", "1"])["properties"]["status"], "todo");
}

#[test]
fn the_log_names_things() {
    let sample = Sample::new();
    sample.run(&["add", "Water the plants"]);
    sample.run(&["start", "1"]);
    let log = stdout(&sample.run(&["log"]));
    assert!(
        log.lines()
            .skip(1)
            .all(|line| line.contains("#1 Water the plants")),
        "{log}"
    );
    assert_eq!(log, stdout(&sample.run(&["log", "1"])));
    let first = &sample.json(&["log", "1", "--after", "0"])["events"][0];
    assert_eq!(
        (&first["entity_number"], &first["entity_title"]),
        (&json!(1), &json!("Water the plants"))
    );
}

/// An editor that does to the file what a `sed` script says.
fn editor(script: &str) -> String {
    format!("sed -i -e '{script}'")
}

#[test]
fn editing_changes_only_what_differs() {
    let sample = Sample::new();
    sample.run(&["add", "Water the plants", "--priority", "high"]);
    sample.run(&["add", "decision", "Use tap water"]);
    let edit = |id: &str, script: &str| {
        let mut command = sample.command(&["edit", id]);
        command.env("VISUAL", editor(script)).output().unwrap()
    };
    let same = edit("1", "");
    assert_eq!(
        (code(&same), stderr(&same).as_str()),
        (0, "Nothing changed.\n")
    );
    let output = edit(
        "1",
        "s/plants/trees/; s/^priority = \"high\"/priority = \"low\"/; $ a\\\nBoth of them.",
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let task = sample.json(&["show", "1"]);
    assert_eq!(task["title"], "Water the trees");
    assert_eq!(
        (&task["priority"], &task["description"]),
        (&json!("low"), &json!("Both of them."))
    );
    let events = sample.json(&["log", "1", "--type", "entity.updated", "--limit", "1"]);
    let changes = events["events"][0]["payload"]["changes"]
        .as_object()
        .unwrap()
        .clone();
    assert_eq!(changes.len(), 3, "{changes:?}");
    let output = edit("2", "s/proposed/accepted/");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(sample.json(&["show", "2"])["status"], "accepted");
    let output = edit("1", "s/^priority = .*/priority = \"soon\"/");
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let kept = stderr(&output);
    let kept = kept
        .split("kept in ")
        .nth(1)
        .unwrap()
        .trim_end()
        .trim_end_matches('.')
        .to_owned();
    assert!(
        std::fs::read_to_string(&kept)
            .unwrap()
            .contains("priority = \"soon\"")
    );
    std::fs::remove_file(kept).unwrap();
}

#[test]
fn settings_are_read_set_and_checked() {
    let sample = Sample::new();
    let file = sample.path().join(".windlass/config.toml");
    std::fs::write(&file, "# Ours\n[commands]\nmax_jobs = 4 # enough\n").unwrap();
    let one = sample.json(&["config", "get", "commands.max_jobs"]);
    assert_eq!(
        (&one["value"], &one["source"]),
        (&json!(4), &json!(".windlass/config.toml"))
    );
    assert_eq!(
        code(&sample.run(&["config", "set", "commands.max_jobs", "8"])),
        0
    );
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, "# Ours\n[commands]\nmax_jobs = 8 # enough\n");
    let output = sample.run(&["config", "set", "max_jobs", "8"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("commands.max_jobs"),
        "{}",
        stderr(&output)
    );
    assert_eq!(
        code(&sample.run(&["config", "set", "commands.max_jobs", "0"])),
        3
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    let output = sample.run(&["config", "set", "runs.adhoc", "true"]);
    assert!(stdout(&output).contains("windlass allow .windlass/config.toml"));
    let mut list = sample.command(&["config", "list"]);
    let list = stdout(&list.env("WINDLASS_SESSION", "night").output().unwrap());
    assert!(
        list.contains("WINDLASS_SESSION") && list.contains("night"),
        "{list}"
    );
}

#[test]
fn completions_know_the_project_and_make_nothing() {
    let sample = Sample::new();
    sample.run(&["add", "Water the plants"]);
    let complete = |sample: &Sample, words: &[&str]| {
        let mut command = sample.command(&["--", "windlass"]);
        command.args(words).env("COMPLETE", "fish");
        let output = command.output().unwrap();
        assert_eq!(
            (code(&output), stderr(&output)),
            (0, String::new()),
            "{words:?}"
        );
        stdout(&output)
    };
    for (words, expected) in [
        (&["show", ""][..], "1\tWater the plants"),
        (&["done", ""], "1\tWater the plants"),
        (&["tasks", "sta"], "status\t"),
        (
            &["tasks", "list", "--status", "todo,in_"],
            "todo,in_progress",
        ),
        (&["add", "--priority", "ur"], "urgent"),
        (&["call", "task_n"], "task_next\t"),
        (&["call", "task_claim", "--le"], "--lease-seconds"),
        (&["config", "get", "commands.max"], "commands.max_jobs\t"),
        (&["session", "start", "--recipe", "fo"], "focus"),
    ] {
        let offered = complete(&sample, words);
        assert!(offered.contains(expected), "{words:?}: {offered}");
    }
    let bare = Sample::bare();
    let offered = complete(&bare, &["show", ""]);
    assert!(
        offered.lines().all(|line| line.starts_with("--")),
        "{offered}"
    );
    assert!(complete(&bare, &["ta"]).contains("tasks"));
    assert_eq!(std::fs::read_dir(bare.path()).unwrap().count(), 0);
}

#[test]
fn man_pages_come_from_the_tree() {
    let sample = Sample::bare();
    let page = stdout(&sample.run(&["man", "tasks", "list"]));
    assert!(
        page.contains(".TH") && page.contains("\\-\\-status"),
        "{page}"
    );
    let written = sample.json(&["man", "--out", "pages"]);
    let pages = written["pages"].as_array().unwrap();
    assert!(
        pages.contains(&json!("windlass.1")) && pages.contains(&json!("windlass-tasks-list.1"))
    );
    assert_eq!(
        std::fs::read_dir(sample.path().join("pages"))
            .unwrap()
            .count(),
        pages.len()
    );
}

#[test]
fn a_batch_of_which_a_part_failed_has_its_own_exit_code() {
    let sample = crate::sample::filled();
    let batch = |operations: &str| {
        crate::sample::windlass()
            .arg("--cwd")
            .arg(sample.folder.path())
            .args(["batch", operations])
            .output()
            .expect("started")
    };
    let create = r#"{"op": "create", "type": "task", "title": "One"}"#;
    let whole = batch(&format!("[{create}]"));
    assert_eq!(whole.status.code(), Some(0), "{whole:?}");
    let part = batch(&format!(r#"[{create}, {{"op": "delete", "id": "999"}}]"#));
    assert_eq!(part.status.code(), Some(11), "{part:?}");
    let told = String::from_utf8_lossy(&part.stdout).into_owned();
    assert!(told.contains("1 succeeded, 1 failed"), "{told}");
}
