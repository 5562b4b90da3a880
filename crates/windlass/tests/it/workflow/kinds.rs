//! Gates that are commands of the repository or playbooks, and gates that people add.

use std::fs;

use serde_json::{Value as Json, json};
use windlass_core::workflow::GateDefinition;

use super::{add_gate, allow_all, eventually, project, review_status, started};
use crate::sample::{self, Sample};
use crate::server::Server;

const PLAYBOOK: &str = "name = \"CI\"\n[spec]\ntitle = \"CI\"\nruntime = \"local\"\n\
    [[spec.steps]]\nname = \"look\"\nshell = \"bash\"\n\
    command = \"echo from $WINDLASS_GATE_NAME; test -f mended\"\n";

fn repository() -> Sample {
    let sample = sample::empty();
    let folder = sample.folder.path();
    let makefile = "check:\n\t@echo by $$WINDLASS_GATE_NAME; test -f mended\n";
    fs::write(folder.join("Makefile"), makefile).expect("written");
    fs::create_dir_all(folder.join(".windlass/playbooks")).expect("made");
    fs::write(folder.join(".windlass/playbooks/ci.toml"), PLAYBOOK).expect("written");
    add_gate(&sample, &GateDefinition::new("made", "command:check"));
    add_gate(&sample, &GateDefinition::new("played", "playbook:ci"));
    sample
}

fn statuses(answer: &Json) -> Vec<&str> {
    let gates = answer["review"]["gates"].as_array().expect("a list");
    gates
        .iter()
        .filter_map(|it| it["status"].as_str())
        .collect()
}

#[test]
fn commands_and_playbooks_are_allowed_run_and_mended() {
    let sample = repository();
    let folder = sample.folder.path().to_owned();
    let mut server = Server::start(&folder);
    let task = started(&mut server, "Both kinds");
    let answer = server.ok("work_submit", json!({"id": task, "wait": true}));
    assert_eq!(statuses(&answer), ["waiting", "waiting"], "{answer}");
    let gates = answer["review"]["gates"].to_string();
    assert!(gates.contains("windlass allow check"), "{gates}");
    assert!(
        gates.contains("windlass allow .windlass/playbooks/ci.toml"),
        "{gates}"
    );
    allow_all(&folder);
    let failed = || {
        let results = server.ok("gate_results", json!({"review_id": "1"}));
        let results = results["results"].as_array().expect("a list").clone();
        results.iter().all(|it| it["status"] == "failed")
    };
    eventually("both ran", failed);
    let results = server.ok("gate_results", json!({"review_id": "1"}));
    assert_eq!(results["results"][0]["stdout"], "by made\n", "{results}");
    assert_eq!(
        results["results"][1]["stdout"], "from played\n",
        "{results}"
    );
    fs::write(folder.join("mended"), "").expect("written");
    let answer = server.ok("work_submit", json!({"id": task, "wait": true}));
    assert_eq!(statuses(&answer), ["passed", "passed"], "{answer}");
    assert_eq!(review_status(&mut server, &task), "agent_pending");
}

#[test]
fn a_command_that_is_not_there_has_not_passed() {
    let sample = project("");
    add_gate(&sample, &GateDefinition::new("gone", "command:nothing"));
    let mut server = Server::start(sample.folder.path());
    let task = started(&mut server, "No such thing");
    let answer = server.ok("work_submit", json!({"id": task, "wait": true}));
    assert_eq!(statuses(&answer), ["failed"], "{answer}");
    let message = &answer["gate_failures"][0]["message"];
    assert_eq!(message, "Task 'nothing' not found", "{answer}");
}
