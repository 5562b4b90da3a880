//! The board: tasks by any filter, one view of everything, and what waits for a person.

use serde_json::{Value as Json, json};
use windlass_core::{Date, Timestamp};

use crate::support::{Sandbox, sandbox};

/// The numbers of the tasks that a filter finds, in the order of the answer.
fn found(sandbox: &Sandbox, filter: Json) -> Vec<i64> {
    let answer = sandbox.ok("board_list", filter);
    let numbers = answer["tasks"].as_array().expect("a list");
    let numbers: Vec<i64> = numbers
        .iter()
        .map(|task| task["number"].as_i64().expect("a number"))
        .collect();
    assert_eq!(answer["total"], json!(numbers.len()), "{answer}");
    numbers
}

fn day(days: i64) -> String {
    let millis = Timestamp::now().as_millis() + days * 86_400_000;
    Timestamp::from_millis(millis).day().to_owned()
}

/// A board on which every filter finds something else:
/// 1 feature auth, 2 discipline backend, 3 milestone, 4 task below 3, 5 subtask below 4,
/// 6 urgent and due, blocked by 7; 7 in progress and claimed; 8 done; 9 draft; 10 cancelled and overdue.
fn board() -> Sandbox {
    let sandbox = sandbox();
    sandbox.add("feature", "Authentication", json!({"name": "auth"}));
    sandbox.add("discipline", "Backend", json!({"name": "backend"}));
    let work = |title: &str, more: Json| {
        let mut input = json!({"description": title});
        for (name, value) in more.as_object().expect("an object") {
            input[name] = value.clone();
        }
        sandbox.ok("work_create", input)["number"]
            .as_i64()
            .expect("a number")
    };
    let milestone = work(
        "Version one",
        json!({"kind": "milestone", "priority": "low"}),
    );
    let task = work(
        "Write the parser",
        json!({"parent_id": milestone.to_string()}),
    );
    let subtask = work("Read numbers", json!({"parent_id": task.to_string()}));
    assert_eq!((milestone, task, subtask), (3, 4, 5));
    let urgent = sandbox.add(
        "task",
        "Deploy the server",
        json!({"priority": "urgent", "due_date": "2999-01-02", "assignee": "ann"}),
    );
    let begun = sandbox.add("task", "Build the server", json!({"feature": "auth"}));
    assert_eq!((urgent, begun), (6, 7));
    sandbox.ok("work_block", json!({"id": "6", "blocked_by": "7"}));
    sandbox.ok("task_claim", json!({"id": "7"}));
    let set = |id: i64, status: &str| {
        sandbox.ok("set_task_status", json!({"id": id, "status": status}));
    };
    set(7, "in_progress");
    let tagged = json!({"type": "task", "title": "Choose a name", "tags": ["name", "web"],
        "properties": {"discipline": "backend", "status": "done"}});
    sandbox.ok("entity_create", tagged);
    let draft = json!({"type": "task", "title": "Dream", "tags": ["web"],
        "properties": {"status": "draft", "priority": "high"}});
    sandbox.ok("entity_create", draft);
    let late = json!({"due_date": day(-2), "status": "cancelled"});
    sandbox.add("task", "Too late", late);
    sandbox
}

#[test]
fn every_filter_finds_its_tasks() {
    let board = board();
    for (filter, expected) in [
        (json!({"status": ["todo"]}), vec![6, 4, 5, 3]),
        (json!({"status": ["completed", "in_progress"]}), vec![7, 8]),
        (json!({"status": ["!pending", "!done"]}), vec![9, 7, 10]),
        (json!({"status": ["pending", "done", "!todo"]}), vec![8]),
        (json!({"ready": true}), vec![4, 5, 7, 3]),
        (json!({"ready": false}), vec![6, 9, 10, 8]),
        (json!({"blocked": true}), vec![6]),
        (
            json!({"blocked": false, "status": ["pending"]}),
            vec![4, 5, 3],
        ),
        (json!({"claimed": true}), vec![7]),
        (json!({"claimed": false, "status": ["in_progress"]}), vec![]),
        (json!({"claimed_by": "test"}), vec![7]),
        (json!({"claimed_by": "another"}), vec![]),
        (json!({"assignee": "ann"}), vec![6]),
        (json!({"feature": "auth"}), vec![7]),
        (json!({"discipline": "backend"}), vec![8]),
        (json!({"parent": 3}), vec![4]),
        (json!({"parent": "#4"}), vec![5]),
        (json!({"kind": "milestone"}), vec![3]),
        (json!({"kind": "subtask"}), vec![5]),
        (json!({"tag": ["web"]}), vec![9, 8]),
        (json!({"tag": ["web", "name"]}), vec![8]),
        (json!({"priority": ["critical", "high"]}), vec![6, 9]),
        (json!({"priority": [0, "3"]}), vec![6, 3]),
        (json!({"due": "2999-01-02"}), vec![6]),
        (json!({"due": "after:2999-01-01"}), vec![6]),
        (json!({"due": "before:2999-01-02"}), vec![10]),
        (
            json!({"due": "none", "kind": "task", "ready": true}),
            vec![4, 7],
        ),
        (json!({"due": "today"}), vec![]),
        (json!({"text": "server"}), vec![6, 7]),
        (json!({"text": "the serv"}), vec![6, 7]),
        (json!({"text": "build serv"}), vec![7]),
        (json!({"text": "+++"}), vec![]),
        (
            json!({"tag": ["web"], "status": ["!done"], "text": "dream"}),
            vec![9],
        ),
    ] {
        assert_eq!(found(&board, filter.clone()), expected, "{filter}");
    }
}

#[test]
fn what_is_overdue_is_open() {
    let sandbox = sandbox();
    sandbox.add("task", "Late", json!({"due_date": day(-2)}));
    sandbox.add(
        "task",
        "Late but done",
        json!({"due_date": day(-2), "status": "done"}),
    );
    sandbox.add("task", "Today", json!({"due_date": Date::today().as_str()}));
    assert_eq!(found(&sandbox, json!({"due": "overdue"})), [1]);
    assert_eq!(found(&sandbox, json!({"due": "today"})), [3]);
}

#[test]
fn unknown_words_name_the_known_ones() {
    let board = board();
    for (filter, known) in [
        (json!({"status": ["open"]}), "awaiting_human"),
        (json!({"status": ["!open"]}), "awaiting_human"),
        (json!({"priority": ["asap"]}), "urgent"),
        (json!({"kind": "epic"}), "milestone"),
        (json!({"due": "soon"}), "overdue"),
        (json!({"due": "before:soon"}), "YYYY-MM-DD"),
        (json!({"sort": "age"}), "queue"),
        (json!({"feature": "nothing"}), "auth"),
        (json!({"discipline": "nothing"}), "backend"),
        (json!({"stat": ["done"]}), "status"),
    ] {
        let error = board.refused("board_list", filter.clone());
        let said = format!("{} {}", error.data(), error.hint().unwrap_or_default());
        assert!(said.contains(known), "{filter}: {said}");
    }
}

#[test]
fn orders_and_pages() {
    let board = board();
    for (sort, expected) in [
        ("queue", vec![6, 9, 4, 5, 7, 3, 10, 8]),
        ("number", vec![3, 4, 5, 6, 7, 8, 9, 10]),
        ("updated", vec![10, 9, 8, 7, 6, 5, 4, 3]),
        ("due", vec![10, 6, 9, 4, 5, 7, 8, 3]),
    ] {
        assert_eq!(found(&board, json!({"sort": sort})), expected, "{sort}");
    }
    let mut seen = Vec::new();
    let mut offset = json!(0);
    while !offset.is_null() {
        let page = board.ok("board_list", json!({"limit": 3, "offset": offset}));
        assert_eq!((&page["total"], &page["limit"]), (&json!(8), &json!(3)));
        seen.extend(page["tasks"].as_array().expect("tasks").clone());
        offset = page["next_offset"].clone();
    }
    let numbers: Vec<&Json> = seen.iter().map(|task| &task["number"]).collect();
    assert_eq!(json!(numbers), json!([6, 9, 4, 5, 7, 3, 10, 8]));
}

#[test]
fn a_row_says_who_holds_a_task_and_what_it_waits_for() {
    let board = board();
    let rows = board.ok("board_list", json!({"text": "server"}));
    let (waiting, held) = (&rows["tasks"][0], &rows["tasks"][1]);
    assert_eq!(waiting["blocked"], true);
    assert_eq!(waiting["blocked_by"], json!([7]));
    assert_eq!(waiting["assignee"], "ann");
    assert_eq!(waiting["priority"], "urgent");
    assert_eq!(held["claimed_by"], "test");
    assert!(held["claimed_until"].is_string() && held.get("id").is_none());
    assert_eq!(
        (&held["status"], &held["kind"]),
        (&json!("in_progress"), &json!("task"))
    );
    let below = board.ok("board_list", json!({"parent": 4}));
    assert_eq!(below["tasks"][0]["parent"], 4);
    // What blocks a task blocks those below it.
    board.ok("work_block", json!({"id": "3", "blocked_by": "6"}));
    let below = board.ok("board_list", json!({"parent": 4}));
    assert_eq!(below["tasks"][0]["blocked_by"], json!([6]));
}

#[test]
fn other_types_are_shown_whole_too() {
    let sandbox = sandbox();
    let decision = json!({"type": "decision", "title": "Use SQLite", "content": "One file.",
        "tags": ["storage"], "properties": {"status": "accepted", "context": "We need a database."}});
    sandbox.ok("entity_create", decision);
    sandbox.add("task", "Write the store", json!({}));
    let relation = json!({"source_id": "2", "relation_type": "implements", "target_id": "1"});
    sandbox.ok("relation_create", relation);
    let shown = sandbox.ok("board_show", json!({"id": 1}));
    assert_eq!(shown["type"], "decision");
    assert_eq!(shown["status"], "accepted");
    assert_eq!(shown["description"], "One file.");
    assert_eq!(shown["context"], "We need a database.");
    assert_eq!(shown["relations"][0]["direction"], "from");
    assert_eq!(shown["relations"][0]["number"], 2);
    assert!(shown.get("blocked_by").is_none() && shown.get("gates").is_none());
    let task = sandbox.ok("board_show", json!({"id": "#2"}));
    assert_eq!(task["relations"][0]["type"], "implements");
    assert_eq!(task["relations"][0]["direction"], "to");
    let error = sandbox.refused("board_show", json!({"id": 99}));
    assert_eq!(error.data()["error_type"], "EntityNotFound");
}

#[test]
fn the_tree_is_read_level_by_level() {
    let board = board();
    let level = |input: Json| {
        let answer = board.ok("board_tree", input);
        let tasks = answer["tasks"].as_array().expect("a list");
        let row = |task: &Json| {
            let count = |name: &str| task[name].as_u64().expect(name);
            (count("number"), count("parts"), count("parts_ended"))
        };
        let rows: Vec<_> = tasks.iter().map(row).collect();
        (rows, answer["total"].as_u64().expect("a total"))
    };
    // What is made of parts comes first; only tasks without parts of their own are counted.
    let roots = vec![
        (3, 1, 0),
        (6, 0, 0),
        (7, 0, 0),
        (8, 0, 0),
        (9, 0, 0),
        (10, 0, 0),
    ];
    assert_eq!(level(json!({})), (roots.clone(), 6));
    assert_eq!(
        level(json!({"limit": 2, "offset": 1})),
        (roots[1..3].to_vec(), 6)
    );
    let open = vec![(3, 1, 0), (6, 0, 0), (7, 0, 0), (9, 0, 0)];
    assert_eq!(level(json!({"open": true})), (open, 4));
    assert_eq!(level(json!({"parent": "3"})), (vec![(4, 1, 0)], 1));
    assert_eq!(level(json!({"parent": "#4"})), (vec![(5, 0, 0)], 1));
    assert_eq!(level(json!({"parent": "5"})), (vec![], 0));
    board.ok("set_task_status", json!({"id": 5, "status": "done"}));
    assert_eq!(level(json!({"parent": "3"})), (vec![(4, 1, 1)], 1));
    // A part that is deleted does not count, and its task has no parts any more.
    board.ok("entity_delete", json!({"id": "5"}));
    assert_eq!(level(json!({"parent": "3"})), (vec![(4, 0, 0)], 1));
    let error = board.refused("board_tree", json!({"parent": "1"}));
    assert_eq!(error.data()["field"], "parent");
}
