//! Whole trees of processes end with their job, whatever happens to the server.

use serde_json::json;

use crate::repository::{Repository, signal, until};
use crate::server::Server;

/// Three deep: processes that ignore TERM, one in a session of its own, one forked twice so that its
/// parent is gone.
const NASTY: &str = "#!/bin/sh
sh -c 'trap \"\" TERM; sh -c \"trap \\\"\\\" TERM; sleep 600 & wait\" & while :; do sleep 600; done' &
setsid sh -c 'sleep 600 & sleep 600' &
(setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 600; done' & exit 0) &
wait
";
/// The script, and what it leads to.
const NASTY_COUNT: usize = 9;

fn repository() -> Repository {
    let repository = Repository::new(&[
        ("nasty.sh", NASTY),
        ("Makefile", "nasty:\n\t@./nasty.sh\n"),
        (".windlass/config.toml", "[commands]\ngrace_seconds = 0.2\n"),
    ]);
    repository.allow_all();
    repository
}

/// A server with the tree as its job. Server, shim and make are processes, too.
fn started(repository: &Repository) -> (Server, i64) {
    let mut server = repository.server();
    let pid = server.start_job("nasty-m");
    wait_for_tree(repository);
    (server, pid)
}

fn wait_for_tree(repository: &Repository) {
    until("the tree", || {
        repository.processes().len() >= NASTY_COUNT + 3
    });
}

/// The process that looks after the job.
fn shim_of(repository: &Repository, server: &Server) -> i32 {
    let server = i32::try_from(server.child.id()).expect("a PID");
    let shims: Vec<i32> = repository
        .processes()
        .into_iter()
        .map(|(pid, _)| pid)
        .filter(|pid| parent_of(*pid) == Some(server))
        .collect();
    assert_eq!(shims.len(), 1, "{:?}", repository.processes());
    shims[0]
}

fn parent_of(pid: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("PPid:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_stop_leaves_nothing_of_the_tree() {
    let repository = repository();
    let (mut server, pid) = started(&repository);
    let stopped = server.ok("task_stop", json!({"pid": pid}));
    assert_eq!(stopped["status"], "killed", "{stopped}");
    // At the very moment of the answer; a shim may stay for the next job.
    let left: Vec<String> = repository
        .processes()
        .into_iter()
        .map(|(_, words)| words)
        .filter(|words| !words.contains("windlass") && !words.contains("/proc/self/exe"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    drop(server);
    repository.assert_nothing_left();
}

#[test]
fn a_killed_server_leaves_nothing() {
    let repository = repository();
    let (mut server, pid) = started(&repository);
    server.child.kill().expect("killed");
    server.child.wait().expect("ended");
    repository.assert_nothing_left();
    let jobs = repository.json(&["jobs"]);
    assert_eq!(jobs["jobs"][0]["pid"], pid, "{jobs}");
    assert_eq!(jobs["jobs"][0]["state"], "failed", "{jobs}");
    let reason = jobs["jobs"][0]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("interrupted: "), "{reason}");
}

#[test]
fn a_terminated_server_leaves_nothing_and_says_how_it_ended() {
    let repository = repository();
    let (mut server, _) = started(&repository);
    signal("-TERM", server.child.id());
    assert_eq!(server.child.wait().expect("ended").code(), Some(0));
    assert!(repository.processes().is_empty());
    let jobs = repository.json(&["jobs"]);
    // By the signal, or because its child was ended by it: that is up to make.
    assert_ne!(jobs["jobs"][0]["state"], "running", "{jobs}");
    assert!(jobs["jobs"][0]["exit_code"].is_i64(), "{jobs}");
}

#[test]
fn a_client_that_hangs_up_leaves_nothing() {
    let repository = repository();
    let (mut server, _) = started(&repository);
    server.hang_up();
    assert_eq!(server.child.wait().expect("ended").code(), Some(0));
    assert!(repository.processes().is_empty());
}

/// Without its shim, the group of the job is what can still be reached.
#[test]
fn a_killed_shim_fails_its_job() {
    let repository = Repository::new(&[("Makefile", "pair:\n\t@sleep 600 & sleep 600; wait\n")]);
    repository.allow_all();
    let mut server = repository.server();
    let pid = server.start_job("pair");
    // The server, the shim, make, its shell and two that sleep.
    until("the job", || repository.processes().len() >= 6);
    signal("-KILL", shim_of(&repository, &server));
    let waited = server.ok("task_wait", json!({"pid": pid, "timeout": 10}));
    assert_eq!(waited["outcome"], "ended", "{waited}");
    assert_eq!(waited["state"], "failed", "{waited}");
    server.hang_up();
    server.child.wait().expect("ended");
    repository.assert_nothing_left();
}

/// `windlass run` is the parent of a shim as well.
#[test]
fn a_killed_run_leaves_nothing() {
    let repository = repository();
    let mut run = repository
        .command(&["run", "nasty-m"])
        .spawn()
        .expect("started");
    wait_for_tree(&repository);
    run.kill().expect("killed");
    run.wait().expect("ended");
    repository.assert_nothing_left();
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let repository = repository();
    let mut run = repository
        .command(&["run", "nasty-m"])
        .spawn()
        .expect("started");
    wait_for_tree(&repository);
    signal("-INT", run.id());
    assert_eq!(run.wait().expect("ended").code(), Some(130));
    assert!(repository.processes().is_empty());
}

/// A script that takes two seconds to end in order.
const SLOW_TO_END: &str = "#!/bin/sh
trap 'sleep 2; echo bye >bye.txt; exit 9' TERM
echo up >up.txt
while :; do sleep 0.05; done
";

fn slow_to_end() -> Repository {
    let repository = Repository::new(&[("slow.sh", SLOW_TO_END)]);
    repository.allow_all();
    repository
}

fn started_slow(repository: &Repository) -> Server {
    let mut server = repository.server();
    server.start_job("slow");
    until("the job", || repository.exists("up.txt"));
    server
}

#[test]
fn a_job_has_its_grace_when_its_server_ends() {
    for end in ["-TERM", "hang up"] {
        let repository = slow_to_end();
        let mut server = started_slow(&repository);
        match end {
            "hang up" => server.hang_up(),
            name => signal(name, server.child.id()),
        }
        assert_eq!(server.child.wait().expect("ended").code(), Some(0), "{end}");
        assert!(repository.processes().is_empty(), "{end}");
        assert!(repository.exists("bye.txt"), "{end}");
        let jobs = repository.json(&["jobs"]);
        assert_eq!(jobs["jobs"][0]["exit_code"], 9, "{end}: {jobs}");
    }
}

/// As clients do it: they close the input, then send a signal, then kill. The job keeps its grace.
#[test]
fn a_client_that_is_in_a_hurry_takes_no_grace_from_a_job() {
    let repository = slow_to_end();
    let mut server = started_slow(&repository);
    server.hang_up();
    std::thread::sleep(std::time::Duration::from_millis(300));
    signal("-TERM", server.child.id());
    std::thread::sleep(std::time::Duration::from_millis(300));
    signal("-KILL", server.child.id());
    server.child.wait().expect("ended");
    repository.assert_nothing_left();
    assert!(repository.exists("bye.txt"));
}

#[test]
fn a_second_signal_ends_a_server_at_once() {
    let repository = Repository::new(&[(
        "deaf.sh",
        "#!/bin/sh\ntrap '' TERM\necho up >up.txt\nwhile :; do sleep 0.05; done\n",
    )]);
    repository.write(".windlass/config.toml", "[commands]\ngrace_seconds = 600\n");
    repository.allow_all();
    let mut server = repository.server();
    server.start_job("deaf");
    until("the job", || repository.exists("up.txt"));
    signal("-TERM", server.child.id());
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(
        server.child.try_wait().expect("asked").is_none(),
        "it waits"
    );
    signal("-TERM", server.child.id());
    let begin = std::time::Instant::now();
    assert_eq!(server.child.wait().expect("ended").code(), Some(0));
    assert!(begin.elapsed() < std::time::Duration::from_secs(8));
    assert!(repository.processes().is_empty());
}

/// Without its shim, what left the group of the job is found by its mark.
#[test]
fn a_killed_shim_leaves_nothing_of_its_tree() {
    let repository = repository();
    let (mut server, pid) = started(&repository);
    signal("-KILL", shim_of(&repository, &server));
    let waited = server.ok("task_wait", json!({"pid": pid, "timeout": 20}));
    assert_eq!(waited["state"], "failed", "{waited}");
    // The server is all that is left.
    assert_eq!(
        repository.processes().len(),
        1,
        "{:?}",
        repository.processes()
    );
}
