//! The operations of the lifecycle on a real store, as a surface calls them. What runs processes is
//! tested through the binary.

use serde_json::{Value as Json, json};
use windlass_core::{Actor, ErrorKind};

use crate::support::{Sandbox, sandbox};

fn create(sandbox: &Sandbox, input: Json) -> Json {
    sandbox.ok("work_create", input)
}

fn as_person(mut sandbox: Sandbox) -> Sandbox {
    sandbox.context.origin.actor = Actor::Human;
    sandbox
}

/// #1 is a milestone with #2 and #3, #4 is below #2, and #5 stands alone and waits for #3.
fn planned() -> Sandbox {
    let sandbox = sandbox();
    create(
        &sandbox,
        json!({"description": "M", "kind": "milestone", "context": "All of it"}),
    );
    create(
        &sandbox,
        json!({"description": "A", "parent_id": 1, "priority": "high"}),
    );
    create(&sandbox, json!({"title": "B", "parent_id": "1"}));
    create(&sandbox, json!({"description": "A1", "parent_id": 2}));
    create(&sandbox, json!({"description": "Alone", "blocked_by": [3]}));
    sandbox
}

fn numbers(answer: &Json) -> Vec<i64> {
    let tasks = answer["tasks"].as_array().expect("tasks");
    tasks
        .iter()
        .filter_map(|task| task["number"].as_i64())
        .collect()
}

#[test]
fn the_shape_of_a_task() {
    let sandbox = planned();
    let task = sandbox.ok("work_get", json!({"id": 4}));
    let parent = sandbox.ok("work_get", json!({"id": "#2"}));
    assert_eq!(task["kind"], "subtask");
    assert_eq!(task["parent_id"], parent["id"]);
    assert_eq!(task["depth"], 2);
    assert_eq!(task["status"], "pending");
    assert_eq!(task["priority"], "normal");
    assert_eq!(task["contexts"]["milestone"], "All of it");
    let blocked = sandbox.ok("work_get", json!({"id": 5}));
    assert_eq!(blocked["effectively_blocked"], true);
    assert_eq!(
        blocked["blocked_by"],
        json!([sandbox.ok("work_get", json!({"id": 3}))["id"]])
    );
    // What the lifecycle makes is an ordinary entity.
    let entity = sandbox.ok("entity_get", json!({"id": task["id"]}));
    assert_eq!(
        (&entity["title"], &entity["type"]),
        (&json!("A1"), &json!("task"))
    );
}

#[test]
fn levels_are_kept() {
    let sandbox = planned();
    for (input, field) in [
        (json!({"description": "x", "parent_id": 4}), "parent_id"),
        (
            json!({"description": "x", "kind": "milestone", "parent_id": 1}),
            "kind",
        ),
        (json!({"description": "x", "kind": "subtask"}), "kind"),
        (
            json!({"description": "x", "kind": "subtask", "parent_id": 1}),
            "kind",
        ),
        (json!({"description": "x", "kind": "epic"}), "kind"),
        (json!({"description": "x", "priority": "asap"}), "priority"),
        (json!({"description": " "}), "description"),
        (json!({}), "title"),
    ] {
        let error = sandbox.refused("work_create", input.clone());
        assert_eq!(error.data()["field"], field, "{input}: {error}");
    }
    assert_eq!(
        numbers(&sandbox.ok("work_list", json!({}))),
        [1, 2, 3, 4, 5],
        "nothing was made"
    );
    sandbox.ok("work_cancel", json!({"id": 3}));
    let error = sandbox.refused("work_create", json!({"description": "x", "parent_id": 3}));
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
}

#[test]
fn lists_trees_and_counts() {
    let sandbox = planned();
    for (input, expected) in [
        (json!({"parent_id": "none"}), &[1, 5][..]),
        (json!({"parent_id": 1}), &[2, 3]),
        (json!({"kind": ["milestone", "subtask"]}), &[1, 4]),
        (json!({"ready": true}), &[1, 2, 3, 4]),
        (json!({"status": ["completed"]}), &[]),
        (json!({"limit": 2, "offset": 1}), &[2, 3]),
    ] {
        assert_eq!(
            numbers(&sandbox.ok("work_list", input.clone())),
            expected,
            "{input}"
        );
    }
    let tree = sandbox.ok("work_tree", json!({}));
    assert_eq!(
        tree["tree"][0]["children"][0]["children"][0]["description"],
        "A1"
    );
    assert_eq!(tree["tree"][1]["description"], "Alone");
    let counts = sandbox.ok("work_progress", json!({"id": 1}));
    assert_eq!((&counts["total"], &counts["ready"]), (&json!(3), &json!(3)));
    let all = sandbox.ok("work_progress", json!({}));
    assert_eq!((&all["total"], &all["blocked"]), (&json!(5), &json!(1)));
    let error = sandbox.refused("work_list", json!({"status": ["open"]}));
    assert_eq!(error.kind(), ErrorKind::InvalidEnumValue);
}

#[test]
fn next_is_work_and_not_its_frame() {
    let sandbox = planned();
    let next = |input: Json| sandbox.ok("work_next_ready", input)["task"]["number"].clone();
    // #2 is urgent, but the work is below it.
    assert_eq!(next(json!({})), 3);
    assert_eq!(next(json!({"milestone_id": 2})), 4);
    sandbox.ok("work_start", json!({"id": 3}));
    let mut other = sandbox.context.clone();
    other.origin.session = "other".into();
    let entry = windlass_ops::find("work_next_ready").expect("there");
    let answer = crate::support::run(entry, other, json!({})).expect("answered");
    assert_eq!(
        answer["task"]["number"], 4,
        "what another session holds is not offered"
    );
}

#[test]
fn edges_come_and_go_and_never_in_circles() {
    let sandbox = planned();
    let error = sandbox.refused("work_block", json!({"id": 3, "blocked_by": 5}));
    assert_eq!(error.kind(), ErrorKind::RelationCycle);
    let free = sandbox.ok("work_unblock", json!({"id": 5, "blocked_by": 3}));
    assert_eq!(free["effectively_blocked"], false);
    let error = sandbox.refused("work_unblock", json!({"id": 5, "blocked_by": 3}));
    assert_eq!(error.kind(), ErrorKind::RelationNotFound);
    let held = sandbox.ok("work_block", json!({"id": 2, "blocked_by": 5}));
    assert_eq!(held["effectively_blocked"], true);
    let below = sandbox.ok("work_get", json!({"id": 4}));
    assert_eq!(below["effectively_blocked"], true, "blockers are inherited");
}

#[test]
fn work_goes_from_start_to_done() {
    let sandbox = sandbox();
    create(&sandbox, json!({"description": "All of it"}));
    let started = sandbox.ok("work_start", json!({"id": 1}));
    assert_eq!(
        (&started["status"], &started["claimed_by"]),
        (&json!("in_progress"), &json!("test"))
    );
    assert!(started["started_at"].is_string());
    let error = sandbox.refused("work_start", json!({"id": 1}));
    assert_eq!(error.data()["state"], "in_progress");
    sandbox.ok(
        "learning_add",
        json!({"task_id": 1, "content": "It is easy"}),
    );
    let submitted = sandbox.ok("work_submit", json!({"id": 1, "wait": true}));
    assert_eq!(submitted["review"]["status"], "agent_pending");
    assert_eq!(submitted["action_required"], "get_review");
    let active = sandbox.ok("review_get_active", json!({"task_id": 1}));
    assert_eq!(active["review"]["id"], submitted["review"]["id"]);
    let back = sandbox.ok(
        "review_request_changes",
        json!({"id": 1, "summary": "More", "comments": [{"body": "Here", "file_path": "a", "line_start": 2}]}),
    );
    assert_eq!(back["review"]["status"], "changes_requested");
    assert_eq!(
        sandbox.ok("work_get", json!({"id": 1}))["status"],
        "in_progress"
    );
    let said = sandbox.ok("review_list_comments", json!({"review_id": 1}));
    assert_eq!(said["comments"][0]["line_start"], 2);
    let again = sandbox.ok("work_submit", json!({"id": 1}));
    assert_eq!(again["review"]["number"], 2, "a new review");
    sandbox.ok("review_approve", json!({"id": 2}));
    assert_eq!(
        sandbox.refused("review_approve", json!({"id": 2})).kind(),
        ErrorKind::HumanOnly
    );
    let sandbox = as_person(sandbox);
    sandbox.ok("review_approve", json!({"id": 2}));
    let done = sandbox.ok("work_get", json!({"id": 1}));
    assert_eq!(done["status"], "completed");
    assert!(done.get("claimed_by").is_none() && done["completed_at"].is_string());
    let told = sandbox.ok(
        "event_replay",
        json!({"types": ["task.", "review."], "limit": 100}),
    );
    let kinds: Vec<&str> = told["events"]
        .as_array()
        .expect("events")
        .iter()
        .filter_map(|event| event["type"].as_str())
        .collect();
    assert_eq!(
        kinds,
        [
            "task.created",
            "task.claimed",
            "task.started",
            "task.submitted",
            "review.created",
            "task.released",
            "review.changes_requested",
            "task.submitted",
            "review.created",
            "review.advanced",
            "review.approved",
            "task.completed",
        ]
    );
}

#[test]
fn what_people_do_is_refused_to_agents_and_done_for_people() {
    let acts = [
        ("work_set_status", json!({"id": 2, "status": "blocked"})),
        ("work_delete", json!({"id": 5})),
        (
            "gate_add",
            json!({"name": "g", "command": "true", "timeout_secs": 5}),
        ),
        ("gate_update", json!({"id": "g", "name": "h"})),
        ("gate_remove", json!({"id": "h"})),
    ];
    let sandbox = planned();
    for (name, input) in &acts {
        let error = sandbox.refused(name, input.clone());
        assert_eq!(error.kind(), ErrorKind::HumanOnly, "{name}");
    }
    let sandbox = as_person(sandbox);
    for (name, input) in acts {
        sandbox.ok(name, input);
    }
    let error = sandbox.refused("work_delete", json!({"id": 1}));
    assert!(error.message().contains("children"), "{error}");
    let error = sandbox.refused("work_set_status", json!({"id": 3, "status": "in_review"}));
    assert!(error.message().contains("review"), "{error}");
    let error = sandbox.refused(
        "gate_add",
        json!({"name": "g", "command": "", "task_id": 2}),
    );
    assert_eq!(error.data()["field"], "command");
}

#[test]
fn learnings_are_inherited() {
    let sandbox = planned();
    for (task, text) in [
        (1, "of the milestone"),
        (2, "of the task"),
        (4, "of the subtask"),
    ] {
        sandbox.ok("learning_add", json!({"task_id": task, "content": text}));
    }
    let known = sandbox.ok("learning_get_inherited", json!({"task_id": 4}));
    for (place, text) in [
        ("own", "of the subtask"),
        ("parent", "of the task"),
        ("milestone", "of the milestone"),
    ] {
        assert_eq!(known[place][0]["content"], text);
        assert_eq!(known[place].as_array().map(Vec::len), Some(1));
    }
    let long = json!({"task_id": 4, "content": "x".repeat(501)});
    assert_eq!(
        sandbox.refused("learning_add", long).data()["field"],
        "text"
    );
}

#[test]
fn repositories_are_folders_of_the_project() {
    let sandbox = sandbox();
    assert_eq!(sandbox.ok("repo_get_by_path", json!({}))["found"], false);
    let repo = sandbox.ok("repo_register", json!({}));
    assert_eq!(
        sandbox.ok("repo_register", json!({}))["id"],
        repo["id"],
        "once"
    );
    assert_eq!(
        sandbox.ok("repo_get_by_path", json!({"path": "."}))["repo"]["id"],
        repo["id"]
    );
    for path in ["..", "/etc", "no-such-folder"] {
        let error = sandbox.refused("repo_register", json!({ "path": path }));
        assert_eq!(error.kind(), ErrorKind::PathRefused, "{path}");
    }
    sandbox.ok("repo_unregister", json!({"id": 1}));
    assert_eq!(
        sandbox.refused("repo_get", json!({"id": 1})).kind(),
        ErrorKind::RepoNotFound
    );
}

#[test]
fn what_is_not_there_is_named() {
    let sandbox = planned();
    for (name, input, kind) in [
        ("work_get", json!({"id": 99}), ErrorKind::EntityNotFound),
        ("review_get", json!({"id": 99}), ErrorKind::ReviewNotFound),
        (
            "review_get",
            json!({"id": "nothing"}),
            ErrorKind::ReviewNotFound,
        ),
        (
            "review_resolve_comment",
            json!({"comment_id": 9}),
            ErrorKind::CommentNotFound,
        ),
        (
            "gate_results",
            json!({"review_id": "abcd"}),
            ErrorKind::ReviewNotFound,
        ),
        (
            "event_replay",
            json!({"types": ["nonsense"]}),
            ErrorKind::InvalidEnumValue,
        ),
        (
            "help_request",
            json!({"task_id": 2, "category": "boredom", "reason": "x"}),
            ErrorKind::InvalidEnumValue,
        ),
    ] {
        let error = sandbox.refused(name, input.clone());
        assert_eq!(error.kind(), kind, "{name} {input}");
        assert!(error.hint().is_some(), "{name}: {error}");
    }
}

/// An answer to a model fits, however long the contexts are.
#[test]
fn long_contexts_are_cut() {
    let mut sandbox = sandbox();
    let long = "word ".repeat(20_000);
    create(
        &sandbox,
        json!({"description": "M", "kind": "milestone", "context": long}),
    );
    create(
        &sandbox,
        json!({"description": "T", "parent_id": 1, "context": long}),
    );
    create(
        &sandbox,
        json!({"description": "S", "parent_id": 2, "context": long}),
    );
    sandbox.context.output_budget = Some(80_000);
    let task = sandbox.ok("work_get", json!({"id": 3}));
    assert!(task.to_string().len() < 80_000);
    assert_eq!(
        task["truncated"]["context"], 100_000,
        "it says how much there is"
    );
    for name in ["work_list", "work_tree"] {
        assert!(
            sandbox.ok(name, json!({})).to_string().len() < 80_000,
            "{name}"
        );
    }
}

/// The gates saw other files than the ones that would be approved.
#[test]
fn a_person_accepts_what_changed_since_the_gates_or_requests_changes() {
    let sandbox = as_person(sandbox());
    let root = sandbox.context.workspace.root().to_owned();
    let git = |words: &[&str]| {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(words)
            .current_dir(&root)
            .status();
        assert!(done.expect("git").success(), "{words:?}");
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    create(&sandbox, json!({"title": "Log in"}));
    sandbox.ok("work_start", json!({"id": "1"}));
    std::fs::write(root.join("login.txt"), "works\n").expect("written");
    sandbox.ok("work_submit", json!({"id": "1"}));
    std::fs::write(root.join("login.txt"), "with a back door\n").expect("written");
    let error = sandbox.refused("review_approve", json!({"id": "1"}));
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
    let hint = error.hint().expect("a way out");
    assert!(hint.contains("--accept-changes"), "{hint}");
    let accepts = json!({"id": "1", "accept_changes": true});
    let mut agent = sandbox;
    agent.context.origin.actor = Actor::Agent;
    let error = agent.refused("review_approve", accepts.clone());
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
    let person = as_person(agent);
    let done = person.ok("review_approve", accepts);
    let message = done["message"].as_str().expect("a message");
    assert!(message.contains("have changed"), "{message}");
}
