//! Many runs at once elsewhere, from one server: how long they take, what the server needs, and how
//! many requests a run costs.

use std::time::Instant;

use serde_json::{Value as Json, json};

use crate::remote_places::{Place, eventually};
use crate::server::Server;

/// A number of kilobytes of a process: `VmRSS` now, `VmHWM` at most so far.
fn memory(server: &Server, name: &str) -> u64 {
    let path = format!("/proc/{}/status", server.child.id());
    let status = std::fs::read_to_string(path).expect("read");
    let line = status.lines().find(|line| line.starts_with(name));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|it| it.parse().ok()).expect("a number")
}

fn start(server: &mut Server, runtime: &str, run_id: &str) {
    let spec = json!({"runId": run_id, "title": "t", "runtime": runtime, "steps": [
        {"name": "say", "shell": "sh", "command": format!("echo {run_id}; sleep 0.2")}]});
    server.ok("run_create", json!({ "spec": spec }));
    server.ok("run_execute", json!({"runId": run_id, "wait": false}));
}

/// Executes so many runs at once, and returns how many requests each took.
#[expect(clippy::print_stderr, reason = "tells a person the numbers")]
fn many(runtime: &'static str, count: usize) -> Option<u64> {
    let settings =
        format!("max_parallel = {count}\nstart_within_seconds = 1200\npoll_seconds = 1.0");
    let place = Place::with(runtime, &settings)?;
    let mut server = place.serve();
    start(&mut server, runtime, "first");
    let ended = |server: &mut Server, wanted: usize| {
        let listed = server.ok("run_list", json!({"status": "success", "limit": 1}));
        listed["total"] == wanted
    };
    eventually("the first ends", || ended(&mut server, 1));
    let (before, begin) = (memory(&server, "VmRSS"), Instant::now());
    for index in 0..count {
        start(&mut server, runtime, &format!("run-{index}"));
    }
    let mut highest = 0;
    while !ended(&mut server, count + 1) {
        highest = highest.max(memory(&server, "VmRSS"));
        let failed = server.ok("run_list", json!({"status": "failed", "limit": 1}));
        assert_eq!(failed["total"], 0, "{failed}");
        assert!(begin.elapsed().as_secs() < 900, "they take too long");
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    let took = begin.elapsed();
    for index in 0..count {
        let read = server.ok("run_read", json!({"runId": format!("run-{index}")}));
        assert_eq!(read["steps"][0]["stdout"], format!("run-{index}\n"));
    }
    let server_of_place = place.server.as_ref().expect("there");
    let seen = server_of_place.seen();
    assert_eq!(seen["violations"], json!([]));
    let calls = seen["calls"].as_object().cloned().unwrap_or_default();
    let sum: u64 = calls.values().filter_map(Json::as_u64).sum();
    let each = sum / (count as u64 + 1);
    eprintln!(
        "{runtime}: {count} runs at once took {took:.1?}; the server had {before} kB before, at most \
         {highest} kB while they ran, {} kB after; {each} requests a run: {calls:?}",
        memory(&server, "VmRSS")
    );
    let most = before + 64 * 1024;
    assert!(highest < most, "{highest} kB, {before} kB before");
    Some(each)
}

#[test]
fn twenty_runs_at_once_cost_few_requests() {
    for runtime in ["ecs-task", "ssm"] {
        let each = many(runtime, 20).unwrap_or(0);
        assert!(each < 60, "{runtime}: {each}");
    }
}

/// For numbers: `cargo nextest run -p windlass --run-ignored only two_hundred --no-capture`.
#[test]
#[ignore = "takes minutes and is only of interest for its numbers"]
fn two_hundred_runs_at_once_from_one_server() {
    for runtime in ["ecs-task", "ssm", "github-runner"] {
        many(runtime, 200);
    }
}
