//! The knowledge toolset, operation by operation.

use serde_json::{Value as Json, json};

use crate::support::{Sandbox, sandbox};

fn titles(page: &Json, of: &str) -> Vec<String> {
    page[of]
        .as_array()
        .expect(of)
        .iter()
        .map(|entity| entity["title"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn an_entity_looks_as_the_seed_shows_it() {
    let sandbox = sandbox();
    let made = sandbox.ok(
        "entity_create",
        json!({
            "type": "decision", "title": "Use PostgreSQL", "content": "## Context...",
            "tags": ["database", "infrastructure"],
            "properties": {"status": "accepted", "context": "We need a relational database..."}
        }),
    );
    assert_eq!(made["sequence_number"], 1);
    assert_eq!(made["type"], "decision");
    assert_eq!(made["tags"], json!(["database", "infrastructure"]));
    assert_eq!(
        made["properties"],
        json!({"status": "accepted", "context": "We need a relational database..."})
    );
    assert_eq!(made["id"].as_str().map(str::len), Some(36));
    assert!(
        made["created_at"]
            .as_str()
            .is_some_and(|at| at.ends_with('Z'))
    );
    assert_eq!(sandbox.ok("entity_get", json!({"id": "1"})), made);
    assert_eq!(
        sandbox.ok("entity_get", json!({"id": 1})),
        made,
        "a JSON number is taken too"
    );
}

#[test]
fn a_batch_goes_on_after_a_failure() {
    let sandbox = sandbox();
    sandbox.add("note", "first", json!({}));
    let report = sandbox.ok(
        "entity_batch",
        json!({"operations": [
            {"op": "create", "type": "task", "title": "Task 1", "properties": {"priority": "high"}},
            {"op": "update", "id": "2", "title": "Updated"},
            {"op": "delete", "id": "def456"},
            {"op": "create", "type": "task", "title": ""},
            {"op": "explode"},
            "nonsense",
            {"op": "delete", "id": "1"},
        ]}),
    );
    assert_eq!(
        (report["succeeded"].clone(), report["failed"].clone()),
        (json!(3), json!(4))
    );
    let codes: Vec<&str> = report["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| result["error"]["code"].as_str().unwrap_or("ok"))
        .collect();
    let expected = [
        "ok",
        "ok",
        "ENTITY_NOT_FOUND",
        "TITLE_REQUIRED",
        "INVALID_ENUM_VALUE",
        "VALIDATION_FAILED",
        "ok",
    ];
    assert_eq!(codes, expected);
    assert_eq!(
        report["results"][2]["error"]["message"],
        "Entity def456 not found"
    );
    assert_eq!(
        sandbox.ok("entity_get", json!({"id": "2"}))["title"],
        "Updated"
    );
    assert_eq!(
        sandbox.refused("entity_get", json!({"id": "1"})).data()["error_type"],
        "EntityNotFound"
    );
}

#[test]
fn a_batch_relates_what_it_creates() {
    let sandbox = sandbox();
    sandbox.add("task", "before", json!({}));
    let report = sandbox.ok(
        "entity_batch",
        json!({"operations": [
            {"op": "create", "type": "task", "title": "first"},
            {"op": "create", "type": "task", "title": ""},
            {"op": "create", "type": "task", "title": "second"},
            {"op": "relate", "source_id": "@0", "relation_type": "blocks", "target_id": "@2"},
            {"op": "relate", "source_id": "1", "relation_type": "blocks", "target_id": "@0"},
            {"op": "relate", "source_id": "@0", "relation_type": "blocks", "target_id": "@1"},
            {"op": "relate", "source_id": "@6", "relation_type": "blocks", "target_id": "@0"},
            {"op": "relate", "source_id": "@2", "relation_type": "blocks", "target_id": "1"},
            {"op": "update", "id": "@2", "title": "renamed"},
        ]}),
    );
    let outcomes: Vec<String> = report["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| match result["sequence_number"].as_i64() {
            Some(number) => format!("#{number}"),
            None => format!(
                "{}: {}",
                result["error"]["code"], result["error"]["message"]
            ),
        })
        .collect();
    assert_eq!(
        outcomes[..5],
        ["#2", outcomes[1].as_str(), "#3", "#2", "#1"]
    );
    assert!(outcomes[5].contains("@1 is no entity"), "{outcomes:?}");
    assert!(outcomes[6].contains("@6 is no entity"), "{outcomes:?}");
    assert!(outcomes[7].contains("CYCLE"), "{outcomes:?}");
    assert_eq!(outcomes[8], "#3");
    let ready = sandbox.ok("task_ready", json!({}));
    assert_eq!(ready["tasks"].as_array().map(Vec::len), Some(1), "{ready}");
    let second = sandbox.ok("entity_get", json!({"id": "3"}));
    assert_eq!(second["title"], "renamed");
}

#[test]
fn batches_have_a_limit() {
    let sandbox = sandbox();
    let many = |count: usize| {
        let one = json!({"op": "create", "type": "note", "title": "n"});
        json!({"operations": vec![one; count]})
    };
    assert_eq!(sandbox.ok("entity_batch", many(100))["succeeded"], 100);
    let error = sandbox.refused("entity_batch", many(101));
    assert_eq!(error.data()["error_type"], "BatchTooLarge");
    assert!(sandbox.call("entity_batch", many(0)).is_err());
    assert!(
        sandbox
            .call("entity_batch", json!({"operations": {"op": "create"}}))
            .is_err()
    );
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "a table, one row for each error type"
)]
fn every_error_type_has_its_code_and_data() {
    let sandbox = sandbox();
    sandbox.add("task", "t", json!({}));
    sandbox.add("decision", "d", json!({}));
    let rows: &[(&str, Json, &str, i32)] = &[
        ("entity_get", json!({"id": "99"}), "EntityNotFound", -32001),
        (
            "entity_create",
            json!({"type": "bug", "title": "x"}),
            "EntityTypeInvalid",
            -32002,
        ),
        (
            "entity_create",
            json!({"type": "task", "title": " "}),
            "TitleRequired",
            -32003,
        ),
        (
            "entity_create",
            json!({"type": "task", "title": "x".repeat(501)}),
            "TitleTooLong",
            -32003,
        ),
        (
            "entity_create",
            json!({"type": "note", "title": "x", "content": "x".repeat(102_401)}),
            "ContentTooLarge",
            -32003,
        ),
        (
            "entity_update",
            json!({"id": "1", "properties": {"status": "open"}}),
            "InvalidEnumValue",
            -32003,
        ),
        (
            "task_reschedule",
            json!({"id": "1", "due_date": "soon"}),
            "InvalidDateFormat",
            -32003,
        ),
        (
            "entity_create",
            json!({"type": "link", "title": "x", "properties": {"url": "nope"}}),
            "InvalidUrl",
            -32003,
        ),
        (
            "entity_create",
            json!({"type": "link", "title": "x"}),
            "ValidationFailed",
            -32003,
        ),
        (
            "relation_create",
            json!({"source_id": "1", "relation_type": "implements", "target_id": "99"}),
            "RelationTargetNotFound",
            -32004,
        ),
        (
            "relation_create",
            json!({"source_id": "1", "relation_type": "references", "target_id": "1"}),
            "SelfReferentialRelation",
            -32003,
        ),
        (
            "relation_create",
            json!({"source_id": "2", "relation_type": "implements", "target_id": "1"}),
            "RelationNotAllowed",
            -32003,
        ),
        (
            "graph_path",
            json!({"from_id": "1", "to_id": "2", "max_depth": 51}),
            "MaxDepthExceeded",
            -32003,
        ),
        (
            "task_complete",
            json!({"id": "2"}),
            "ValidationFailed",
            -32003,
        ),
        (
            "entity_list",
            json!({"limit": 101}),
            "ValidationFailed",
            -32003,
        ),
        (
            "entity_list",
            json!({"type": "task", "status": "accepted"}),
            "InvalidEnumValue",
            -32003,
        ),
    ];
    for (name, input, kind, code) in rows {
        let error = sandbox.refused(name, input.clone());
        assert_eq!(error.kind().name(), *kind, "{name} {input}");
        assert_eq!(error.kind().code(), *code, "{kind}");
        assert_eq!(error.data()["error_type"], *kind);
    }
}

#[test]
fn superseding_a_decision_changes_both_ends() {
    let sandbox = sandbox();
    sandbox.add("decision", "old", json!({"status": "accepted"}));
    sandbox.add("decision", "new", json!({"status": "accepted"}));
    let both = sandbox.ok("decision_supersede", json!({"old_id": "1", "new_id": "2"}));
    assert_eq!(both["old"]["properties"]["status"], "superseded");
    assert_eq!(
        both["old"]["properties"]["superseded_by"],
        both["new"]["id"]
    );
    let relations = sandbox.ok("graph_relations", json!({"id": "2", "direction": "from"}));
    assert_eq!(relations["relations"][0]["relation_type"], "supersedes");
    assert_eq!(relations["relations"][0]["target_number"], 1);
    sandbox.add("task", "t", json!({}));
    assert!(
        sandbox
            .call("decision_supersede", json!({"old_id": "3", "new_id": "2"}))
            .is_err()
    );
}

fn chain(sandbox: &Sandbox) {
    for title in ["a", "b", "c"] {
        sandbox.add("task", title, json!({}));
    }
    for (source, target) in [("1", "2"), ("2", "3")] {
        let input = json!({"source_id": source, "relation_type": "blocks", "target_id": target});
        assert_eq!(sandbox.ok("relation_create", input)["changed"], true);
    }
}

#[test]
fn completing_a_task_tells_what_it_released() {
    let sandbox = sandbox();
    chain(&sandbox);
    assert_eq!(sandbox.ok("task_next", json!({}))["task"]["title"], "a");
    let blocked = sandbox.ok("task_blocked", json!({}));
    assert_eq!(titles(&blocked, "tasks"), ["b", "c"]);
    assert_eq!(blocked["tasks"][0]["blockers"][0]["title"], "a");
    let done = sandbox.ok("task_complete", json!({"id": "1"}));
    assert_eq!(done["properties"]["status"], "done");
    assert_eq!(titles(&done, "unblocked"), ["b"]);
    assert_eq!(titles(&sandbox.ok("task_ready", json!({})), "tasks"), ["b"]);
    let one = sandbox.ok("task_blocked", json!({"id": "3"}));
    assert_eq!(one["tasks"][0]["blockers"][0]["sequence_number"], 2);
    assert!(titles(&sandbox.ok("task_blocked", json!({"id": "2"})), "tasks").is_empty());
}

#[test]
fn paths_and_orphans() {
    let sandbox = sandbox();
    chain(&sandbox);
    sandbox.add("note", "alone", json!({}));
    let path = sandbox.ok("graph_path", json!({"from_id": "3", "to_id": "1"}));
    assert_eq!(titles(&path, "entities"), ["c", "b", "a"]);
    assert_eq!(path["path"].as_array().map(Vec::len), Some(3));
    let near = sandbox.ok(
        "graph_path",
        json!({"from_id": "3", "to_id": "1", "max_depth": 1}),
    );
    assert_eq!(near["path"], json!([]));
    let itself = sandbox.ok("graph_path", json!({"from_id": "3", "to_id": "3"}));
    assert_eq!(titles(&itself, "entities"), ["c"]);
    assert_eq!(
        sandbox.ok("graph_path", json!({"from_id": "4", "to_id": "1"}))["path"],
        json!([])
    );
    assert_eq!(
        titles(&sandbox.ok("graph_orphans", json!({})), "entities"),
        ["alone"]
    );
    assert!(
        titles(
            &sandbox.ok("graph_orphans", json!({"type": "task"})),
            "entities"
        )
        .is_empty()
    );
}

#[test]
fn a_blocker_that_will_never_be_done_says_how_to_go_on() {
    let sandbox = sandbox();
    chain(&sandbox);
    let store = &sandbox.context.store;
    // Skipping is a word of another dialect; the queue must still explain it in this one.
    store
        .write(&sandbox.context.origin, |writer| {
            let id = writer.resolve("id", "1")?;
            let patch = windlass_core::Patch {
                properties: json!({"status": "skipped"})
                    .as_object()
                    .cloned()
                    .unwrap_or_default(),
                ..windlass_core::Patch::default()
            };
            writer.update(&id, &patch, windlass_core::Dialect::Plan)
        })
        .expect("written");
    let blocked = sandbox.ok("task_blocked", json!({"id": "2"}));
    let blocker = &blocked["tasks"][0]["blockers"][0];
    assert_eq!(blocker["status"], "skipped");
    assert!(
        blocker["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("relation_delete"))
    );
    assert_eq!(
        sandbox.ok("entity_get", json!({"id": "1"}))["properties"]["status"],
        "done"
    );
}

#[test]
fn claims_by_name_and_by_queue() {
    let sandbox = sandbox();
    assert_eq!(sandbox.ok("task_claim", json!({}))["claimed"], false);
    sandbox.add("task", "a", json!({}));
    sandbox.add("task", "b", json!({"priority": "high"}));
    let claim = sandbox.ok("task_claim", json!({"owner": "one"}));
    assert_eq!(claim["task"]["title"], "b");
    let claim = sandbox.ok("task_claim", json!({"owner": "two"}));
    assert_eq!(claim["task"]["title"], "a");
    let error = sandbox.refused("task_claim", json!({"id": "2", "owner": "two"}));
    assert_eq!(error.data()["error_type"], "TaskClaimed");
    assert_eq!(error.data()["owner"], "one");
    let back = sandbox.ok(
        "task_claim",
        json!({"id": "2", "owner": "one", "release": true}),
    );
    assert_eq!(back["released"], true);
    assert!(
        sandbox
            .call("task_claim", json!({"id": "2", "lease_seconds": 0}))
            .is_err()
    );
    assert!(
        sandbox
            .call("task_claim", json!({"release": true}))
            .is_err()
    );
}

#[test]
fn long_answers_end_early_and_say_where_to_go_on() {
    let mut sandbox = sandbox();
    for at in 0..5 {
        let content = "x".repeat(30_000);
        sandbox.ok(
            "entity_create",
            json!({"type": "note", "title": format!("n{at}"), "content": content}),
        );
    }
    let big = json!({
        "type": "decision", "title": "big", "content": "é".repeat(50_000),
        "properties": {"context": "c".repeat(40_000), "consequences": vec!["k".repeat(1000); 50]}
    });
    sandbox.ok("entity_create", big);
    sandbox.context.output_budget = Some(80_000);
    let page = sandbox.ok("entity_list", json!({"verbose": true}));
    assert_eq!(page["entities"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        (page["total"].clone(), page["next_offset"].clone()),
        (json!(6), json!(2))
    );
    let one = sandbox.ok("entity_get", json!({"id": "6"}));
    assert!(one.to_string().len() <= 80_000);
    assert_eq!(
        one["truncated"],
        json!({"content": 50_000, "context": 40_000})
    );
    let rest = sandbox.ok("entity_get", json!({"id": "6", "content_from": 40_000}));
    assert_eq!(
        rest["content"].as_str().map(|text| text.chars().count()),
        Some(10_000)
    );
}

#[test]
fn the_history_can_be_filtered() {
    let sandbox = sandbox();
    chain(&sandbox);
    sandbox.ok("task_complete", json!({"id": "1"}));
    let newest = sandbox.ok("event_list", json!({"limit": 1}));
    assert_eq!(newest["events"][0]["type"], "entity.updated");
    let of_two = sandbox.ok("event_list", json!({"entity": "2"}));
    assert_eq!(of_two["events"].as_array().map(Vec::len), Some(2));
    let after = sandbox.ok("event_list", json!({"after": 3}));
    assert_eq!(after["events"][0]["seq"], 4);
    let error = sandbox.refused("event_list", json!({"type": "entity.made"}));
    assert!(
        error
            .hint()
            .is_some_and(|hint| hint.contains("Did you mean"))
    );
}

#[test]
fn searching_answers_summaries() {
    let sandbox = sandbox();
    sandbox.ok(
        "entity_create",
        json!({"type": "decision", "title": "Use PostgreSQL", "content": "A relational store.", "tags": ["db"]}),
    );
    let found = sandbox.ok("search_fulltext", json!({"query": "relational"}));
    let hit = &found["results"][0];
    assert_eq!(hit["title"], "Use PostgreSQL");
    assert_eq!(hit["snippet"], "A **relational** store.");
    assert!(hit["score"].as_f64().is_some_and(|score| score > 0.0));
    assert_eq!(
        (found["matched"].clone(), found["has_more"].clone()),
        (json!("all"), json!(false))
    );
    assert!(
        sandbox
            .call("search_fulltext", json!({"query": "  "}))
            .is_err()
    );
    let filtered = sandbox.ok("search_query", json!({"query": "type:decision tag:db"}));
    assert_eq!(titles(&filtered, "results"), ["Use PostgreSQL"]);
    assert!(
        sandbox
            .call("search_query", json!({"query": "type:bug"}))
            .is_err()
    );
}

/// A model pays for every character of a list.
#[test]
fn lists_have_no_noise() {
    let sandbox = sandbox();
    sandbox.ok("board_create", json!({"title": "One"}));
    let listed = sandbox.ok("entity_list", json!({}));
    let entity = &listed["entities"][0];
    for field in ["created_at", "updated_at"] {
        let at = entity[field].as_str().expect("a time");
        assert_eq!(at.len(), "2026-11-16T22:30:00Z".len(), "{at}");
    }
    assert_eq!(entity["properties"].get("provenance"), None, "{entity}");
    let whole = sandbox.ok("entity_get", json!({"id": "1"}));
    assert!(whole["properties"]["provenance"].is_string(), "{whole}");
    let long = "ö".repeat(300);
    sandbox.ok("entity_update", json!({"id": "1", "content": long}));
    let entity = sandbox.ok("entity_list", json!({}))["entities"][0].clone();
    assert_eq!(entity.get("content"), None, "{entity}");
    let excerpt = format!("{}…", "ö".repeat(200));
    assert_eq!(entity["excerpt"], excerpt);
    let entity = sandbox.ok("entity_list", json!({"verbose": true}))["entities"][0].clone();
    assert_eq!(
        (entity.get("excerpt"), &entity["content"]),
        (None, &json!(long))
    );
    let events = |input: Json| sandbox.ok("event_list", input)["events"][0].clone();
    let brief = events(json!({"entity": "1"}));
    assert_eq!((brief.get("id"), brief.get("entity_id")), (None, None));
    let verbose = events(json!({"entity": "1", "verbose": true}));
    assert!(verbose["id"].is_string() && verbose["entity_id"].is_string());
}

#[test]
fn lists_say_how_many_there_are() {
    let sandbox = sandbox();
    for title in ["One", "Two", "Three"] {
        sandbox.add("task", title, json!({}));
    }
    let waits = sandbox.add("task", "Four", json!({"status": "blocked"}));
    assert_eq!(waits, 4);
    let page = json!({"limit": 2});
    assert_eq!(sandbox.ok("task_ready", page.clone())["total"], 3);
    assert_eq!(
        sandbox.ok("task_ready", json!({"limit": 2, "offset": 2}))["total"],
        3
    );
    assert_eq!(
        sandbox.ok("task_ready", json!({"priority": "high"}))["total"],
        0
    );
    assert_eq!(sandbox.ok("task_blocked", page)["total"], 1);
    assert_eq!(sandbox.ok("task_blocked", json!({"id": "4"}))["total"], 1);
    assert_eq!(sandbox.ok("graph_orphans", json!({}))["total"], 4);
}

#[test]
fn the_history_is_paged_and_counted() {
    let sandbox = sandbox();
    for number in 0..5 {
        sandbox.add("note", &format!("Note {number}"), json!({}));
    }
    let page = |input: Json| {
        let answer = sandbox.ok("event_list", input);
        let events = answer["events"].as_array().expect("a list");
        let numbers: Vec<i64> = events
            .iter()
            .map(|event| event["seq"].as_i64().expect("a number"))
            .collect();
        (numbers, answer["total"].as_u64())
    };
    let (all, none) = page(json!({}));
    assert_eq!(none, None, "nothing is counted that nobody asked for");
    let total = Some(all.len() as u64);
    assert_eq!(
        page(json!({"limit": 2, "offset": 0})),
        (all[..2].to_vec(), total)
    );
    assert_eq!(
        page(json!({"limit": 2, "offset": 3})),
        (all[3..5].to_vec(), total)
    );
    let created = json!({"type": "entity.created", "limit": 1, "offset": 4});
    assert_eq!(page(created).1, Some(5));
    let of_person = page(json!({"actor": "human", "offset": 0}));
    let of_agent = page(json!({"actor": "agent", "offset": 0}));
    assert_eq!(
        of_person.1.unwrap_or(0) + of_agent.1.unwrap_or(0),
        all.len() as u64
    );
    let error = sandbox.refused("event_list", json!({"actor": "somebody"}));
    assert_eq!(error.data()["field"], "actor");
}
