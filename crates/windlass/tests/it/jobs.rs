//! Jobs of a server, seen and handled by other processes; how many there may be; what is listed.

use std::thread;

use serde_json::{Value as Json, json};

use crate::repository::{Repository, signal, until};
use crate::server::Server;

const TALK: &str = "#!/bin/sh\necho one; echo two >&2; echo ready; exec sleep 600\n";
const FAIL: &str = "#!/bin/sh\necho wrong >&2; exit 3\n";

fn repository(folder: &str) -> Repository {
    let repository = Repository::at(folder, &[("talk.sh", TALK), ("fail.sh", FAIL)]);
    repository.allow_all();
    repository
}

fn job(repository: &Repository, pid: i64) -> Json {
    let jobs = repository.json(&["jobs"]);
    let jobs = jobs["jobs"].as_array().expect("jobs").clone();
    let found = jobs.iter().find(|job| job["pid"] == pid);
    found
        .unwrap_or_else(|| panic!("no {pid} in {jobs:?}"))
        .clone()
}

/// Starts the job that goes on. It is put on record beside its run, and then other processes see it.
fn start_talk(repository: &Repository, server: &mut Server) -> i64 {
    let pid = server.start_job("talk");
    until("the record", || {
        repository.json(&["jobs", "running"])["running"][0]["pid"] == pid
    });
    pid
}

/// All that the command line can do with a job of a running server.
fn handled_by_the_command_line(repository: &Repository) {
    let mut server = repository.server();
    let pid = start_talk(repository, &mut server);
    let number = pid.to_string();
    let wait = [
        "jobs",
        "wait",
        &number,
        "--until",
        "pattern",
        "--pattern",
        "rea.y",
    ];
    let waited = repository.json(&wait);
    assert_eq!(waited["outcome"], "matched", "{waited}");
    assert_eq!(waited["line"], "ready");
    let seen = job(repository, pid);
    assert_eq!(seen["state"], "running", "{seen}");
    assert_eq!(seen["command"], "./talk.sh", "{seen}");
    let output = repository.json(&["jobs", "output", &number, "--stream", "stdout"]);
    assert_eq!(output["lines"], json!(["one", "ready"]), "{output}");
    let output = repository.json(&["jobs", "output", &number, "--grep", "^two"]);
    assert_eq!(output["matches"], 1, "{output}");
    let timed_out = repository.json(&["jobs", "wait", &number, "--timeout", "0.05"]);
    assert_eq!(timed_out["outcome"], "timed_out", "{timed_out}");
    let stopped = repository.json(&["jobs", "stop", &number]);
    assert_eq!(stopped["status"], "graceful", "{stopped}");
    let waited = server.ok("task_wait", json!({"pid": pid, "timeout": 0}));
    assert_ne!(waited["state"], "running", "{waited}");
    until("the record of the end", || {
        job(repository, pid)["state"] != "running"
    });
}

#[test]
fn other_processes_read_await_and_stop() {
    handled_by_the_command_line(&repository("repo"));
}

/// A socket's address is shorter than many paths.
#[test]
fn a_deep_project_does_the_same() {
    let repository = repository(&format!("repo/{}/{}", "deep".repeat(20), "down".repeat(20)));
    assert!(repository.root.as_os_str().len() > 160);
    handled_by_the_command_line(&repository);
}

#[test]
fn what_became_of_a_job_is_known_after_the_server() {
    let repository = repository("repo");
    let mut server = repository.server();
    let failed = server.ok("task_start", json!({"unique_name": "fail"}));
    assert_eq!(failed["exit_code"], 3, "{failed}");
    let pid = server.start_job("talk");
    let ready = json!({"pid": pid, "until": "pattern", "pattern": "ready"});
    server.ok("task_wait", ready);
    server.hang_up();
    server.child.wait().expect("ended");
    let ended = job(&repository, pid);
    assert_eq!(ended["state"], "failed", "{ended}");
    assert_eq!(ended["reason"], "ended by signal 15", "{ended}");
    let number = pid.to_string();
    let output = repository.json(&["jobs", "output", &number]);
    let mut lines: Vec<&str> = output["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .filter_map(Json::as_str)
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, ["one", "ready", "two"]);
    let waited = repository.json(&["jobs", "wait", &number]);
    assert_eq!(waited["outcome"], "ended", "{waited}");
    let jobs = repository.json(&["jobs", "--name", "fail"]);
    assert_eq!(jobs["jobs"][0]["exit_code"], 3, "{jobs}");
    let events = repository.json(&["log", "--limit", "50"]);
    let of = |kind: &str, pid: i64| {
        let events = events["events"].as_array().expect("events").clone();
        events
            .iter()
            .filter(|event| event["type"] == kind && event["payload"]["pid"] == pid)
            .count()
    };
    assert_eq!(
        (of("job.started", pid), of("job.ended", pid)),
        (1, 1),
        "{events}"
    );
}

#[test]
fn what_became_of_a_job_is_known_after_a_killed_server() {
    let repository = repository("repo");
    let mut server = repository.server();
    let pid = start_talk(&repository, &mut server);
    signal("-KILL", server.child.id());
    server.child.wait().expect("ended");
    repository.assert_nothing_left();
    let ended = job(&repository, pid);
    assert_eq!(ended["state"], "failed", "{ended}");
    assert_eq!(
        ended["reason"], "interrupted: the process that looked after it has gone",
        "{ended}"
    );
    assert_eq!(repository.json(&["jobs", "running"])["running"], json!([]));
    let number = pid.to_string();
    let stopped = repository.json(&["jobs", "stop", &number]);
    assert!(
        stopped["message"]
            .as_str()
            .is_some_and(|it| it.starts_with("Process had already"))
    );
    // The next server knows of it, and is not confused by what the first left behind.
    let mut next = repository.server();
    let listed = next.ok("job_list", json!({}));
    assert_eq!(listed["jobs"][0]["state"], "failed", "{listed}");
    assert_eq!(next.ok("status", json!({}))["running"], json!([]));
}

#[test]
fn the_fifty_first_job_is_refused_and_leaves_no_child() {
    let repository = Repository::new(&[
        ("nap.sh", "#!/bin/sh\nexec sleep 600\n"),
        ("go.sh", "#!/bin/sh\ntouch ran\n"),
    ]);
    repository.allow_all();
    let mut server = repository.server();
    // One that has ended takes no place.
    assert_eq!(
        server.ok("task_start", json!({"unique_name": "go"}))["exit_code"],
        0
    );
    std::fs::remove_file(repository.root.join("ran")).expect("it ran");
    let pids: Vec<i64> = (0..50).map(|_| server.start_job("nap")).collect();
    until("fifty jobs", || sleeping(&repository) == 50);
    let before = repository.processes().len();
    let error = server.refused("task_start", json!({"unique_name": "go"}));
    assert_eq!(error["code"], -32603, "{error}");
    assert_eq!(
        error["message"],
        "50 jobs are running already, which is the limit. Stop one with 'task_stop', or wait until one ends"
    );
    assert_eq!(error["data"]["error_type"], "TooManyJobs", "{error}");
    assert!(
        error["data"]["hint"]
            .as_str()
            .is_some_and(|it| it.contains("task_stop"))
    );
    assert!(repository.processes().len() <= before, "a child is left");
    assert!(!repository.exists("ran"));
    assert_eq!(
        server.ok("status", json!({}))["running"]
            .as_array()
            .map(Vec::len),
        Some(50)
    );
    server.ok("task_stop", json!({"pid": pids[7]}));
    assert_eq!(
        server.ok("task_start", json!({"unique_name": "go"}))["exit_code"],
        0
    );
    assert!(repository.exists("ran"));
    server.hang_up();
    server.child.wait().expect("ended");
    repository.assert_nothing_left();
}

fn sleeping(repository: &Repository) -> usize {
    let processes = repository.processes();
    processes
        .iter()
        .filter(|(_, words)| words.starts_with("sleep 600"))
        .count()
}

#[test]
fn all_who_wait_hear_of_the_end() {
    let repository = repository("repo");
    let mut server = repository.server();
    let pid = start_talk(&repository, &mut server);
    let number = pid.to_string();
    // Several processes wait for the same job, and all of them hear of its end.
    thread::scope(|scope| {
        let waiting: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| repository.json(&["jobs", "wait", &number])))
            .collect();
        server.ok("task_stop", json!({"pid": pid}));
        for waiting in waiting {
            let waited = waiting.join().expect("an answer");
            assert_eq!(waited["outcome"], "ended", "{waited}");
        }
    });
}

#[test]
fn a_thousand_commands_come_in_pages() {
    let target = |number: usize| {
        format!("target-{number:04}: ## Does number {number} of a thousand\n\t@echo {number}\n")
    };
    let targets = (0..1000).map(target).collect::<Vec<_>>().concat();
    let repository = Repository::new(&[("Makefile", &targets)]);
    let mut server = repository.server();
    let (mut names, mut offset, mut pages) = (Vec::new(), 0, 0);
    loop {
        let answer = server
            .call("list_tasks", json!({"offset": offset}))
            .expect("an answer");
        let text = answer["result"]["content"][0]["text"]
            .as_str()
            .expect("text");
        // A token is about four letters; an answer has at most 25,000 of them.
        assert!(text.len() < 100_000, "{} bytes", text.len());
        let page = &answer["result"]["structuredContent"];
        let tasks = page["tasks"].as_array().expect("tasks");
        names.extend(tasks.iter().map(|task| task["unique_name"].to_string()));
        pages += 1;
        match page["next_offset"].as_u64() {
            Some(next) => {
                assert_eq!(next, names.len() as u64);
                offset = next;
            }
            None => break,
        }
    }
    let expected: Vec<String> = (0..1000)
        .map(|number| format!("\"target-{number:04}\""))
        .collect();
    assert_eq!(names, expected);
    assert!(pages > 1, "one page would prove nothing");
}

#[test]
fn a_broken_file_is_told_and_hides_nothing() {
    let repository = Repository::new(&[
        ("Makefile", "build:\n\t@echo built\n"),
        (
            "package.json",
            "{\n  \"scripts\": {\n    \"test\": oops\n  }\n}\n",
        ),
        ("Taskfile.yml", "version: '3'\ntasks:\n  lint: [\n"),
    ]);
    let mut server = repository.server();
    let listed = server.ok("list_tasks", json!({}));
    assert_eq!(listed["tasks"][0]["unique_name"], "build", "{listed}");
    let errors = listed["errors"].as_array().expect("errors");
    let place = |file: &str| {
        let found = errors.iter().find(|error| error["file_path"] == file);
        let found = found.unwrap_or_else(|| panic!("no {file} in {errors:?}"));
        assert!(found["message"].as_str().is_some_and(|it| !it.is_empty()));
        found["line"].as_u64()
    };
    assert_eq!(place("package.json"), Some(3));
    assert!(
        place("Taskfile.yml").is_some_and(|line| line >= 3),
        "{errors:?}"
    );
}

#[test]
fn allowed_commands_come_first_then_those_of_the_root() {
    let script = "{\"scripts\": {\"NAME\": \"true\"}}";
    let repository = Repository::new(&[
        ("Makefile", "build:\n\t@echo built\n"),
        ("app/package.json", &script.replace("NAME", "lint")),
        ("web/package.json", &script.replace("NAME", "check")),
    ]);
    repository.set_allowlist("[[entries]]\npath = \"ROOT/web/package.json\"\nscope = \"File\"\n");
    let mut server = repository.server();
    let mut names = |arguments: Json| {
        let listed = server.ok("list_tasks", arguments);
        let tasks = listed["tasks"].as_array().expect("tasks");
        assert_eq!(listed["total"], tasks.len(), "{listed}");
        let names = tasks.iter().map(|task| task["unique_name"].clone());
        names.collect::<Vec<_>>()
    };
    let all = names(json!({}));
    assert_eq!(all, ["web/check", "build", "app/lint"]);
    assert_eq!(names(json!({"folder": "web"})), ["web/check"]);
    assert_eq!(names(json!({"folder": "."})), ["build"]);
    assert_eq!(names(json!({"folder": "we"})), Vec::<Json>::new());
}

#[test]
fn lines_that_are_missing_are_told() {
    let repository = Repository::new(&[("count.sh", "#!/bin/sh\nseq 300; exec sleep 600\n")]);
    repository.allow_all();
    let mut server = repository.server();
    let pid = server.start_job("count");
    let wait = json!({"pid": pid, "until": "pattern", "pattern": "^300$"});
    server.ok("task_wait", wait);
    let output = server.ok("task_output", json!({"pid": pid}));
    assert_eq!(output["lines"].as_array().map(Vec::len), Some(200));
    assert_eq!(output["total_lines"], 300, "{output}");
    assert_eq!(output["truncated"], true, "{output}");
    let output = server.ok(
        "task_output",
        json!({"pid": pid, "lines": 5000, "show_truncation": true}),
    );
    assert_eq!(output["lines"].as_array().map(Vec::len), Some(300));
    assert_eq!(output["truncated"], false, "{output}");
    let output = server.ok(
        "task_output",
        json!({"pid": pid, "lines": 1, "show_truncation": true}),
    );
    let expected = json!(["[299 earlier lines are not shown]", "300"]);
    assert_eq!(output["lines"], expected, "{output}");
    let refused = server.refused("task_output", json!({"pid": pid, "lines": 0}));
    assert_eq!(refused["data"]["field"], "lines", "{refused}");
}
