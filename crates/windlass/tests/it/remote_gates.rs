//! Gates whose playbook is executed elsewhere: not ready while it is under way, found again by another
//! server, never started twice.

use std::fs;

use serde_json::{Value as Json, json};
use windlass_core::workflow::GateDefinition;

use crate::remote_places::{Place, eventually};
use crate::sample;
use crate::server::Server;

const PLAYBOOK: &str = "name = \"CI\"\n[spec]\ntitle = \"CI\"\nruntime = \"ecs-task\"\n\
    [[spec.steps]]\nname = \"look\"\nshell = \"sh\"\n\
    command = \"echo begun >> starts; while [ ! -f go ]; do sleep 0.05; done; \
    echo for $WINDLASS_GATE_NAME; test -f good\"\n";

fn place() -> Option<Place> {
    let place = Place::new("ecs-task")?;
    let folder = place.folder();
    fs::create_dir_all(folder.join(".windlass/playbooks")).expect("made");
    fs::write(folder.join(".windlass/playbooks/ci.toml"), PLAYBOOK).expect("written");
    let gate = GateDefinition {
        poll_interval_secs: 1,
        ..GateDefinition::new("remote", "playbook:ci")
    };
    sample::add_gate(&place.sample, &gate);
    place.allow();
    Some(place)
}

fn submitted(server: &mut Server) -> Json {
    let made = server.ok("work_create", json!({"description": "Elsewhere"}));
    let id = made["number"].to_string();
    server.ok("work_start", json!({ "id": id }));
    let answer = server.ok("work_submit", json!({"id": id}));
    assert_eq!(answer["review"]["status"], "gates_pending", "{answer}");
    json!({ "id": id })
}

fn gate(server: &mut Server) -> Json {
    let results = server.ok("gate_results", json!({"review_id": "1", "last": true}));
    results["results"][0].clone()
}

fn is_under_way(server: &mut Server) {
    eventually("it is under way", || gate(server)["exit_code"] == 75);
    let seen = gate(server);
    assert_eq!(seen["status"], "pending", "{seen}");
    let message = seen["message"].as_str().unwrap_or_default().to_owned();
    assert!(message.contains("is under way (RUNNING)"), "{message}");
}

#[test]
fn a_gate_elsewhere_is_not_ready_while_its_run_is_under_way() {
    let Some(place) = place() else { return };
    let folder = place.folder();
    let mut server = place.serve();
    let work = submitted(&mut server);
    eventually("it begins", || folder.join("starts").exists());
    is_under_way(&mut server);
    fs::write(folder.join("go"), "").expect("written");
    eventually("it failed", || gate(&mut server)["status"] == "failed");
    let seen = gate(&mut server);
    assert_eq!(
        (&seen["exit_code"], &seen["stdout"]),
        (&json!(1), &json!("for remote\n"))
    );
    assert_eq!(seen["attempt"], 1, "asking is no attempt");
    // The next attempt is a run of its own.
    fs::write(folder.join("good"), "").expect("written");
    let answer = server.ok("work_submit", json!({"id": work["id"], "wait": true}));
    assert_eq!(answer["review"]["gates"][0]["status"], "passed", "{answer}");
    assert_eq!(place.started("each"), 2, "one run an attempt");
}

#[test]
fn the_gate_of_a_killed_server_is_found_again_by_the_next() {
    let Some(place) = place() else { return };
    let folder = place.folder();
    let mut server = place.serve();
    submitted(&mut server);
    eventually("it begins", || folder.join("starts").exists());
    is_under_way(&mut server);
    server.child.kill().expect("killed");
    server.child.wait().expect("ended");
    let mut next = place.serve();
    for file in ["go", "good"] {
        fs::write(folder.join(file), "").expect("written");
    }
    eventually("it passes", || gate(&mut next)["status"] == "passed");
    let starts = fs::read_to_string(folder.join("starts")).expect("read");
    assert_eq!(starts, "begun\n");
    assert_eq!(place.started("each"), 1, "it was not started again");
}

#[test]
fn a_run_that_only_has_the_name_does_not_pass_the_gate() {
    let Some(place) = place() else { return };
    let mut server = place.serve();
    let made = server.ok("work_create", json!({"description": "Cheat"}));
    let id = made["number"].to_string();
    server.ok("work_start", json!({ "id": id }));
    let answer = server.ok("work_submit", json!({ "id": id }));
    let review = answer["review"]["id"].as_str().expect("an id").to_owned();
    eventually("it begins", || place.folder().join("starts").exists());
    // The name of the next attempt's run, and other steps: anyone may choose the name of a run.
    let name = format!("gate-{review}-remote-2");
    let spec = json!({"runId": name, "title": "t", "runtime": "dummy", "steps": [
        {"name": "a", "shell": "bash", "command": "true"}]});
    server.ok("run_create", json!({ "spec": spec }));
    server.ok("run_execute", json!({"runId": name}));
    fs::write(place.folder().join("go"), "").expect("written");
    eventually("it failed", || gate(&mut server)["status"] == "failed");
    server.ok("gate_rerun", json!({"review_id": review, "wait": true}));
    let seen = gate(&mut server);
    assert_eq!(seen["status"], "failed", "{seen}");
    let message = seen["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("does not do what playbook ci says"),
        "{seen}"
    );
}
