//! Runs that are executed elsewhere, through real servers and the command line.

use std::fs;

use serde_json::{Value as Json, json};

use crate::remote_places::{Place, eventually};
use crate::sample;

/// Starts a run that waits for the file `go`, and kills its server in the middle.
fn left_behind(place: &Place, run_id: &str) -> Json {
    let folder = place.folder();
    let mut server = place.serve();
    let command = "echo begun >> starts; while [ ! -f go ]; do sleep 0.1; done; echo end";
    let spec = json!({"runId": run_id, "title": "t", "runtime": "docker", "steps": [
        {"name": "wait", "shell": "sh", "command": command}]});
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

#[test]
fn a_run_that_nobody_follows_is_found_by_its_id_and_cancelled_by_any_process() {
    let Some(place) = Place::new("docker") else {
        return;
    };
    let run_id = format!("cancel-{}", std::process::id());
    let state = left_behind(&place, &run_id);
    let listed = |words: &[&str]| {
        let list = place.windlass(&[&["runs", "list"], words].concat());
        list["total"].as_u64().expect("a number")
    };
    let id = state["externalId"].as_str().expect("an id");
    assert_eq!(listed(&["--external", id, "--runtime", "docker"]), 1);
    assert_eq!(listed(&["--external", id, "--status", "running"]), 1);
    assert_eq!(listed(&["--external", id, "--runtime", "ssm"]), 0);
    assert_eq!(place.started(&run_id), 1, "it is still there");
    let state = place.windlass(&["runs", "cancel", &run_id]);
    assert_eq!(state["status"], "cancelled", "{state}");
    assert_eq!(place.started(&run_id), 0);
}

#[test]
fn runtimes_are_checked_by_a_harmless_request() {
    let Some(place) = Place::new("docker") else {
        return;
    };
    let checks = place.windlass(&["runs", "check"]);
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
    let report = place.windlass(&["doctor"]);
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
    let windlass = |words: &[&str]| -> Json {
        let mut command = sample::windlass();
        command.args(words).arg("--json").current_dir(folder);
        let output = command.output().expect("started");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let shown = windlass(&[&words[..], &["--dry-run"]].concat());
    assert_eq!((&shown["written"], file.exists()), (&json!(false), false));
    let written = windlass(&words);
    assert_eq!(written["written"], true);
    assert_eq!(written["diff"], shown["diff"]);
    let text = fs::read_to_string(&file).expect("read");
    assert!(text.contains("DEPLOY_KEY: ${{ secrets.DEPLOY_KEY }}"));
    let again = windlass(&words);
    assert_eq!(again["diff"], "", "a second time changes nothing");
}
