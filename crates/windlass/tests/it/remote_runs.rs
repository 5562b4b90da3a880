//! Runs that are executed elsewhere, through real servers and the command line: in containers of a real
//! engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

#[path = "../../../windlass-runs/tests/it/podman.rs"]
mod podman;

use crate::sample::{self, Sample};
use crate::server::Server;

/// A project in which a person allowed runs in containers.
fn project(program: &Path) -> Sample {
    let sample = sample::empty();
    let folder = sample.folder.path();
    let config = format!(
        "[runs]\nadhoc = true\n[runtimes.docker]\nimage = \"{}\"\nprogram = \"{}\"\npull = \"never\"\n",
        podman::IMAGE,
        program.display()
    );
    fs::write(folder.join(".windlass/config.toml"), config).expect("written");
    let allowed = sample::config_of(folder).join("windlass");
    fs::create_dir_all(&allowed).expect("made");
    let entries = sample::allowlist_of_all(folder);
    fs::write(allowed.join("allowlist.toml"), entries).expect("written");
    sample
}

fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !check() {
        assert!(begin.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The command line, as JSON.
fn windlass(folder: &Path, words: &[&str]) -> Json {
    let output = sample::windlass()
        .args(words)
        .arg("--json")
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", sample::config_of(folder))
        .output()
        .expect("started");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&said).unwrap_or_else(|_| {
        panic!(
            "{words:?}: {said}{}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

/// Starts a run that waits for the file `go`, and kills its server in the middle.
fn left_behind(folder: &Path, run_id: &str) -> Json {
    let mut server = Server::start(folder);
    let command = "echo begun >> starts; while [ ! -f go ]; do sleep 0.1; done; echo end";
    let spec = json!({"runId": run_id, "title": "t", "runtime": "docker", "steps": [
        {"name": "wait", "shell": "sh", "command": command},
        {"name": "last", "shell": "sh", "command": "echo last"}]});
    server.ok("run_create", json!({ "spec": spec }));
    let named = json!({"runId": run_id});
    server.ok("run_execute", json!({"runId": run_id, "wait": false}));
    eventually("the step runs", || folder.join("starts").exists());
    let mut state = Json::Null;
    eventually("the id is on record", || {
        state = server.ok("run_status", named.clone());
        state["externalId"].is_string()
    });
    server.child.kill().expect("killed");
    server.child.wait().expect("ended");
    state
}

fn containers(program: &PathBuf, run_id: &str) -> String {
    let label = format!("label=windlass.run={run_id}");
    let output = std::process::Command::new(program)
        .args(["ps", "--all", "--quiet", "--filter", &label])
        .output()
        .expect("started");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn the_next_server_takes_up_what_a_killed_one_left_elsewhere() {
    let Some(program) = podman::docker() else {
        return;
    };
    let sample = project(&program);
    let folder = sample.folder.path();
    let run_id = format!("left-{}", std::process::id());
    let state = left_behind(folder, &run_id);
    let seen = windlass(folder, &["runs", "status", &run_id]);
    assert_eq!(seen["status"], "running", "it goes on without a server");
    let mut server = Server::start(folder);
    fs::write(folder.join("go"), "").expect("written");
    let mut read = Json::Null;
    eventually("it ends", || {
        read = server.ok("run_read", json!({"runId": run_id}));
        read["status"] != "running"
    });
    assert_eq!(read["status"], "success", "{read}");
    assert_eq!(read["steps"][0]["stdout"], "end\n");
    assert_eq!(read["externalId"], state["externalId"]);
    let starts = fs::read_to_string(folder.join("starts")).expect("read");
    assert_eq!(starts, "begun\n", "nothing is started twice");
    assert_eq!(containers(&program, &run_id), "");
    let listed = |words: &[&str]| {
        let list = windlass(folder, &[&["runs", "list"], words].concat());
        list["total"].as_u64().expect("a number")
    };
    let id = state["externalId"].as_str().expect("an id");
    assert_eq!(listed(&["--external", id, "--runtime", "docker"]), 1);
    assert_eq!(listed(&["--external", id, "--runtime", "ssm"]), 0);
}

#[test]
fn a_run_that_nobody_follows_is_cancelled_by_any_process() {
    let Some(program) = podman::docker() else {
        return;
    };
    let sample = project(&program);
    let folder = sample.folder.path();
    let run_id = format!("cancel-{}", std::process::id());
    left_behind(folder, &run_id);
    assert_ne!(containers(&program, &run_id), "", "it is still there");
    let state = windlass(folder, &["runs", "cancel", &run_id]);
    assert_eq!(state["status"], "cancelled", "{state}");
    assert_eq!(containers(&program, &run_id), "");
}

#[test]
fn runtimes_are_checked_by_a_harmless_request() {
    let Some(program) = podman::docker() else {
        return;
    };
    let sample = project(&program);
    let folder = sample.folder.path();
    let checks = windlass(folder, &["runs", "check"]);
    let ready: Vec<(&str, bool)> = checks["runtimes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| {
            (
                it["runtime"].as_str().unwrap_or_default(),
                it["ready"] == true,
            )
        })
        .collect();
    let expected = [
        ("dummy", true),
        ("local", true),
        ("docker", true),
        ("github-runner", false),
        ("ecs-task", false),
        ("ssm", false),
    ];
    assert_eq!(ready, expected);
    let report = windlass(folder, &["doctor"]);
    let found = report["checks"].as_array().expect("a list").iter();
    let found: Vec<&Json> = found.filter(|it| it["name"] == "runtimes").collect();
    assert_eq!(found.len(), 1, "{report}");
    let message = found[0]["message"].as_str().expect("text");
    assert!(
        message.contains("has the image windlass-test:latest"),
        "{message}"
    );
}

#[test]
fn the_workflow_for_github_is_shown_and_written_once() {
    let sample = sample::empty();
    let folder = sample.folder.path();
    let file = folder.join(".github/workflows/windlass-run.yml");
    let words = ["runs", "github", "install", "--secret", "DEPLOY_KEY"];
    let shown = windlass(folder, &[&words[..], &["--dry-run"]].concat());
    assert_eq!((&shown["written"], file.exists()), (&json!(false), false));
    let written = windlass(folder, &words);
    assert_eq!(written["written"], true);
    assert_eq!(written["diff"], shown["diff"]);
    let text = fs::read_to_string(&file).expect("read");
    assert!(text.contains("DEPLOY_KEY: ${{ secrets.DEPLOY_KEY }}"));
    assert_eq!(
        windlass(folder, &words)["diff"],
        "",
        "a second time changes nothing"
    );
}
