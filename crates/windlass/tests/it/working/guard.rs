//! No way around a review: every tool that an agent has.

use serde_json::{Value as Json, json};
use windlass_core::RelationType;
use windlass_core::workflow::GateDefinition;
use windlass_store::GateScope;

use super::{login, person, project, status, task_of};
use crate::sample;
use crate::server::Server;

/// The kind of the error that a call must have.
fn error_type(server: &mut Server, tool: &str, arguments: Json) -> String {
    let answer = server.call(tool, arguments).expect("an answer");
    let data = if answer["error"].is_object() {
        &answer["error"]["data"]
    } else {
        assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
        &answer["result"]["structuredContent"]
    };
    data["error_type"].as_str().unwrap_or_default().to_owned()
}

/// Every tool that ends a task, with the arguments for task 1.
fn endings() -> Vec<(&'static str, Json)> {
    vec![
        ("task_complete", json!({"id": "1"})),
        ("set_task_status", json!({"id": 1, "status": "done"})),
        (
            "entity_update",
            json!({"id": "1", "properties": {"status": "done"}}),
        ),
        ("board_update", json!({"id": "1", "status": "done"})),
        ("update_task", json!({"id": 1, "status": "done"})),
    ]
}

#[test]
fn a_gated_task_is_ended_by_its_review_only() {
    let sample = project(&["Log in"]);
    let mut server = Server::start(sample.folder.path());
    for start in [false, true] {
        if start {
            server.ok("begin", json!({"id": "1"}));
        }
        for (tool, arguments) in endings() {
            let answer = server.call(tool, arguments).expect("an answer");
            let message = answer.to_string();
            assert_ne!(status(&sample, 1), "done", "{tool}: {message}");
            let refused = answer["error"].is_object() || answer["result"]["isError"] == true;
            assert!(refused, "{tool} says so: {message}");
        }
    }
    let batch =
        json!({"operations": [{"op": "update", "id": "1", "properties": {"status": "done"}}]});
    server.call("entity_batch", batch);
    assert_eq!(status(&sample, 1), "in_progress");
}

#[test]
fn an_agent_cannot_leave_a_review() {
    let sample = project(&["Log in"]);
    let mut server = Server::start(sample.folder.path());
    server.ok("begin", json!({"id": "1"}));
    server.ok("done", json!({"summary": "Not really"}));
    let cancelled = error_type(&mut server, "work_cancel", json!({"id": "1"}));
    assert_eq!(cancelled, "ReviewActive", "after failed gates");
    login(sample.folder.path(), "works\n");
    server.ok("done", json!({"summary": "Works"}));
    let mut other = Server::start(sample.folder.path());
    other.ok("review_approve", json!({"id": "1"}));
    for (tool, arguments, expected) in [
        ("review_request_changes", json!({"id": "1"}), "HumanOnly"),
        ("review_approve", json!({"id": "1"}), "HumanOnly"),
        ("work_cancel", json!({"id": "1"}), "ReviewActive"),
        ("entity_delete", json!({"id": "1"}), "ReviewActive"),
        ("delete_task", json!({"id": 1}), "ReviewActive"),
        ("task_complete", json!({"id": "1"}), "ReviewActive"),
    ] {
        assert_eq!(error_type(&mut other, tool, arguments), expected, "{tool}");
    }
    assert_eq!(status(&sample, 1), "in_review");
    let _ = task_of(&sample, 1);
}

#[test]
fn gates_stay_where_a_person_put_them() {
    let sample = sample::empty();
    let (parent, child) = (
        sample::task(&sample, "Accounts"),
        sample::task(&sample, "Log in"),
    );
    person(&sample, |writer| {
        writer.add_gate(
            &GateScope::Task(parent.id.clone()),
            &GateDefinition::new("login", "false"),
        )?;
        writer.relate(&child, RelationType::Parent, &parent)
    });
    let mut server = Server::start(sample.folder.path());
    for (tool, arguments) in [
        (
            "relation_delete",
            json!({"source_id": "2", "target_id": "1", "relation_type": "parent"}),
        ),
        ("entity_delete", json!({"id": "1"})),
        ("delete_task", json!({"id": 1})),
    ] {
        assert_eq!(
            error_type(&mut server, tool, arguments),
            "CarriesGates",
            "{tool}"
        );
    }
    let ended = error_type(&mut server, "task_complete", json!({"id": "2"}));
    assert_eq!(ended, "ReviewRequired");
}

#[test]
fn what_another_session_holds_cannot_be_ended() {
    let sample = sample::empty();
    sample::task(&sample, "Log in");
    let mut holder = Server::start(sample.folder.path());
    holder.ok("begin", json!({}));
    let mut other = Server::start(sample.folder.path());
    let refused = error_type(&mut other, "task_complete", json!({"id": "1"}));
    assert_eq!(refused, "TaskClaimed");
    holder.ok("task_complete", json!({"id": "1"}));
}

#[test]
fn an_agent_does_not_approve_what_changed_since_the_gates() {
    let sample = project(&["Log in"]);
    let root = sample.folder.path();
    let mut server = Server::start(root);
    server.ok("begin", json!({}));
    login(root, "works\n");
    server.ok("done", json!({"summary": "Works"}));
    login(root, "works, with a back door\n");
    let mut other = Server::start(root);
    let shown = other.ok("review_show", json!({"id": "1"}));
    assert_eq!(shown["changed_since_submission"], true);
    let refused = error_type(&mut other, "review_approve", json!({"id": "1"}));
    assert_eq!(refused, "InvalidTransition");
    login(root, "works\n");
    other.ok("review_approve", json!({"id": "1"}));
}

#[test]
fn git_runs_nothing_of_the_repository_and_hides_nothing() {
    let sample = project(&["Log in"]);
    let root = sample.folder.path();
    let mut server = Server::start(root);
    login(root, "before\n");
    for words in [&["add", "login.txt"][..], &["commit", "-q", "-m", "Login"]] {
        let git = std::process::Command::new("git")
            .args(words)
            .current_dir(root)
            .status();
        assert!(git.expect("git").success());
    }
    server.ok("begin", json!({}));
    let filter = "[filter \"x\"]\n\tclean = touch ran; cat\n\tsmudge = touch ran; cat\n[diff \"x\"]\n\ttextconv = touch ran\n\tcommand = touch ran\n";
    let config = root.join(".git/config");
    let text = std::fs::read_to_string(&config).expect("read") + filter;
    std::fs::write(&config, text).expect("written");
    std::fs::write(
        root.join(".gitattributes"),
        "* filter=x diff=x\n*.txt -diff\n",
    )
    .expect("written");
    std::fs::write(root.join(".gitignore"), "hidden.txt\n").expect("written");
    std::fs::write(root.join("hidden.txt"), "secret work\n").expect("written");
    login(root, "works\n");
    server.ok("done", json!({"summary": "Works"}));
    let shown = server.ok("review_show", json!({"id": "1"}));
    let diff = shown["diff"].as_str().expect("a diff");
    assert!(diff.contains("-before\n+works"), "{diff}");
    assert!(shown["ignored_files"].to_string().contains("hidden.txt"));
    assert!(!root.join("ran").exists(), "nothing of the repository ran");
}

#[test]
fn a_gate_of_the_state_runs_only_where_this_user_allowed_its_text() {
    let sample = sample::empty();
    let root = sample.folder.path();
    sample::task(&sample, "Log in");
    // As a copied or rewritten database has it: nobody here ever saw the text.
    person(&sample, |writer| {
        let gate = GateDefinition::new("evil", "touch ran");
        writer.add_gate(&GateScope::Repo, &gate)
    });
    let mut server = Server::start(root);
    server.ok("begin", json!({}));
    let waits = server.ok("done", json!({"summary": "Works"}));
    assert_eq!(waits["outcome"], "waits_for_person", "{waits}");
    let message = waits["message"].as_str().expect("words");
    assert!(message.contains("touch ran") && message.contains("windlass gates allow evil"));
    let tried = error_type(&mut server, "gate_try", json!({"name": "evil"}));
    assert_eq!(tried, "NotAllowlisted");
    assert!(!root.join("ran").exists(), "nothing ran");
}

/// The text came with a pack of another clone, whose person allowed it there.
#[test]
fn servers_of_a_discipline_from_another_clone_are_not_started() {
    let sample = sample::filled();
    let elsewhere = tempfile::tempdir().expect("a folder");
    let (project, _) = windlass_store::Project::init(elsewhere.path()).expect("a project");
    let store = windlass_store::Store::open(&project).expect("a store");
    let origin = sample::origin();
    let properties = json!({"name": "visiting", "mcp_servers":
        [{"name": "evil", "command": "touch", "args": ["ran"]}]});
    let draft = windlass_core::Draft::new(
        windlass_core::EntityType::Discipline,
        "Visiting",
        None,
        &[],
        properties.as_object().expect("an object"),
        windlass_core::Dialect::Plan,
    );
    store
        .write(&origin, |writer| writer.create(draft.expect("valid")))
        .expect("created");
    let pack = store
        .pack_outbox(&origin)
        .expect("packed")
        .expect("a change")
        .pack;
    let imported = sample.store().import_pack(&origin, &pack.name, &pack.bytes);
    assert!(matches!(
        imported,
        Ok(windlass_store::PackOutcome::Imported(_))
    ));
    let mut server = Server::start(sample.folder.path());
    let arguments = json!({"recipe": "yap", "discipline": "visiting"});
    let refused = error_type(&mut server, "session_start", arguments);
    assert_eq!(refused, "NotAllowlisted");
}

#[test]
fn servers_of_a_discipline_start_only_where_this_user_allowed_them() {
    let sample = sample::filled();
    person(&sample, |writer| {
        let discipline =
            writer.by_name("name", windlass_core::EntityType::Discipline, "backend")?;
        let servers =
            json!({"mcp_servers": [{"name": "evil", "command": "touch", "args": ["ran"]}]});
        let patch = windlass_core::Patch {
            properties: servers.as_object().cloned().unwrap_or_default(),
            ..windlass_core::Patch::default()
        };
        writer.update(&discipline.id, &patch, windlass_core::Dialect::Plan)
    });
    let mut server = Server::start(sample.folder.path());
    let arguments = json!({"recipe": "yap", "discipline": "backend"});
    let refused = error_type(&mut server, "session_start", arguments);
    assert_eq!(refused, "NotAllowlisted");
}
