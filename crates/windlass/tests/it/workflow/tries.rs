//! Gates that are tried without a submission, shown with their source, and taken over.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value as Json, json};
use windlass_core::workflow::GateDefinition;

use super::{add_gate, allow, eventually, gate, project, refused, started, write_gates};
use crate::sample;
use crate::server::Server;

fn windlass(folder: &Path, words: &[&str]) -> Output {
    sample::windlass()
        .arg("--cwd")
        .arg(folder)
        .args(words)
        .env("HOME", sample::config_of(folder))
        .env("XDG_CONFIG_HOME", sample::config_of(folder))
        .output()
        .expect("started")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_gate_is_tried_without_a_review() {
    let environment = "test \"$WINDLASS_GATE_NAME\" = environment \
        && test -z \"$WINDLASS_REVIEW_ID\" && test -n \"$WINDLASS_TASK_ID\" \
        && test \"$PWD\" = \"$WINDLASS_REPO_PATH\"";
    let gates = [
        gate("fix", "echo looking; echo missing >&2; test -f fixed", ""),
        gate("slow", "sleep 30", "timeout_secs = 1"),
        gate("later", "exit 75", ""),
        gate("environment", environment, ""),
    ];
    let sample = project(&gates.concat());
    let folder = sample.folder.path();
    let mut server = Server::start(folder);
    let task = started(&mut server, "Try it");
    let mut tried = server.ok("gate_try", json!({"name": "fix"}));
    assert!(tried["duration_ms"].take().is_u64());
    assert_eq!(
        tried,
        json!({"name": "fix", "status": "failed", "exit_code": 1, "stdout": "looking\n",
            "stderr": "missing\n", "duration_ms": null})
    );
    let failed = windlass(folder, &["gates", "try", "fix"]);
    assert_eq!(failed.status.code(), Some(11), "{failed:?}");
    assert!(text(&failed.stdout).contains("missing"), "{failed:?}");
    fs::write(folder.join("fixed"), "").expect("written");
    let passed = windlass(folder, &["gates", "try", "fix"]);
    assert_eq!(passed.status.code(), Some(0), "{passed:?}");
    let slow = server.ok("gate_try", json!({"name": "slow"}));
    assert_eq!(slow["status"], "timeout", "{slow}");
    let later = server.ok("gate_try", json!({"name": "later"}));
    assert_eq!(later["status"], "pending", "{later}");
    let named = server.ok("gate_try", json!({"name": "environment", "task_id": task}));
    assert_eq!(named["status"], "passed", "{named}");
    let script = json!({"code": "(await gates.try('fix')).status"});
    assert_eq!(server.ok("execute", script)["value"], "passed");
    let unknown = refused(&mut server, "gate_try", json!({"name": "nothing"}));
    assert_eq!(unknown["error_type"], "GateNotFound");
    assert_eq!(
        unknown["hint"], "The gates are fix, slow, later, environment.",
        "{unknown}"
    );
    // Nothing of that is in a review.
    let reviews = server.ok("review_list", json!({}));
    assert_eq!(reviews["reviews"], json!([]));
}

#[test]
fn a_gate_that_nobody_allowed_is_not_tried() {
    let sample = sample::empty();
    write_gates(&sample, &gate("file", "touch ran", ""));
    let folder = sample.folder.path();
    allow(folder, "");
    add_gate(&sample, &GateDefinition::new("lint", "command:lint"));
    fs::write(folder.join("Makefile"), "lint:\n\ttouch ran\n").expect("written");
    let mut server = Server::start(folder);
    for (name, why) in [("file", "gates.toml"), ("lint", "windlass allow lint")] {
        let error = refused(&mut server, "gate_try", json!({ "name": name }));
        assert_eq!(error["error_type"], "NotAllowlisted", "{error}");
        let message = error["message"].as_str().expect("a text");
        assert!(message.contains(why), "{message}");
    }
    assert!(!folder.join("ran").exists());
}

#[test]
fn gates_are_shown_with_their_source() {
    let sample = project(&gate("file", "true", ""));
    let folder = sample.folder.path();
    add_gate(&sample, &GateDefinition::new("everywhere", "true"));
    let mut server = Server::start(folder);
    let task = started(&mut server, "Work");
    let added = sample.store().write(&sample::origin(), |writer| {
        let id = writer.named("id", &task)?.id;
        let gate = GateDefinition::new("own", "true");
        writer.add_gate(&windlass_store::GateScope::Task(id), &gate)
    });
    added.expect("added");
    let effective = server.ok("gate_get_effective", json!({"task_id": task}));
    let sources: Vec<(&str, &str)> = effective["gates"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|gate| Some((gate["name"].as_str()?, gate["source"].as_str()?)))
        .collect();
    let own = format!("task #{task}");
    assert_eq!(
        sources,
        [
            ("file", "gates.toml"),
            ("everywhere", "project"),
            ("own", own.as_str())
        ]
    );
    let shown = text(&windlass(folder, &["gates", "effective", &task]).stdout);
    let line = shown.lines().find(|line| line.contains("everywhere"));
    assert!(line.expect("shown").contains("project"), "{shown}");
}

/// A server is killed while a gate runs: that is visible, and asking for a rerun continues it.
#[test]
fn interrupted_gates_are_shown_and_taken_over() {
    let command = "echo run >> runs; while ! test -f go; do sleep 0.05; done";
    let sample = project(&gate("long", command, ""));
    let folder = sample.folder.path().to_owned();
    let mut server = Server::start(&folder);
    let task = started(&mut server, "Survive");
    server.ok("work_submit", json!({"id": task}));
    eventually("it runs", || folder.join("runs").exists());
    let healthy = text(&windlass(&folder, &["doctor"]).stdout);
    assert!(!healthy.contains("gates rerun"), "{healthy}");
    server.child.kill().expect("killed");
    server.child.wait().expect("gone");
    let results = windlass(&folder, &["--json", "gates", "results", "1"]);
    let results: Json = serde_json::from_slice(&results.stdout).expect("JSON");
    assert_eq!(results["results"][0]["status"], "queued", "{results}");
    let message = results["results"][0]["message"].as_str().expect("a text");
    assert!(message.contains("windlass gates rerun 1"), "{message}");
    let doctor = text(&windlass(&folder, &["doctor"]).stdout);
    assert!(
        doctor.contains("The gates of review 1 have not finished and no process runs them"),
        "{doctor}"
    );
    assert!(doctor.contains("windlass gates rerun 1"), "{doctor}");
    fs::write(folder.join("go"), "").expect("written");
    let rerun = windlass(&folder, &["--json", "gates", "rerun", "1"]);
    let rerun: Json =
        serde_json::from_slice(&rerun.stdout).unwrap_or_else(|_| panic!("{}", text(&rerun.stderr)));
    assert_eq!(rerun["review"]["status"], "agent_pending", "{rerun}");
    assert_eq!(rerun["review"]["gates"][0]["attempt"], 1, "{rerun}");
}
