//! Tasks made and changed on the board, and the whole view of them.

use serde_json::{Value as Json, json};
use windlass_core::workflow::{GateDefinition, HelpCategory, NewHelp, Phases};
use windlass_core::{Actor, Origin};
use windlass_ops::{AnyOutput as _, Block};
use windlass_store::{GateScope, NewComment, Submission, WorkPlace};

use crate::support::{Sandbox, sandbox};

/// A feature (1), a discipline (2), a decision (3), a component (4) and two tasks (5, 6).
fn project() -> Sandbox {
    let sandbox = sandbox();
    sandbox.add("feature", "Authentication", json!({"name": "auth"}));
    sandbox.add("discipline", "Backend", json!({"name": "backend"}));
    sandbox.add("decision", "Use tokens", json!({}));
    sandbox.add("component", "Server", json!({}));
    sandbox.add("task", "Before", json!({}));
    sandbox.add("task", "After", json!({}));
    sandbox
}

fn everything() -> Json {
    json!({
        "title": "Log in", "description": "With a password.\n\nAnd a token.", "status": "draft",
        "priority": "critical", "due_date": "2999-01-02", "assignee": "ann", "feature": "auth",
        "discipline": "backend", "blocked_by": [5], "blocks": ["#6"],
        "acceptance_criteria": ["It works", "It is tested, too"], "context_files": ["src/login.rs"],
        "output_artifacts": ["docs/login.md"], "hints": "Look at the old one",
        "estimated_turns": 12, "pseudocode": "1. Ask\n2. Check", "tags": ["web", "auth"],
        "implements": [3], "belongs_to": [4], "kind": "task"
    })
}

#[test]
fn a_task_is_made_with_every_field() {
    let sandbox = project();
    let made = sandbox.ok("board_create", everything());
    assert_eq!(made, sandbox.ok("board_show", json!({"id": 7})));
    for (field, expected) in [
        ("number", json!(7)),
        ("type", json!("task")),
        ("status", json!("draft")),
        ("priority", json!("urgent")),
        ("kind", json!("task")),
        ("due_date", json!("2999-01-02")),
        ("assignee", json!("ann")),
        ("feature", json!("auth")),
        ("discipline", json!("backend")),
        ("description", json!("With a password.\n\nAnd a token.")),
        (
            "acceptance_criteria",
            json!(["It works", "It is tested, too"]),
        ),
        ("context_files", json!(["src/login.rs"])),
        ("output_artifacts", json!(["docs/login.md"])),
        ("hints", json!("Look at the old one")),
        ("estimated_turns", json!(12)),
        ("pseudocode", json!("1. Ask\n2. Check")),
        ("tags", json!(["web", "auth"])),
        (
            "blocked_by",
            json!([{"number": 5, "title": "Before", "status": "pending"}]),
        ),
        (
            "blocks",
            json!([{"number": 6, "title": "After", "status": "pending"}]),
        ),
        ("blocked_by_total", json!(1)),
    ] {
        assert_eq!(made[field], expected, "{field}");
    }
    let relations = made["relations"].as_array().expect("relations");
    let shown: Vec<_> = relations
        .iter()
        .map(|it| (&it["type"], &it["number"]))
        .collect();
    assert_eq!(json!(shown), json!([["belongs_to", 4], ["implements", 3]]));
}

#[test]
fn a_title_is_enough_and_mistakes_leave_nothing() {
    let sandbox = project();
    let made = sandbox.ok("board_create", json!({"title": "Alone"}));
    assert_eq!(
        (&made["status"], &made["priority"]),
        (&json!("pending"), &json!("normal"))
    );
    for (wrong, field) in [
        (json!({"title": ""}), "title"),
        (json!({"title": "x", "status": "done"}), "status"),
        (json!({"title": "x", "priority": "asap"}), "priority"),
        (json!({"title": "x", "feature": "nothing"}), "feature"),
        (json!({"title": "x", "kind": "epic"}), "kind"),
        (json!({"title": "x", "kind": "subtask"}), "kind"),
        (
            json!({"title": "x", "parent": 7, "kind": "milestone"}),
            "kind",
        ),
        (json!({"title": "x", "blocked_by": [5, 1]}), "blocked_by"),
        (json!({"title": "x", "due_date": "soon"}), "due_date"),
        (
            json!({"title": "x", "blocks": [5], "blocked_by": [5]}),
            "RelationCycle",
        ),
    ] {
        let error = sandbox.refused("board_create", wrong.clone());
        let said = format!("{} {}", error.message(), error.data());
        assert!(said.contains(field), "{wrong}: {said}");
    }
    assert_eq!(sandbox.ok("board_list", json!({}))["total"], 3);
}

#[test]
fn every_dialects_words_are_understood() {
    let sandbox = project();
    for (word, status) in [
        ("in_progress", "in_progress"),
        ("todo", "pending"),
        ("completed", "done"),
        ("cancelled", "cancelled"),
        ("skipped", "skipped"),
        ("draft", "draft"),
        ("pending", "pending"),
    ] {
        let changed = sandbox.ok("board_update", json!({"id": 5, "status": word}));
        assert_eq!(changed["status"], status, "{word}");
    }
    for (tool, input) in [
        ("set_task_status", json!({"id": 5, "status": "cancelled"})),
        (
            "entity_update",
            json!({"id": "5", "properties": {"status": "cancelled"}}),
        ),
    ] {
        sandbox.ok("board_update", json!({"id": 5, "status": "skipped"}));
        sandbox.ok(tool, input);
        // Both are "skipped" or "done" to the dialect of the tool; the word says which is meant.
        assert_eq!(
            sandbox.ok("board_show", json!({"id": 5}))["status"],
            "cancelled",
            "{tool}"
        );
    }
    for (tool, input) in [
        ("update_task", json!({"id": 5, "priority": 1})),
        ("work_update", json!({"id": 5, "priority": "1"})),
        ("board_update", json!({"id": 5, "priority": "high"})),
    ] {
        sandbox.ok("board_update", json!({"id": 5, "priority": "medium"}));
        sandbox.ok(tool, input);
        assert_eq!(
            sandbox.ok("board_show", json!({"id": 5}))["priority"],
            "high",
            "{tool}"
        );
    }
    for tool in ["board_update", "set_task_status"] {
        for (word, needed) in [("in_review", "review"), ("awaiting_human", "help_request")] {
            let error = sandbox.refused(tool, json!({"id": 6, "status": word}));
            assert!(error.message().contains(needed), "{tool} {word}: {error}");
        }
    }
}

#[test]
fn lists_replace_and_empty_texts_clear() {
    let sandbox = project();
    sandbox.ok("board_create", everything());
    let cleared = json!({"id": 7, "description": "", "due_date": "", "assignee": "", "feature": "",
        "hints": "", "pseudocode": "", "estimated_turns": 0, "acceptance_criteria": [],
        "context_files": [""], "blocked_by": [], "blocks": [], "implements": [], "belongs_to": [],
        "tags": ["new"], "kind": "", "title": "Log in and out"});
    let changed = sandbox.ok("board_update", cleared);
    for field in [
        "description",
        "due_date",
        "assignee",
        "feature",
        "hints",
        "pseudocode",
        "estimated_turns",
    ] {
        assert!(changed.get(field).is_none(), "{field}");
    }
    for (field, expected) in [
        ("title", json!("Log in and out")),
        ("tags", json!(["new"])),
        ("blocked_by", json!([])),
        ("blocks", json!([])),
        ("relations", json!([])),
        ("discipline", json!("backend")),
        ("kind", json!("task")),
    ] {
        assert_eq!(changed[field], expected, "{field}");
    }
    let more = json!({"id": 7, "add_tags": ["a", "b"], "remove_tags": ["new"],
        "add_blocked_by": [5, 6], "description": null});
    let changed = sandbox.ok("board_update", more);
    assert_eq!(changed["tags"], json!(["a", "b"]));
    assert_eq!(changed["blocked_by_total"], 2);
    let fewer = json!({"id": 7, "remove_blocked_by": [6]});
    assert_eq!(
        sandbox.ok("board_update", fewer)["blocked_by"][0]["number"],
        5
    );
    let error = sandbox.refused("board_update", json!({"id": 5, "blocked_by": [7]}));
    assert_eq!(error.data()["field"], "blocked_by");
    let error = sandbox.refused("board_update", json!({"id": 3, "title": "x"}));
    assert!(error.message().contains("not a task"), "{error}");
}

#[test]
fn a_task_moves_within_the_hierarchy() {
    let sandbox = sandbox();
    sandbox.ok(
        "board_create",
        json!({"title": "Version", "kind": "milestone"}),
    );
    sandbox.ok(
        "board_create",
        json!({"title": "Task", "parent": 1, "kind": "task"}),
    );
    let child = sandbox.ok("board_create", json!({"title": "Child", "parent": 2}));
    assert_eq!(
        (&child["kind"], &child["parent"]["number"]),
        (&json!("subtask"), &json!(2))
    );
    let alone = sandbox.ok("board_update", json!({"id": 3, "parent": ""}));
    assert!(alone.get("parent").is_none());
    assert_eq!(alone["kind"], "task");
    let under = sandbox.ok("board_update", json!({"id": 3, "parent": "1"}));
    assert_eq!(
        (&under["kind"], &under["parent"]["title"]),
        (&json!("task"), &json!("Version"))
    );
    let shown = sandbox.ok("board_show", json!({"id": 1}));
    assert_eq!(shown["children_total"], 2);
    for wrong in [
        json!({"id": 1, "parent": 2}),
        json!({"id": 2, "kind": "milestone"}),
        json!({"id": 2, "kind": "subtask"}),
    ] {
        sandbox.refused("board_update", wrong);
    }
    // What it said of itself does not outlive its place.
    let moved = sandbox.ok("board_update", json!({"id": 2, "parent": 3}));
    assert_eq!(moved["kind"], "subtask");
    sandbox.ok("board_update", json!({"id": 3, "status": "done"}));
    let error = sandbox.refused("board_create", json!({"title": "x", "parent": 3}));
    assert!(error.message().contains("it is done"), "{error}");
}

#[test]
fn the_next_task_or_why_there_is_none() {
    let sandbox = project();
    let next = sandbox.ok("board_next", json!({}));
    assert_eq!(next["task"], sandbox.ok("board_show", json!({"id": 5})));
    let none = sandbox.ok("board_next", json!({"feature": "auth"}));
    assert!(none["task"].is_null() && none.get("task").is_some());
    assert_eq!(none["why"], "There is no open task.");
    sandbox.ok(
        "board_update",
        json!({"id": 6, "feature": "auth", "blocked_by": [5]}),
    );
    let none = sandbox.ok("board_next", json!({"feature": "auth"}));
    assert_eq!(
        (&none["blocked"], &none["in_progress"]),
        (&json!(1), &json!(0))
    );
    sandbox.ok("board_update", json!({"id": 5, "status": "done"}));
    let next = sandbox.ok("board_next", json!({"feature": "auth"}));
    assert_eq!(next["task"]["number"], 6);
    sandbox.ok(
        "board_create",
        json!({"title": "Version", "kind": "milestone"}),
    );
    let none = sandbox.ok("board_next", json!({"milestone": 7}));
    assert!(none["task"].is_null(), "{none}");
    sandbox.ok("board_update", json!({"id": 6, "parent": 7}));
    let next = sandbox.ok("board_next", json!({"milestone": 7}));
    assert_eq!(next["task"]["number"], 6);
}

/// Task 5 in review 1 with a gate and a comment, task 6 with a question.
fn with_work(sandbox: &Sandbox) {
    let origin = Origin {
        actor: Actor::Human,
        source: "test",
        session: "person".into(),
        correlation_id: None,
    };
    let write = sandbox.context.store.write(&origin, |writer| {
        let (first, second) = (writer.resolve("id", "5")?, writer.resolve("id", "6")?);
        let gate = GateDefinition::new("tests", "make test");
        writer.add_gate(&GateScope::Task(first.clone()), &gate)?;
        writer.start_task(&first, &WorkPlace::default())?;
        let submission = Submission {
            repo: writer.register_repo("/nowhere", None)?.id,
            place: WorkPlace::default(),
            file_gates: Vec::new(),
            phases: Phases::default(),
        };
        let review = writer.submit_task(&first, &submission)?;
        let comment = NewComment {
            body: "Why so?".into(),
            ..NewComment::default()
        };
        writer.add_comment(&review, &comment)?;
        writer.add_learning(&first, "Tests are slow")?;
        writer.start_task(&second, &WorkPlace::default())?;
        let question = NewHelp {
            category: HelpCategory::Decision,
            reason: "Which port?\nThere are many.".into(),
            suggested_options: vec!["80".into()],
        };
        writer.request_help(&second, &question)?;
        Ok(())
    });
    write.expect("written");
}

#[test]
fn a_task_with_everything_is_shown_whole() {
    let sandbox = project();
    sandbox.ok(
        "add_task_comment",
        json!({"task_id": 5, "author": "ann", "body": "Careful", "priority": "medium"}),
    );
    with_work(&sandbox);
    let shown = sandbox.ok("board_show", json!({"id": 5}));
    assert_eq!(shown["status"], "in_review");
    assert_eq!(shown["gates"][0]["name"], "tests");
    assert_eq!(shown["gates"][0]["last_result"]["status"], "queued");
    assert_eq!(shown["review"]["status"], "gates_pending");
    assert_eq!(shown["review_comments"][0]["body"], "Why so?");
    assert_eq!(shown["comments"][0]["body"], "Careful");
    assert_eq!(shown["comments"][0]["priority"], "normal");
    assert_eq!(shown["learnings"]["own"][0]["content"], "Tests are slow");
    assert!(shown["started_at"].is_string());
    let asked = sandbox.ok("board_show", json!({"id": 6}));
    assert_eq!(asked["status"], "awaiting_human");
    assert_eq!(asked["question"]["suggested_options"], json!(["80"]));
    assert!(
        asked.get("claimed_by").is_none(),
        "whoever asks gives it back"
    );
}

#[test]
fn what_waits_for_a_person_who_works_and_what_is_ready() {
    let sandbox = project();
    with_work(&sandbox);
    sandbox.ok("board_create", json!({"title": "Ready"}));
    sandbox.ok("board_create", json!({"title": "Begun"}));
    sandbox.ok("board_update", json!({"id": 8, "status": "in_progress"}));
    sandbox.ok("board_create", json!({"title": "Waits", "blocked_by": [8]}));
    let status = sandbox.ok("board_status", json!({}));
    let waiting = &status["waiting_for_person"];
    assert_eq!(waiting.as_array().map(Vec::len), Some(1), "{waiting}");
    assert_eq!(
        (&waiting[0]["what"], &waiting[0]["number"]),
        (&json!("question"), &json!(6))
    );
    assert_eq!(waiting[0]["reason"], "question 1: Which port?");
    let command = waiting[0]["commands"][0].as_str().expect("a command");
    assert!(
        command.starts_with("windlass ") && command.ends_with(" 1"),
        "{command}"
    );
    assert_eq!(status["in_progress"][0]["number"], 8);
    assert!(status["in_progress"][0]["since"].is_string());
    assert_eq!(
        (&status["ready_total"], &status["blocked"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(status["ready"][0]["number"], 7);
    assert_eq!(status["counts"]["in_review"], 1);
    assert_eq!(status["counts"]["done"], 0);
    assert_eq!(status["running_jobs"], json!([]));
}

#[test]
fn a_person_sees_only_sections_with_something_in_them() {
    let sandbox = project();
    sandbox.ok("board_create", everything());
    let headings = |id: i64| -> Vec<String> {
        let entry = windlass_ops::find("board_show").expect("there");
        let call = windlass_ops::call(
            entry,
            sandbox.context.clone(),
            json!({ "id": id }),
            tokio_util::sync::CancellationToken::new(),
        );
        let view = futures::executor::block_on(call).expect("shown").view();
        let lines = view.blocks.into_iter().filter_map(|block| match block {
            Block::Line(spans) if spans.len() == 1 => Some(spans[0].text.clone()),
            _ => None,
        });
        lines.collect()
    };
    assert_eq!(headings(5), ["Blocks"]);
    assert_eq!(
        headings(7),
        [
            "Description",
            "Acceptance criteria",
            "Pseudocode",
            "Context files",
            "Output artifacts",
            "Blocked by",
            "Blocks",
            "Relations",
        ]
    );
}
