//! Commands and jobs through real clients, with real runners.

use std::process::Command;

use crate::clients::{Ended, inspector, run_script_in, state_home_variable};
use crate::repository::Repository;

const MAKEFILE: &str = "\
build: ## Build it
\t@echo building; echo built
test:
\t@echo make tests
deploy:
\t@touch deployed
fail:
\t@echo broken >&2; exit 3
long:
\t@echo ready; exec sleep 600
stubborn:
\t@trap '' TERM; echo up; while :; do sleep 0.2; done
streams:
\t@echo out; echo err >&2; echo out
ticks:
\t@for i in 1 2 3 4 5; do echo tick $$i; sleep 0.2; done
slow:
\t@echo begun; sleep 1.3; echo over
waiting:
\t@echo $$$$ > pid-of-waiting; exec sleep 600
";

/// Scripts may use variables of the caller; a makefile that does so refuses them.
const LINES: &str = "#!/bin/sh\nseq -f 'this is line %.0f' 1 \"$LINES\"\n";
const SERVE: &str = "#!/bin/sh\nexec python3 -m http.server --bind 127.0.0.1 \"$PORT\"\n";

const PACKAGE: &str = r#"{
  "name": "sample",
  "scripts": {
    "test": "echo npm tests",
    "words": "node words.js"
  }
}
"#;

const WORDS: &str = "\
console.log(JSON.stringify([...process.argv.slice(2), process.env.NODE_ENV]));
";

const JUSTFILE: &str = "\
test:
    @echo just tests

hello name:
    @echo hello {{name}}

wait-for word:
    @exec sleep 600
";

const TASKFILE: &str = "version: '3'\ntasks:\n  lint:\n    cmds: [touch linted]\n";

const ALLOWLIST: &str = r#"
[[entries]]
path = "ROOT"
scope = "Directory"

[[entries]]
path = "ROOT/Makefile"
scope = "Deny"
tasks = ["deploy"]
"#;

fn repository() -> Repository {
    let repository = Repository::new(&[
        ("Makefile", MAKEFILE),
        ("package.json", PACKAGE),
        ("words.js", WORDS),
        ("lines.sh", LINES),
        ("serve.sh", SERVE),
        ("justfile", JUSTFILE),
        ("Taskfile.yml", TASKFILE),
        (".windlass/config.toml", "[commands]\ngrace_seconds = 1\n"),
    ]);
    repository.set_allowlist(ALLOWLIST);
    repository
}

#[test]
fn checklist_legacy() {
    run_script_in(&repository().root, "commands.py", "legacy", &[]);
}

#[test]
fn checklist_modern() {
    run_script_in(&repository().root, "commands.py", "auto", &[]);
}

#[test]
fn inspector_lists_and_starts() {
    let Some(inspector) = inspector() else { return };
    let repository = repository();
    let inspect = |tool: &str, input: &str| {
        let mut command = Command::new(&inspector);
        command
            .args(["--cli", "--quiet", "--method", "tools/call"])
            .args(["--tool-name", tool, "--tool-args-json", input])
            .args(["--format", "json", "-e"])
            .arg(format!(
                "XDG_CONFIG_HOME={}",
                repository.base().join("config").display()
            ))
            .arg("-e")
            .arg(state_home_variable())
            .args(["--", env!("CARGO_BIN_EXE_windlass"), "mcp"])
            .current_dir(&repository.root);
        let ended = Ended::of(command);
        let answer = ended.json();
        (answer["result"]["structuredContent"].clone(), ended)
    };
    let (answer, ended) = inspect("list_tasks", r#"{"runner": "make"}"#);
    let tasks = answer["tasks"]
        .as_array()
        .unwrap_or_else(|| panic!("{ended}"));
    assert!(tasks.iter().any(|task| task["unique_name"] == "test-m"));
    let (answer, ended) = inspect("task_start", r#"{"unique_name": "build"}"#);
    assert_eq!(answer["state"], "exited", "{ended}");
    assert_eq!(answer["initial_output"], "building\nbuilt\n", "{ended}");
}

/// At a terminal there is no protocol, and so no era.
#[test]
fn people_at_a_terminal() {
    let repository =
        Repository::new(&[(".windlass/config.toml", "[commands]\ngrace_seconds = 0.3\n")]);
    run_script_in(&repository.root, "people.py", "legacy", &[]);
}
