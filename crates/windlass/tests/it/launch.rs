//! `windlass session launch` with a client of the tests' own: it gets the configuration, connects
//! back, closes the task, and leaves nothing claimed, however it ends.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::sample::{self, Sample};
use crate::server::Server;

/// A client that speaks MCP by hand: it starts the server that its configuration names.
const CLIENT: &str = r#"
import json, os, subprocess, sys, time
config = json.load(open(sys.argv[1]))
server = config["mcpServers"]["windlass"]
process = subprocess.Popen([server["command"], *server["args"]], stdin=subprocess.PIPE,
    stdout=subprocess.PIPE, text=True)
number = 0
def request(method, **params):
    global number
    number += 1
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())["result"]
request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "own", "version": "1"})
tools = [tool["name"] for tool in request("tools/list")["tools"]]
json.dump({"tools": tools, "session": os.environ["WINDLASS_SESSION"], "prompt": sys.argv[2]}, open("seen.json", "w"))
for verb, arguments in json.loads(sys.argv[3]):
    request("tools/call", name=verb, arguments=arguments)
open("almost", "w").write(str(os.getpid()))
os.rename("almost", "ready")
if len(sys.argv) > 4:
    time.sleep(60)
process.stdin.close()
process.wait()
sys.exit(7)
"#;

/// A client that is not logged in: it ends before it connects.
const NOT_LOGGED_IN: &str = "echo 'Not logged in'; echo 'Please run /login' >&2; exit 1";

fn with_client() -> (Sample, PathBuf) {
    let sample = sample::filled();
    let client = sample.folder.path().join("client.py");
    std::fs::write(&client, format!("#!/usr/bin/env python3{CLIENT}")).expect("written");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&client, mode).expect("made executable");
    (sample, client)
}

fn launch(sample: &Sample, client: &Path, said: &Json, more: &[&str]) -> Command {
    let mut command = sample::windlass();
    command
        .arg("--cwd")
        .arg(sample.folder.path())
        .args(["--json", "session", "launch", "--recipe", "focus"])
        .env("XDG_CONFIG_HOME", sample.config.path())
        .args(["--task", "6", "--"])
        .arg(client)
        .args(["{config}", "{prompt}", &said.to_string()])
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The lines of JSON that were printed.
fn lines(output: &Output) -> Vec<Json> {
    let error = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line} {error}"));
    text.lines().map(line).collect()
}

/// The last one: the session as it ended.
fn answer(output: &Output) -> Json {
    let error = String::from_utf8_lossy(&output.stderr);
    lines(output).pop().unwrap_or_else(|| panic!("{error}"))
}

/// Where the task stands, and who holds it.
fn task(sample: &Sample) -> (String, Option<String>) {
    sample
        .store()
        .read(None, |reader| {
            let task = reader.named("id", "6")?;
            let claim = reader.claim_of(&task.id)?;
            let status = task.status().unwrap_or_default().to_owned();
            Ok((status, claim.map(|(owner, _)| owner)))
        })
        .expect("read")
}

#[test]
fn a_client_connects_back_and_closes_its_task() {
    let (sample, client) = with_client();
    let said = json!([["done", {"summary": "Logged in"}]]);
    let output = launch(&sample, &client, &said, &[]).output().expect("run");
    assert_eq!(output.status.code(), Some(0), "the work is done");
    let session = answer(&output);
    assert_eq!(session["status"], "ended");
    assert_eq!(session["closing"], "done");
    assert_eq!(session["exit_code"], 7, "the client's own exit code");
    assert_eq!(task(&sample), ("done".to_owned(), None));
    let seen = std::fs::read(sample.folder.path().join("seen.json")).expect("seen");
    let seen: Json = serde_json::from_slice(&seen).expect("JSON");
    assert_eq!(seen["session"], session["id"]);
    assert_eq!(seen["tools"].as_array().map(Vec::len), Some(15));
    let prompt = seen["prompt"].as_str().expect("a prompt");
    assert!(prompt.contains("Log in with a password"), "{prompt}");
}

#[test]
fn work_that_gates_check_goes_into_review() {
    let (sample, client) = with_client();
    let gate = windlass_core::workflow::GateDefinition::new("notes", "test -f seen.json");
    sample::add_gate(&sample, &gate);
    let said = json!([["done", {"summary": "Logged in"}]]);
    let output = launch(&sample, &client, &said, &[]).output().expect("run");
    assert_eq!(answer(&output)["closing"], "done");
    assert_eq!(task(&sample).0, "in_review");
    let review = sample
        .store()
        .read(None, |reader| {
            let task = reader.named("id", "6")?;
            reader.active_review(&task.id)
        })
        .expect("read")
        .expect("a review");
    assert_eq!(review.status.name(), "agent_pending", "its gate has passed");
}

#[test]
fn failed_gates_are_no_success_and_the_next_session_goes_on() {
    let (sample, client) = with_client();
    let gate = windlass_core::workflow::GateDefinition::new("ready", "test -f fixed");
    sample::add_gate(&sample, &gate);
    let said = json!([["done", {"summary": "Logged in"}]]);
    let output = launch(&sample, &client, &said, &[]).output().expect("run");
    assert_eq!(output.status.code(), Some(13), "stuck, not done");
    assert_eq!(answer(&output)["closing"], "stuck");
    assert_eq!(task(&sample), ("pending".to_owned(), None));
    std::fs::write(sample.folder.path().join("fixed"), "").expect("written");
    let output = launch(&sample, &client, &said, &[]).output().expect("run");
    assert_eq!(answer(&output)["closing"], "done");
    let review = sample
        .store()
        .read(None, |reader| {
            let task = reader.named("id", "6")?;
            reader.active_review(&task.id)
        })
        .expect("read")
        .expect("a review");
    assert_eq!((review.number, review.round), (1, 2), "the same review");
    assert_eq!(review.status.name(), "agent_pending");
    assert_eq!(
        (review.actor.as_str(), &review.session[..8]),
        ("agent", "focus-6-")
    );
    let prompt = std::fs::read_to_string(sample.folder.path().join("seen.json")).expect("seen");
    assert!(
        prompt.contains("Gate ready failed"),
        "its briefing says why: {prompt}"
    );
}

#[test]
fn a_killed_client_leaves_nothing_claimed() {
    let (sample, client) = with_client();
    let said = json!([["flag", {"what": "odd", "severity": "info", "category": "bug"}]]);
    let child = launch(&sample, &client, &said, &["wait"])
        .spawn()
        .expect("started");
    let ready = sample.folder.path().join("ready");
    let begin = Instant::now();
    while !ready.exists() {
        assert!(
            begin.elapsed() < Duration::from_secs(20),
            "the client came up"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let (_, owner) = task(&sample);
    assert!(owner.is_some_and(|owner| owner.starts_with("focus-6-")));
    let pid = std::fs::read_to_string(&ready).expect("a PID");
    let killed = Command::new("kill").args(["-9", &pid]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(13), "stuck");
    let session = answer(&output);
    assert_eq!(session["status"], "ended");
    assert_eq!(session["closing"], "stuck", "it said nothing about its end");
    let (status, owner) = task(&sample);
    assert_eq!((status.as_str(), owner), ("pending", None));
}

#[test]
fn three_times_stuck_waits_for_a_person() {
    let (sample, client) = with_client();
    let said = json!([["learned", {"text": "It is hard", "kind": "discovery"}]]);
    for (attempt, expected, code) in [
        (1, "pending", 13),
        (2, "pending", 13),
        (3, "awaiting_human", 6),
    ] {
        let output = launch(&sample, &client, &said, &[]).output().expect("run");
        assert_eq!(
            answer(&output)["closing"],
            "stuck",
            "no closing word is stuck"
        );
        assert_eq!(task(&sample).0, expected, "after {attempt}");
        assert_eq!(output.status.code(), Some(code), "after {attempt}");
        std::thread::sleep(Duration::from_millis(5));
    }
    let asked = sample
        .store()
        .read(None, |reader| {
            let task = reader.named("id", "6")?;
            reader.active_help(&task.id)
        })
        .expect("read")
        .expect("a person is asked");
    assert!(asked.reason.starts_with("3 sessions in a row"), "{asked:?}");
}

#[test]
fn a_client_that_never_came_to_work_has_not_been_stuck() {
    let (sample, client) = with_client();
    let shell = Path::new("/bin/sh");
    for attempt in 1..=4 {
        let output = if attempt == 4 {
            // It connects, but fails before its first call, as some do that are not logged in.
            launch(&sample, &client, &json!([]), &[]).output()
        } else {
            let mut command = launch(&sample, shell, &json!([]), &[]);
            command = with_arguments(&command, &["-c", NOT_LOGGED_IN, "{config}"]);
            command.output()
        };
        let output = output.expect("run");
        assert_eq!(output.status.code(), Some(14), "attempt {attempt}");
        let session = answer(&output);
        assert_eq!(session["closing"], Json::Null, "attempt {attempt}");
        assert_eq!(session["outcome"], "client_failed");
        assert_eq!(task(&sample), ("pending".to_owned(), None));
        if attempt < 4 {
            let expected = json!(["Not logged in", "Please run /login"]);
            let mut said = session["last_lines"].as_array().cloned().expect("lines");
            said.sort_by_key(ToString::to_string);
            assert_eq!(Json::from(said), expected);
        }
    }
    let asked = sample.store().read(None, |reader| {
        let task = reader.named("id", "6")?;
        reader.active_help(&task.id)
    });
    assert_eq!(asked.expect("read"), None, "no person is asked");
}

/// The same launch with another client.
fn with_arguments(command: &Command, client: &[&str]) -> Command {
    let words: Vec<_> = command.get_args().collect();
    let end = words
        .iter()
        .position(|word| *word == "--")
        .expect("a client");
    let mut other = Command::new(command.get_program());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    other
        .args(&words[..end + 2])
        .args(client)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    other
}

#[test]
fn what_happens_is_shown_as_it_comes() {
    let (sample, client) = with_client();
    let gate = windlass_core::workflow::GateDefinition::new("notes", "test -f seen.json");
    sample::add_gate(&sample, &gate);
    let said = json!([
        ["ask", {"question": "Which database?", "blocking": false}],
        ["done", {"summary": "Logged in"}],
    ]);
    let output = launch(&sample, &client, &said, &[]).output().expect("run");
    let lines = lines(&output);
    let texts: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["text"].as_str())
        .map(|text| text.split(" (").next().unwrap_or(text))
        .collect();
    for expected in [
        "ask: Which database?",
        "call ask",
        "call done",
        "gate notes started",
        "gate notes passed",
    ] {
        assert!(texts.contains(&expected), "{expected} in {texts:?}");
    }
    let done = texts.iter().any(|text| text.starts_with("done: "));
    assert!(done, "{texts:?}");
    assert_eq!(lines[0]["event"], "started");
    assert!(lines.iter().all(|line| line["task"] == 6), "{lines:?}");
    assert_eq!(answer(&output)["calls"], 2);
}

#[test]
fn a_client_that_cannot_start_ends_the_session() {
    let (sample, _) = with_client();
    let missing = Path::new("/nonexistent/client");
    let output = launch(&sample, missing, &json!([]), &[])
        .output()
        .expect("run");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("cannot be started"), "{error}");
    assert_eq!(
        task(&sample),
        ("pending".to_owned(), None),
        "the claim is given back"
    );
    let sessions = sample
        .store()
        .read(None, |reader| {
            reader.sessions(false, windlass_core::Page::default())
        })
        .expect("read")
        .0;
    let ended = sessions.iter().find(|one| one.id.starts_with("focus-6-"));
    assert_eq!(ended.expect("on record").closing, None, "it never began");
}

#[test]
fn a_session_holds_its_task_while_it_is_served() {
    let sample = sample::filled();
    let start = |words: &[&str]| {
        sample::windlass()
            .arg("--cwd")
            .arg(sample.folder.path())
            .args(["--json", "session", "start"])
            .args(words)
            .output()
            .expect("run")
    };
    let started = answer(&start(&["--recipe", "focus", "--task", "6"]));
    let id = started["session"]["id"].as_str().expect("an id").to_owned();
    let mut server = Server::of_session(sample.folder.path(), &id);
    assert_eq!(task(&sample).1, Some(id.clone()));
    let refused = start(&["--recipe", "task_execution", "--task", "6"]);
    assert_eq!(refused.status.code(), Some(5), "claimed by another");
    server.ok(
        "partial",
        json!({"summary": "Half", "remaining": "The rest"}),
    );
    assert_eq!(task(&sample), ("pending".to_owned(), None), "at once");
    server.hang_up();
    let session = || {
        sample
            .store()
            .read(None, |reader| reader.session(&id))
            .expect("there")
    };
    let begin = Instant::now();
    while !session().has_ended() {
        assert!(begin.elapsed() < Duration::from_secs(10), "it ends");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(session().closing.as_deref(), Some("partial"));
}

#[test]
fn the_same_state_gives_the_same_files() {
    let sample = sample::filled();
    let files = || {
        let output = sample::windlass()
            .arg("--cwd")
            .arg(sample.folder.path())
            .args(["--json", "session", "start", "--recipe", "yap"])
            .output()
            .expect("run");
        let started = answer(&output);
        let id = started["session"]["id"].as_str().expect("an id").to_owned();
        ["context_path", "config_path"].map(|name| {
            let path = started[name].as_str().expect("a path");
            let text = std::fs::read_to_string(path).expect("read");
            text.replace(&id, "ID")
        })
    };
    assert_eq!(files(), files());
}
