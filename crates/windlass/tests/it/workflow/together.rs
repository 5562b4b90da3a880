//! Several processes on one lifecycle, and one that is killed in the middle.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::{eventually, gate, processes_with, project, review_status, started};
use crate::server::Server;

fn lines(file: &std::path::Path) -> usize {
    fs::read_to_string(file).unwrap_or_default().lines().count()
}

/// A server is killed while a gate runs; another process runs it again, as the same attempt.
#[test]
fn a_killed_server_leaves_its_gates_to_the_next() {
    let mark = format!("602.{}", std::process::id());
    let command = format!(
        "echo $WINDLASS_ATTEMPT >> runs; sleep {mark} & while ! test -f go; do sleep 0.05; done"
    );
    let sample = project(&format!(
        "{}{}",
        gate("first", "true", ""),
        gate("long", &command, "")
    ));
    let folder = sample.folder.path().to_owned();
    let runs = folder.join("runs");
    let mut one = Server::start(&folder);
    let task = started(&mut one, "Survive");
    one.ok("work_submit", json!({"id": task}));
    eventually("it runs", || lines(&runs) == 1);
    one.child.kill().expect("killed");
    one.child.wait().expect("gone");
    eventually("nothing of it is left", || {
        processes_with(&format!("sleep {mark}")) == 0
    });
    // Whoever looks next takes over; here a server that has just been started.
    let mut two = Server::start(&folder);
    eventually("it runs again", || lines(&runs) == 2);
    fs::write(folder.join("go"), "").expect("written");
    eventually("it passes", || {
        review_status(&mut two, &task) == "agent_pending"
    });
    assert_eq!(
        fs::read_to_string(&runs).expect("read"),
        "1\n1\n",
        "the same attempt"
    );
    let results = two.ok("gate_results", json!({"review_id": "1"}));
    assert_eq!(
        results["results"].as_array().map(Vec::len),
        Some(2),
        "{results}"
    );
}

/// A command line that waits goes on with what a killed server began.
#[test]
fn the_command_line_takes_over_where_it_waits() {
    let command = "echo run >> runs; while ! test -f go; do sleep 0.05; done";
    let sample = project(&gate("long", command, ""));
    let folder = sample.folder.path().to_owned();
    let mut server = Server::start(&folder);
    let task = started(&mut server, "Survive");
    server.ok("work_submit", json!({"id": task}));
    eventually("it runs", || lines(&folder.join("runs")) == 1);
    server.child.kill().expect("killed");
    server.child.wait().expect("gone");
    fs::write(folder.join("go"), "").expect("written");
    let waited = crate::sample::windlass()
        .arg("--cwd")
        .arg(&folder)
        .args(["--json", "gates", "results", "1", "--wait"])
        .env("XDG_CONFIG_HOME", sample.config.path())
        .output()
        .expect("started");
    let answer: Json = serde_json::from_slice(&waited.stdout).expect("JSON");
    assert_eq!(answer["status"], "agent_pending", "{answer}");
}

/// Gates take their time, whatever the limit of an ordinary request is.
#[test]
fn gates_outlast_the_limit_of_a_request() {
    let sample = project(&gate("slow", "sleep 1", ""));
    let folder = sample.folder.path().to_owned();
    let mut server = Server::start(&folder);
    let made = server.ok("work_create", json!({"description": "Slow"}));
    let task = made["number"].to_string();
    let windlass = |words: &[&str]| {
        let done = crate::sample::windlass()
            .arg("--cwd")
            .arg(&folder)
            .arg("--json")
            .args(words)
            .env("XDG_CONFIG_HOME", sample.config.path())
            .env("WINDLASS_REQUEST_TIMEOUT_MS", "300")
            .output()
            .expect("started");
        let answer: Json = serde_json::from_slice(&done.stdout).expect("JSON");
        (done.status.code(), answer)
    };
    windlass(&["start", &task]);
    let (code, answer) = windlass(&["tasks", "submit", &task]);
    assert_eq!(answer["review"]["status"], "agent_pending", "{answer}");
    assert_eq!(code, Some(0));
    let (_, heard) = windlass(&[
        "call",
        "event_subscribe",
        "--types",
        "gate.",
        "--timeout-seconds",
        "1",
    ]);
    assert_eq!(heard["events"], json!([]));
}

/// A server that is told to go does not count what it ends as a failure.
#[test]
fn a_server_that_goes_leaves_its_gates_as_they_were() {
    let command = "echo run >> runs; while ! test -f go; do sleep 0.05; done";
    let sample = project(&gate("long", command, ""));
    let folder = sample.folder.path().to_owned();
    let mut one = Server::start(&folder);
    let task = started(&mut one, "Move house");
    one.ok("work_submit", json!({"id": task}));
    eventually("it runs", || lines(&folder.join("runs")) == 1);
    one.hang_up();
    one.child.wait().expect("gone");
    fs::write(folder.join("go"), "").expect("written");
    let mut two = Server::start(&folder);
    eventually("it passes", || {
        review_status(&mut two, &task) == "agent_pending"
    });
    let results = two.ok("gate_results", json!({"review_id": "1"}));
    assert_eq!(
        results["results"].as_array().map(Vec::len),
        Some(1),
        "{results}"
    );
}

fn at_once(servers: Vec<Server>, tool: &'static str, input: &Json) -> Vec<Json> {
    let calls = servers.into_iter().map(|mut server| {
        let input = input.clone();
        thread::spawn(move || server.call(tool, input).expect("an answer"))
    });
    let calls: Vec<_> = calls.collect();
    calls
        .into_iter()
        .map(|call| call.join().expect("answered"))
        .collect()
}

/// Two sessions submit, and two approve, at the same time: one does it, the others hear where it
/// stands.
#[test]
fn of_two_at_once_one_does_it() {
    let sample = project(&gate("quick", "echo run >> runs", ""));
    let folder = sample.folder.path().to_owned();
    let mut first = Server::start(&folder);
    for round in 1..=3 {
        let made = first.ok("work_create", json!({"description": "Race"}));
        let task = made["number"].to_string();
        // In progress and nobody's, so that whoever comes may hand it in.
        first.ok(
            "entity_update",
            json!({"id": task, "properties": {"status": "in_progress"}}),
        );
        let servers = (0..4).map(|_| Server::start(&folder)).collect();
        let answers = at_once(servers, "work_submit", &json!({"id": task, "wait": true}));
        let good = answers
            .iter()
            .filter(|it| it["result"]["isError"] != true)
            .count();
        assert_eq!(good, 1, "{answers:?}");
        eventually("the gates are passed", || {
            review_status(&mut first, &task) == "agent_pending"
        });
        assert_eq!(lines(&folder.join("runs")), round, "the gate ran once");
        let servers = (0..4).map(|_| Server::start(&folder)).collect();
        let input = json!({"id": round.to_string()});
        let answers = at_once(servers, "review_approve", &input);
        let good = answers
            .iter()
            .filter(|it| it["result"]["isError"] != true)
            .count();
        assert_eq!(good, 1, "{answers:?}");
        assert_eq!(review_status(&mut first, &task), "human_pending");
    }
}

#[test]
fn a_subscriber_hears_of_what_another_process_does() {
    let sample = project("");
    let folder = sample.folder.path().to_owned();
    let mut listener = Server::start(&folder);
    let listening = thread::spawn(move || {
        listener.ok(
            "event_subscribe",
            json!({"types": ["task.started"], "timeout_seconds": 20}),
        )
    });
    thread::sleep(Duration::from_millis(300));
    let mut worker = Server::start(&folder);
    started(&mut worker, "Tell me");
    let heard = listening.join().expect("answered");
    assert_eq!(heard["events"][0]["type"], "task.started", "{heard}");
    let nothing = worker.ok(
        "event_subscribe",
        json!({"types": ["gate."], "timeout_seconds": 0}),
    );
    assert_eq!(nothing["events"], json!([]));
}
