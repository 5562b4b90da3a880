//! `windlass agents`: who is at work, in a session or without one, and how a person stops one.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::launch_rounds::{self, ended, outcomes};
use crate::server::Server;
use crate::setup::Bench;

/// Reports come at most this late.
const LIMIT: Duration = Duration::from_mins(2);

fn agents(bench: &Bench) -> Vec<Json> {
    let output = bench.run(&["--json", "agents"]);
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    json["agents"].as_array().unwrap().clone()
}

/// Waits until the list is as it should be.
fn wait_for(bench: &Bench, what: &str, is_right: impl Fn(&[Json]) -> bool) -> Vec<Json> {
    let begin = Instant::now();
    loop {
        let agents = agents(bench);
        if is_right(&agents) {
            return agents;
        }
        assert!(begin.elapsed() < LIMIT, "{what}: {agents:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn server(bench: &Bench) -> Server {
    let mut command = bench.command(&["mcp", "--toolsets", "focus,knowledge,workflow"]);
    command.env("WINDLASS_LOG_LEVEL", "error");
    Server::of(command)
}

fn claimed_by(bench: &Bench, task: &str) -> Json {
    let output = bench.run(&["--json", "show", task]);
    let task: Json = serde_json::from_slice(&output.stdout).unwrap();
    task["claimed_by"].clone()
}

#[test]
fn an_agent_without_a_session_is_listed_while_it_is_connected() {
    let bench = Bench::new();
    bench.run(&["add", "Log in"]);
    assert_eq!(agents(&bench), Vec::<Json>::new());
    let mut server = server(&bench);
    server.request("tools/list", json!({})).unwrap();
    server.ok("begin", json!({"id": "1"}));
    server.ok("entity_list", json!({}));
    let found = wait_for(&bench, "two calls", |agents| {
        agents.first().is_some_and(|agent| agent["calls"] == 2)
    });
    let agent = &found[0];
    assert_eq!(agent["client"], "test");
    assert_eq!(agent["task_id"], 1);
    assert_eq!(agent["task_title"], "Log in");
    assert_eq!(agent["last_tool"], "entity_list");
    assert_eq!(agent["surface"], "stdio");
    assert_eq!(agent["launched"], false);
    assert!(agent["tokens_read"].as_i64().unwrap() > 50, "{agent}");
    let text = bench.run(&["agents"]);
    let text = String::from_utf8(text.stdout).unwrap();
    for part in ["AGENT", "test", "#1", "entity_list"] {
        assert!(text.contains(part), "{text}");
    }
    server.hang_up();
    wait_for(&bench, "nobody", <[Json]>::is_empty);
}

#[test]
fn only_a_person_stops_an_agent() {
    let bench = Bench::new();
    bench.run(&["add", "Log in"]);
    let mut server = server(&bench);
    server.ok("begin", json!({"id": "1"}));
    let found = wait_for(&bench, "the agent", |agents| !agents.is_empty());
    let id = found[0]["id"].as_str().unwrap();
    let refused = bench.run(&["agents", "stop", id]);
    assert_eq!(refused.status.code(), Some(6));
    assert_eq!(claimed_by(&bench, "1"), id);
    let stopped = bench.typed(&format!("agents stop {id}"), "");
    let text = String::from_utf8_lossy(&stopped.stdout).into_owned();
    assert_eq!(stopped.status.code(), Some(0), "{text}");
    assert!(text.contains("its server has exited"), "{text}");
    assert!(server.child.wait().unwrap().code().is_some());
    assert_eq!(agents(&bench), Vec::<Json>::new());
    assert_eq!(claimed_by(&bench, "1"), Json::Null);
    let again = bench.typed(&format!("agents stop {id}"), "");
    assert_eq!(again.status.code(), Some(4));
}

#[test]
fn stopping_a_launched_agent_stops_its_client() {
    let bench = launch_rounds::bench(&["Sleep"]);
    let child = launch_rounds::launch(&bench, &["--loop", "3"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let found = wait_for(&bench, "connected", |agents| {
        agents
            .first()
            .is_some_and(|agent| agent["surface"] == "stdio")
    });
    let agent = &found[0];
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&agent["launched"], &agent["task_id"]),
        (&json!(true), &json!(1))
    );
    let id = agent["id"].as_str().unwrap();
    let pid = fs::read_to_string(bench.path("ready")).unwrap();
    let stopped = bench.typed(&format!("agents stop {id}"), "");
    let text = String::from_utf8_lossy(&stopped.stdout).into_owned();
    assert_eq!(stopped.status.code(), Some(0), "{text}");
    assert!(text.contains("its client is stopped"), "{text}");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(14));
    assert_eq!(ended(&output), outcomes(&[(1, "stopped")]));
    assert!(!Path::new("/proc").join(&pid).exists(), "its child is gone");
    assert_eq!(claimed_by(&bench, "1"), Json::Null);
    assert_eq!(agents(&bench), Vec::<Json>::new());
}

#[test]
fn an_agent_that_was_killed_is_not_listed() {
    let bench = Bench::new();
    let mut server = server(&bench);
    server.request("tools/list", json!({})).unwrap();
    wait_for(&bench, "the agent", |agents| !agents.is_empty());
    let killed = Command::new("kill")
        .args(["-9", &server.child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    server.child.wait().unwrap();
    assert_eq!(agents(&bench), Vec::<Json>::new());
}
