//! Inputs in the words of the caller: titles, priorities as numbers, and errors that name the field
//! that was given.

use serde_json::{Value as Json, json};

use crate::support::{Sandbox, sandbox};

fn field(sandbox: &Sandbox, tool: &str, input: Json) -> Json {
    let error = sandbox.refused(tool, input.clone());
    let data = error.data();
    if let Some(field) = data["field"].as_str() {
        assert!(!field.is_empty() && field != ".", "{tool} {input}: {data}");
    }
    data["field"].clone()
}

/// A feature and a discipline, which tasks of the plan need.
fn plan(sandbox: &Sandbox) {
    let feature = json!({"name": "area", "display_name": "Area"});
    sandbox.ok("create_feature", feature);
    let discipline =
        json!({"name": "craft", "display_name": "Craft", "icon": "x", "color": "blue"});
    sandbox.ok("create_discipline", discipline);
}

#[test]
fn a_task_has_a_title_in_every_dialect() {
    let sandbox = sandbox();
    let both = json!({"title": "Fix it", "description": "It is broken since May."});
    let task = sandbox.ok("work_create", both);
    assert_eq!(task["description"], "Fix it");
    assert_eq!(task["context"], "It is broken since May.");
    let all = json!({"title": "Fix that", "description": "Long.", "context": "Longer."});
    let task = sandbox.ok("work_create", all);
    assert_eq!(task["context"], "Long.\n\nLonger.");
    let task = sandbox.ok("work_update", json!({"id": 1, "title": "Fix it now"}));
    assert_eq!(task["description"], "Fix it now");
    assert_eq!(task["context"], "It is broken since May.");
    let update = json!({"id": 1, "title": "Fix it", "description": "Since June."});
    let task = sandbox.ok("work_update", update);
    assert_eq!(
        (&task["description"], &task["context"]),
        (&json!("Fix it"), &json!("Since June."))
    );
    let task = sandbox.ok("work_update", json!({"id": 1, "description": "Only this"}));
    assert_eq!(task["description"], "Only this");
    assert_eq!(task["context"], "Since June.");
}

#[test]
fn priorities_are_words_or_numbers_everywhere() {
    let sandbox = sandbox();
    plan(&sandbox);
    let planned = |priority: Json| json!({"feature": "area", "discipline": "craft", "title": "T", "priority": priority});
    let cases: Vec<(&str, Json)> = vec![
        ("work_create", json!({"description": "T", "priority": 0})),
        ("work_create", json!({"description": "T", "priority": "0"})),
        ("board_create", json!({"title": "T", "priority": 0})),
        ("create_task", planned(json!(0))),
        (
            "entity_create",
            json!({"type": "task", "title": "T", "properties": {"priority": 0}}),
        ),
        ("work_update", json!({"id": 3, "priority": 0})),
        ("board_update", json!({"id": 3, "priority": 0})),
        ("update_task", json!({"id": 3, "priority": 0})),
        (
            "entity_update",
            json!({"id": 3, "properties": {"priority": 0}}),
        ),
        ("task_ready", json!({"priority": 0})),
        ("board_list", json!({"priority": [0]})),
        ("search_query", json!({"query": "priority:0"})),
    ];
    for (tool, input) in cases {
        let answer = sandbox.ok(tool, input.clone()).to_string();
        let is_urgent = answer.contains("urgent") || answer.contains("critical");
        assert!(
            is_urgent || answer.contains("\"T\""),
            "{tool} {input}: {answer}"
        );
    }
    for number in [4, -1] {
        let input = json!({"description": "T", "priority": number});
        assert_eq!(field(&sandbox, "work_create", input), "priority");
    }
}

#[test]
fn errors_name_the_field_that_was_given() {
    let sandbox = sandbox();
    sandbox.add("task", "Known", json!({}));
    plan(&sandbox);
    let long = "x".repeat(600);
    let huge = "x".repeat(200_000);
    for (tool, input, expected) in [
        ("work_create", json!({"description": long}), "description"),
        ("work_create", json!({"title": long}), "title"),
        (
            "work_create",
            json!({"title": "T", "description": huge}),
            "description",
        ),
        (
            "work_create",
            json!({"description": "T", "context": huge}),
            "context",
        ),
        (
            "work_update",
            json!({"id": 1, "description": ""}),
            "description",
        ),
        (
            "board_create",
            json!({"title": "T", "description": huge}),
            "description",
        ),
        (
            "board_update",
            json!({"id": 1, "description": huge}),
            "description",
        ),
        (
            "create_task",
            json!({"feature": "area", "discipline": "craft", "title": "T", "description": huge}),
            "description",
        ),
        (
            "entity_create",
            json!({"type": "note", "title": "T", "content": huge}),
            "content",
        ),
        ("repo_register", json!({"path": "../elsewhere"}), "path"),
        ("run_create", json!({"spec": {}, "extra": 1}), "extra"),
    ] {
        let shown: String = input.to_string().chars().take(80).collect();
        assert_eq!(field(&sandbox, tool, input), expected, "{tool} {shown}");
    }
}

#[test]
fn errors_do_not_speak_of_rust() {
    let sandbox = sandbox();
    sandbox.add("task", "Known", json!({}));
    for (tool, input) in [
        ("board_list", json!({"limit": "many"})),
        ("entity_list", json!({"limit": -1})),
        (
            "graph_path",
            json!({"from_id": 1, "to_id": 1, "max_depth": "deep"}),
        ),
        ("run_logs", json!({"runId": "run-1", "maxBytes": "all"})),
        ("task_wait", json!({"pid": "first"})),
        ("get_task", json!({"id": "first"})),
        (
            "board_create",
            json!({"title": "T", "estimated_turns": "some"}),
        ),
        ("work_create", json!({"description": "T", "tags": "one"})),
    ] {
        let error = sandbox.refused(tool, input.clone());
        let message = error.message().to_owned();
        for word in [
            "i32",
            "i64",
            "u16",
            "u32",
            "u64",
            "usize",
            "f64",
            "a sequence",
            "a map",
        ] {
            assert!(!message.contains(word), "{tool} {input}: {message}");
        }
        field(&sandbox, tool, input);
    }
}
