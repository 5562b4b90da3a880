//! `windlass session launch` with `--loop` and `--parallel`, and how it stops.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::setup::Bench;

/// A client with a real MCP exchange: it calls what the file `calls.json` of its folder says, or
/// done, and writes a file for tasks that are called so.
const CLIENT: &str = r#"#!/usr/bin/env python3
import json, os, subprocess, sys, time
server = json.load(open(sys.argv[1]))["mcpServers"]["windlass"]
process = subprocess.Popen([server["command"], *server["args"]], stdin=subprocess.PIPE,
    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
number = 0
def request(method, **params):
    global number
    number += 1
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())["result"]
request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "own", "version": "1"})
prompt = sys.argv[2]
print("in", os.getcwd())
if "Write a file" in prompt:
    open("made.txt", "w").write("made")
if "Sleep" in prompt:
    child = subprocess.Popen(["sleep", "300"], start_new_session=True)
    open(os.path.join(sys.argv[3], "ready"), "w").write(str(child.pid))
    time.sleep(300)
if "Ask first" in prompt:
    request("tools/call", name="ask", arguments={"question": "Which?", "blocking": True})
    request("tools/call", name="partial", arguments={"summary": "Asked", "remaining": "All"})
else:
    request("tools/call", name="done", arguments={"summary": "Made"})
process.stdin.close()
process.wait()
"#;

pub fn bench(tasks: &[&str]) -> Bench {
    let bench = Bench::new();
    let client = bench.write("client.py", CLIENT);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(client, mode).unwrap();
    for task in tasks {
        assert!(bench.run(&["add", task]).status.success());
    }
    bench
}

pub fn launch(bench: &Bench, options: &[&str]) -> Command {
    let (client, folder) = (bench.path("client.py"), bench.path(""));
    let client = [&client.display().to_string(), "{config}", "{prompt}"];
    let words = [
        &["--json", "session", "launch"],
        options,
        &["--"],
        &client[..],
    ]
    .concat();
    let mut command = bench.command(&words);
    command.arg(folder);
    command
}

fn lines(output: &Output) -> Vec<Json> {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The tasks of the sessions that ended, with how.
pub fn ended(output: &Output) -> Vec<(i64, String)> {
    let lines = lines(output);
    let ended = lines.iter().filter(|line| line["event"] == "ended");
    let mut ended: Vec<_> = ended
        .map(|line| {
            let outcome = line["outcome"].as_str().unwrap().to_owned();
            (line["task"].as_i64().unwrap(), outcome)
        })
        .collect();
    ended.sort();
    ended
}

pub fn outcomes(expected: &[(i64, &str)]) -> Vec<(i64, String)> {
    let expected = expected.iter();
    expected
        .map(|(task, how)| (*task, (*how).to_owned()))
        .collect()
}

fn git(bench: &Bench, words: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(words)
        .current_dir(bench.project())
        .output()
        .unwrap();
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_loop_ends_when_nothing_is_ready() {
    let bench = bench(&["One", "Two", "Three"]);
    let output = launch(&bench, &["--loop", "2"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(ended(&output), outcomes(&[(1, "done"), (2, "done")]));
    let output = launch(&bench, &["--loop", "9"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(ended(&output), outcomes(&[(3, "done")]));
    let output = launch(&bench, &["--loop", "9"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "nothing to do");
    assert!(output.stdout.is_empty());
}

#[test]
fn the_loop_stops_when_a_person_is_asked() {
    let bench = bench(&["Ask first", "Two"]);
    let output = launch(&bench, &["--loop", "9"]).output().unwrap();
    assert_eq!(output.status.code(), Some(6));
    assert_eq!(ended(&output), outcomes(&[(1, "asked")]));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("Task 1 waits for an answer"), "{error}");
}

#[test]
fn worktrees_without_work_go_and_others_stay_with_their_branch() {
    let bench = bench(&["Write a file", "Two", "Three"]);
    git(&bench, &["init", "--quiet"]);
    git(&bench, &["add", "--all"]);
    git(&bench, &["commit", "--quiet", "--message", "Begin"]);
    let output = launch(&bench, &["--loop", "3", "--parallel", "2"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    let all = [(1, "done"), (2, "done"), (3, "done")];
    assert_eq!(ended(&output), outcomes(&all));
    let folders: Vec<String> = lines(&output)
        .iter()
        .filter(|line| line["stream"] == "stdout")
        .map(|line| line["text"].as_str().unwrap().to_owned())
        .collect();
    let worktrees = "project/.windlass/state/worktrees/";
    assert!(
        folders.iter().all(|it| it.contains(worktrees)),
        "{folders:?}"
    );
    // Nothing was changed here, and one worktree is left.
    assert!(!bench.path("project/made.txt").exists());
    assert_eq!(git(&bench, &["status", "--porcelain"]), "");
    let left = git(&bench, &["worktree", "list", "--porcelain"]);
    assert_eq!(left.matches("worktree ").count(), 2, "{left}");
    let branch = git(
        &bench,
        &[
            "branch",
            "--list",
            "windlass/*",
            "--format=%(refname:short)",
        ],
    );
    assert!(
        error.contains(&format!("Work was left on branch {}", branch.trim())),
        "{error}"
    );
    let folder = left
        .lines()
        .filter_map(|line| line.strip_prefix("worktree "))
        .next_back();
    assert!(Path::new(folder.unwrap()).join("made.txt").exists());
}

#[test]
fn filters_of_the_repository_do_not_run_for_a_worktree() {
    let bench = bench(&["Write a file", "Two"]);
    git(&bench, &["init", "--quiet"]);
    fs::write(bench.path("project/.gitattributes"), "* filter=x\n").unwrap();
    git(&bench, &["add", "--all"]);
    git(&bench, &["commit", "--quiet", "--message", "Begin"]);
    let canary = bench.path("canary");
    let program = format!("touch {}; cat", canary.display());
    for name in ["filter.x.smudge", "filter.x.clean"] {
        git(&bench, &["config", name, &program]);
    }
    let output = launch(&bench, &["--loop", "2", "--parallel", "2"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(!canary.exists());
}

#[test]
fn parallel_sessions_need_a_git_repository() {
    let bench = bench(&["One"]);
    let output = launch(&bench, &["--parallel", "2"]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(10), "{error}");
    assert!(error.contains("needs a git repository"), "{error}");
}

#[test]
fn a_signal_stops_the_clients_whole_tree_and_frees_the_task() {
    let bench = bench(&["Sleep"]);
    let child = launch(&bench, &["--task", "1"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let ready = bench.path("ready");
    let begin = Instant::now();
    let pid = loop {
        match fs::read_to_string(&ready) {
            Ok(pid) if !pid.is_empty() => break pid,
            _ => {
                assert!(begin.elapsed() < Duration::from_secs(20));
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    };
    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(ended(&output), outcomes(&[(1, "interrupted")]));
    assert!(!Path::new("/proc").join(&pid).exists(), "its child is gone");
    let output = bench.run(&["--json", "show", "1"]);
    let task: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(task["claimed_by"], Json::Null, "{task}");
    let output = bench.run(&["--json", "session", "list", "--open"]);
    let open: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(open["total"], 0);
}
