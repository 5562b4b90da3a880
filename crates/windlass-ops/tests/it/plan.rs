//! The rules of the plan: what its tools refuse, and what they keep.

use serde_json::{Value as Json, json};
use windlass_core::{Actor, ErrorKind};

use crate::support::{Sandbox, sandbox};

/// The feature auth, the craft backend, and the tasks #3 and #4.
fn planned() -> Sandbox {
    let sandbox = sandbox();
    sandbox.ok(
        "create_feature",
        json!({"name": "auth", "display_name": "Authentication"}),
    );
    sandbox.ok(
        "create_discipline",
        json!({"name": "backend", "display_name": "Backend", "icon": "x", "color": "blue"}),
    );
    for title in ["First", "Second"] {
        sandbox.ok("create_task", task(title));
    }
    sandbox
}

fn task(title: &str) -> Json {
    json!({"feature": "auth", "discipline": "backend", "title": title})
}

fn with(mut base: Json, field: &str, value: Json) -> Json {
    base[field] = value;
    base
}

fn count(sandbox: &Sandbox) -> Json {
    sandbox.ok("list_plan_tasks", json!({}))["total"].clone()
}

/// A tool, what it is given, and the field that its error names.
#[expect(clippy::too_many_lines, reason = "a table")]
fn bad_inputs() -> Vec<(&'static str, Json, &'static str)> {
    vec![
        (
            "create_task",
            with(task("x"), "feature", json!("auht")),
            "feature",
        ),
        (
            "create_task",
            with(task("x"), "discipline", json!("front")),
            "discipline",
        ),
        (
            "create_task",
            with(task("x"), "status", json!("done")),
            "status",
        ),
        (
            "create_task",
            with(task("x"), "priority", json!("asap")),
            "priority",
        ),
        (
            "create_task",
            with(task("x"), "depends_on", json!([99])),
            "depends_on",
        ),
        (
            "create_task",
            with(task("x"), "context_files", json!(["a", "/etc/passwd"])),
            "context_files[1]",
        ),
        (
            "create_task",
            with(task("x"), "output_artifacts", json!(["../x"])),
            "output_artifacts[0]",
        ),
        (
            "create_task",
            with(task("x"), "estimated_turns", json!(0)),
            "estimated_turns",
        ),
        ("create_task", task(" "), "title"),
        (
            "update_task",
            json!({"id": 3, "depends_on": [3]}),
            "depends_on",
        ),
        ("update_task", json!({"id": 99}), "id"),
        ("update_task", json!({"id": 1, "title": "x"}), "id"),
        (
            "set_task_status",
            json!({"id": 3, "status": "open"}),
            "status",
        ),
        ("enrich_task", json!({"id": 3, "pseudocode": "x"}), "id"),
        (
            "enrich_task",
            json!({"id": 3, "pseudocode": " "}),
            "pseudocode",
        ),
        (
            "add_task_comment",
            json!({"task_id": 3, "author": "", "body": "x"}),
            "author",
        ),
        (
            "add_task_comment",
            json!({"task_id": 3, "author": "a", "body": " "}),
            "body",
        ),
        (
            "add_task_comment",
            json!({"task_id": 3, "author": "a", "body": "b", "priority": "x"}),
            "priority",
        ),
        (
            "add_task_comment",
            json!({"task_id": 3, "author": "a", "body": "b", "discipline": "x"}),
            "discipline",
        ),
        (
            "update_task_comment",
            json!({"task_id": 3, "comment_id": 9, "body": "x"}),
            "comment_id",
        ),
        (
            "delete_task_comment",
            json!({"task_id": 3, "comment_id": 9}),
            "comment_id",
        ),
        (
            "create_feature",
            json!({"name": "auth", "display_name": "x"}),
            "name",
        ),
        (
            "create_feature",
            json!({"name": "a b", "display_name": "x"}),
            "name",
        ),
        (
            "create_feature",
            json!({"name": "x", "display_name": " "}),
            "display_name",
        ),
        (
            "create_feature",
            json!({"name": "x", "display_name": "x", "acronym": "auth"}),
            "acronym",
        ),
        (
            "create_feature",
            json!({"name": "x", "display_name": "x", "acronym": "AUTH"}),
            "acronym",
        ),
        (
            "create_feature",
            json!({"name": "x", "display_name": "x", "dependencies": ["y"]}),
            "dependencies",
        ),
        ("update_feature", json!({"name": "y"}), "name"),
        (
            "append_feature_learning",
            json!({"feature_name": "y", "text": "x"}),
            "feature_name",
        ),
        (
            "append_feature_learning",
            json!({"feature_name": "auth", "text": "x".repeat(501)}),
            "text",
        ),
        (
            "append_feature_learning",
            json!({"feature_name": "auth", "text": "x", "source": "me"}),
            "source",
        ),
        (
            "append_feature_learning",
            json!({"feature_name": "auth", "text": "x", "task_id": 99}),
            "task_id",
        ),
        (
            "add_feature_context_file",
            json!({"feature_name": "auth", "file_path": "/x"}),
            "file_path",
        ),
        (
            "create_discipline",
            json!({"name": "x", "display_name": "x", "icon": " ", "color": "x"}),
            "icon",
        ),
        (
            "update_discipline",
            json!({"name": "backend", "display_name": ""}),
            "display_name",
        ),
        ("append_learning", json!({"text": " "}), "text"),
        (
            "append_progress",
            json!({"text": "x".repeat(10_001)}),
            "text",
        ),
        (
            "list_plan_tasks",
            json!({"filter_status": "open"}),
            "filter_status",
        ),
        (
            "list_plan_tasks",
            json!({"filter_feature": "y"}),
            "filter_feature",
        ),
    ]
}

#[test]
fn bad_input_names_the_field_and_leaves_nothing() {
    let sandbox = planned();
    let before = count(&sandbox);
    for (name, input, field) in bad_inputs() {
        let error = sandbox.refused(name, input.clone());
        assert_eq!(error.data()["field"], field, "{name} {input}: {error}");
    }
    assert_eq!(count(&sandbox), before);
    assert_eq!(
        sandbox.ok("list_features", json!({}))["features"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    assert!(
        !sandbox
            .context
            .workspace
            .project()
            .folder()
            .join("learnings.txt")
            .exists()
    );
}

#[test]
fn a_refused_dependency_leaves_no_task_behind() {
    let sandbox = planned();
    let before = count(&sandbox);
    sandbox.refused(
        "create_task",
        with(task("Half"), "depends_on", json!([3, 99])),
    );
    assert_eq!(count(&sandbox), before);
}

#[test]
fn dependencies_are_one_edge_in_every_dialect_and_make_no_circle() {
    let sandbox = planned();
    let changed = sandbox.ok("update_task", json!({"id": 4, "depends_on": [3]}));
    assert_eq!(changed["depends_on"], json!([3]));
    let error = sandbox.refused("update_task", json!({"id": 3, "depends_on": [4]}));
    assert_eq!(error.kind(), ErrorKind::RelationCycle);
    let blocked = sandbox.ok("task_blocked", json!({}));
    assert_eq!(blocked["tasks"][0]["sequence_number"], 4, "{blocked}");
    let error = sandbox.refused("delete_task", json!({"id": 3}));
    assert_eq!(
        error.message(),
        "Cannot delete task 3: task 4 depends on it"
    );
    let detail = sandbox.ok("get_task", json!({"id": 3}));
    assert_eq!(
        detail["dependants"],
        json!([{"id": 4, "title": "Second", "status": "pending"}])
    );
    sandbox.ok("update_task", json!({"id": 4, "depends_on": []}));
    sandbox.ok("delete_task", json!({"id": 3}));
}

#[test]
fn what_is_referred_to_cannot_be_deleted() {
    let sandbox = planned();
    for (tool, name) in [("delete_feature", "auth"), ("delete_discipline", "backend")] {
        let error = sandbox.refused(tool, json!({ "name": name }));
        assert_eq!(error.data()["tasks"], json!([3, 4]), "{tool}");
    }
    for id in [3, 4] {
        sandbox.ok("delete_task", json!({ "id": id }));
    }
    sandbox.ok("delete_feature", json!({"name": "auth"}));
    sandbox.ok("delete_discipline", json!({"name": "backend"}));
}

#[test]
fn a_draft_is_enriched_once() {
    let sandbox = planned();
    let draft = sandbox.ok("create_task", with(task("Draft"), "status", json!("draft")));
    assert_eq!(draft["status"], "draft");
    let id = draft["id"].clone();
    let ready = sandbox.ok("task_ready", json!({}));
    assert!(
        ready["tasks"]
            .as_array()
            .is_some_and(|tasks| tasks.len() == 2),
        "{ready}"
    );
    let input = json!({"id": id, "pseudocode": "1. Do it", "acceptance_criteria": ["It works"]});
    let enriched = sandbox.ok("enrich_task", input.clone());
    assert_eq!(enriched["status"], "pending");
    assert_eq!(enriched["acceptance_criteria"], json!(["It works"]));
    assert!(enriched["enriched_at"].is_string());
    let again = sandbox.refused("enrich_task", input);
    assert_eq!(again.data()["status"], "pending");
    let found = sandbox.ok("search_fulltext", json!({"query": "works"}));
    assert_eq!(found["results"][0]["sequence_number"], id);
}

#[test]
fn statuses_and_priorities_are_told_in_each_dialect() {
    let sandbox = planned();
    for (plan, knowledge) in [
        ("in_progress", "in_progress"),
        ("blocked", "blocked"),
        ("done", "done"),
        ("skipped", "done"),
        ("draft", "todo"),
        ("pending", "todo"),
    ] {
        let set = sandbox.ok("set_task_status", json!({"id": 3, "status": plan}));
        assert_eq!(set["status"], plan);
        let entity = sandbox.ok("entity_get", json!({"id": "3"}));
        assert_eq!(entity["properties"]["status"], knowledge);
    }
    sandbox.ok(
        "entity_update",
        json!({"id": "3", "properties": {"priority": "urgent"}}),
    );
    assert_eq!(
        sandbox.ok("get_task", json!({"id": 3}))["priority"],
        "critical"
    );
}

#[test]
fn learnings_are_kept_once_and_bounded() {
    let sandbox = planned();
    let learn = |text: &str, source: &str| {
        let input = json!({"feature_name": "auth", "text": text, "source": source});
        sandbox.call("append_feature_learning", input)
    };
    assert_eq!(
        learn("Tokens expire after ten minutes", "agent").expect("kept")["outcome"],
        "added"
    );
    let again = learn("tokens expire after ten minutes", "human").expect("kept");
    assert_eq!(again["outcome"], "hit");
    assert_eq!(again["learning"]["hit_count"], 2);
    let opposite = learn("Tokens never expire after ten minutes", "agent").expect("kept");
    assert_eq!(opposite["outcome"], "corrected");
    learn("automatic alpha", "auto").expect("kept");
    for number in 0..48 {
        learn(
            &format!("word{number} other{number} third{number}"),
            "human",
        )
        .expect("kept");
    }
    let full = learn("quite another matter", "agent").expect("kept");
    assert_eq!(full["dropped"], 2, "the automatic one goes first");
    let refused = learn("yet something different", "agent").unwrap_err();
    assert!(refused.message().starts_with("Learnings full"), "{refused}");
    let feature = sandbox.ok("get_feature", json!({"name": "auth"}));
    assert_eq!(feature["learnings"].as_array().map(Vec::len), Some(50));
}

#[test]
fn comments_are_edited_and_deleted_by_number() {
    let sandbox = planned();
    let say = |body: &str| {
        let input = json!({"task_id": 3, "author": "ann", "body": body});
        sandbox.ok("add_task_comment", input)["id"].clone()
    };
    assert_eq!((say("one"), say("two")), (json!(1), json!(2)));
    let edited = sandbox.ok(
        "update_task_comment",
        json!({"task_id": 3, "comment_id": 1, "body": "ONE"}),
    );
    assert!(edited["updated_at"].is_string());
    sandbox.ok(
        "delete_task_comment",
        json!({"task_id": 3, "comment_id": 2}),
    );
    assert_eq!(say("three"), json!(3), "a number is never given twice");
    let detail = sandbox.ok("get_task", json!({"id": 3}));
    let bodies: Vec<&Json> = detail["comments"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| &one["body"])
        .collect();
    assert_eq!(bodies, ["ONE", "three"]);
}

#[test]
fn context_files_are_relative_and_at_most_thirty() {
    let sandbox = planned();
    let add = |path: &str| {
        let input = json!({"feature_name": "auth", "file_path": path});
        sandbox.call("add_feature_context_file", input)
    };
    for number in 0..30 {
        add(&format!("src/{number}.rs")).expect("added");
    }
    assert_eq!(add("./src/3.rs").expect("there")["added"], false);
    let error = add("src/more.rs").unwrap_err();
    assert_eq!(error.data()["value"], "src/more.rs");
}

/// What agents are given is not for agents to decide.
#[test]
fn servers_and_overrides_of_a_discipline_are_for_people() {
    let mut sandbox = planned();
    let servers = json!([{"name": "ui", "command": "npx"}]);
    for (tool, input) in [
        (
            "update_discipline",
            json!({"name": "backend", "mcp_servers": servers}),
        ),
        (
            "update_discipline",
            json!({"name": "backend", "mcp_tool_overrides": {"additional_disabled": []}}),
        ),
        (
            "entity_update",
            json!({"id": "2", "properties": {"mcp_servers": servers}}),
        ),
        (
            "entity_create",
            json!({"type": "discipline", "title": "x", "properties": {"name": "x", "mcp_servers": servers}}),
        ),
    ] {
        assert_eq!(
            sandbox.refused(tool, input).kind(),
            ErrorKind::HumanOnly,
            "{tool}"
        );
    }
    sandbox.context.origin.actor = Actor::Human;
    let input = json!({"name": "backend", "mcp_servers": servers});
    assert_eq!(
        sandbox.ok("update_discipline", input)["mcp_servers"][0]["name"],
        "ui"
    );
}

#[test]
fn features_made_as_entities_are_features() {
    let sandbox = planned();
    sandbox.add(
        "feature",
        "Search",
        json!({"name": "search", "architecture": "An index"}),
    );
    let feature = sandbox.ok("get_feature", json!({"name": "search"}));
    assert_eq!(
        (&feature["display_name"], &feature["architecture"]),
        (&json!("Search"), &json!("An index"))
    );
    sandbox.add("task", "Rank", json!({"feature": "search"}));
    let listed = sandbox.ok("list_plan_tasks", json!({"filter_feature": "search"}));
    assert_eq!(listed["tasks"][0]["feature_display"], "Search");
}

#[test]
fn progress_counts_by_status_feature_and_discipline() {
    let sandbox = planned();
    sandbox.ok("set_task_status", json!({"id": 3, "status": "done"}));
    sandbox.add("task", "Alone", json!({}));
    let progress = sandbox.ok("get_project_progress", json!({}));
    assert_eq!(progress["total"], 3);
    assert_eq!(progress["by_status"], json!({"done": 1, "pending": 2}));
    assert_eq!(progress["by_feature"][0]["name"], "auth");
    assert_eq!(progress["by_feature"][0]["percent"], 50);
    assert_eq!(
        progress["by_feature"][1]["total"], 1,
        "what belongs to none comes last"
    );
    assert_eq!(progress["by_discipline"][0]["done"], 1);
}

#[test]
fn a_project_has_recipes_of_its_own() {
    let sandbox = planned();
    let folder = sandbox.context.workspace.project().folder().join("recipes");
    std::fs::create_dir_all(&folder).expect("made");
    let write = |text: &str| std::fs::write(folder.join("triage.toml"), text).expect("written");
    write(
        "purpose = \"Sort\"\ntools = [\"list_tasks\", \"update_task\", \"commands_list_tasks\"]\n[fields]\nupdate_task = [\"id\", \"tags\"]\n",
    );
    let recipe = sandbox.ok("recipe_get", json!({"recipe": "triage"}));
    let names: Vec<&Json> = recipe["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["commands_list_tasks", "list_tasks", "update_task"]);
    for (text, problem) in [
        ("tools = [\"list_taks\"]", "there is no tool \"list_taks\""),
        ("tools = [\"allowlist_allow\"]", "there is no tool"),
        ("tools = []\nmore = 1", "unknown field"),
        (
            "tools = [\"update_task\"]\n[fields]\nupdate_task = [\"colour\"]",
            "no argument \"colour\"",
        ),
        ("tools = []\n[fields]\nupdate_task = []", "not in tools"),
    ] {
        write(text);
        let error = sandbox.refused("recipe_list", json!({}));
        assert_eq!(error.kind(), ErrorKind::InvalidConfig);
        assert!(error.message().contains(problem), "{error}");
        assert!(
            error.message().starts_with(".windlass/recipes/triage.toml"),
            "{error}"
        );
    }
    std::fs::rename(folder.join("triage.toml"), folder.join("yap.toml")).expect("moved");
    std::fs::write(folder.join("yap.toml"), "tools = []").expect("written");
    assert!(
        sandbox
            .refused("recipe_list", json!({}))
            .message()
            .contains("built-in")
    );
}

#[test]
fn a_session_of_focus_needs_a_task_that_is_free() {
    let sandbox = planned();
    let start = |input: Json| sandbox.call("session_start", input);
    let error = start(json!({"recipe": "fokus"})).unwrap_err();
    assert_eq!(error.hint(), Some("Did you mean \"focus\"?"));
    let next = start(json!({"recipe": "focus"})).expect("the next ready task");
    assert_eq!(next["session"]["task_id"], 3);
    let error = start(json!({"recipe": "focus", "task": 3})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TaskClaimed);
    let open = sandbox.ok("session_list", json!({"open": true}));
    assert_eq!(
        open["total"], 1,
        "a session that did not begin is not on record"
    );
}

#[test]
fn words_are_said_in_a_session_only() {
    let sandbox = planned();
    let error = sandbox.refused("done", json!({"summary": "x"}));
    assert_eq!(error.kind(), ErrorKind::NoTask);
    assert!(error.hint().is_some());
}
