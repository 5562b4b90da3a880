//! Resources, subscriptions, prompts and completions.

use futures::executor::block_on;
use serde_json::{Value as Json, json};
use windlass_core::{ErrorKind, Page};
use windlass_ops::{
    CompletionSource, ResourceInfo, complete, get_prompt, list_prompts, read_resource, resources,
    subscribe,
};

use crate::support::{Sandbox, sandbox};

fn read(sandbox: &Sandbox, uri: &str) -> Json {
    let text = block_on(read_resource(&sandbox.context, uri))
        .unwrap_or_else(|error| panic!("{uri}: {error}"));
    serde_json::from_str(&text.text).expect(uri)
}

fn filled() -> Sandbox {
    let sandbox = sandbox();
    sandbox.add("decision", "old", json!({"status": "superseded"}));
    sandbox.add("decision", "new", json!({}));
    sandbox.add("task", "blocker", json!({"due_date": "2026-02-01"}));
    sandbox.add("task", "blocked", json!({}));
    sandbox.add("task", "done", json!({"status": "done"}));
    sandbox.ok(
        "relation_create",
        json!({"source_id": "3", "relation_type": "blocks", "target_id": "4"}),
    );
    sandbox
}

#[test]
fn every_static_resource_is_readable_by_both_schemes() {
    let sandbox = filled();
    let json = |info: &&ResourceInfo| info.mime_type == "application/json";
    for resource in resources().iter().filter(json) {
        let ours = read(&sandbox, resource.uri);
        assert_eq!(
            ours,
            read(&sandbox, &resource.uri.replace("windlass://", "medulla://"))
        );
    }
}

#[test]
fn resources_say_what_the_seed_says() {
    let sandbox = filled();
    for (uri, of, expected) in [
        (
            "medulla://entities",
            "entities",
            vec!["old", "new", "blocker", "blocked", "done"],
        ),
        (
            "medulla://entities/task",
            "entities",
            vec!["blocker", "blocked", "done"],
        ),
        (
            "medulla://entities?limit=2&offset=1",
            "entities",
            vec!["new", "blocker"],
        ),
        ("medulla://decisions", "entities", vec!["old", "new"]),
        ("medulla://decisions/active", "entities", vec!["new"]),
        (
            "medulla://tasks/active",
            "entities",
            vec!["blocker", "blocked"],
        ),
        ("medulla://tasks/ready", "tasks", vec!["blocker"]),
        ("medulla://tasks/blocked", "tasks", vec!["blocked"]),
        (
            "medulla://tasks/due/2026-02-01",
            "entities",
            vec!["blocker"],
        ),
        ("medulla://prompts", "entities", vec![]),
        (
            "windlass://entities?type=task&status=done",
            "entities",
            vec!["done"],
        ),
    ] {
        let page = read(&sandbox, uri);
        let titles: Vec<&str> = page[of]
            .as_array()
            .expect(uri)
            .iter()
            .map(|entity| entity["title"].as_str().unwrap_or_default())
            .collect();
        assert_eq!(titles, expected, "{uri}");
    }
    let page = read(&sandbox, "medulla://entities?limit=2");
    assert_eq!(
        (
            page["total"].clone(),
            page["limit"].clone(),
            page["offset"].clone()
        ),
        (json!(5), json!(2), json!(0))
    );
    let stats = read(&sandbox, "medulla://stats");
    assert_eq!(stats["entity_counts"]["task"], 3);
    assert_eq!(stats["entity_counts"]["link"], 0);
    assert_eq!(stats["relation_count"], 1);
    let graph = read(&sandbox, "medulla://graph");
    assert_eq!(graph["relations"][0]["relation_type"], "blocks");
    let schema = read(&sandbox, "medulla://schema");
    assert_eq!(
        schema["types"].as_object().map(serde_json::Map::len),
        Some(8)
    );
    assert_eq!(
        schema["types"]["task"]["properties"]["properties"]["properties"]["status"]["default"],
        "todo"
    );
    assert_eq!(read(&sandbox, "medulla://entity/2")["title"], "new");
    let error = block_on(read_resource(&sandbox.context, "medulla://entity/99")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResourceNotFound);
    assert_eq!(error.data()["uri"], "medulla://entity/99");
}

#[test]
fn subscriptions_hear_what_concerns_them() {
    let sandbox = filled();
    let uris = [
        "medulla://entities/task",
        "windlass://entities/decision",
        "windlass://entity/3",
        "windlass://tasks/ready",
        "windlass://stats",
        "windlass://schema",
        "windlass://prompts",
    ];
    let heard = |change: &dyn Fn()| {
        let store = &sandbox.context.store;
        let before = store.last_event().expect("read");
        let watching = uris.map(|uri| (uri, subscribe(&sandbox.context, uri).expect(uri)));
        change();
        let events = store.events_after(before, 100).expect("read");
        watching
            .iter()
            .filter(|(_, subscription)| events.iter().any(|event| subscription.concerns(event)))
            .map(|(uri, _)| *uri)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        heard(&|| {
            sandbox.add("task", "t", json!({}));
        }),
        [
            "medulla://entities/task",
            "windlass://tasks/ready",
            "windlass://stats"
        ]
    );
    assert_eq!(
        heard(&|| {
            sandbox.ok("entity_update", json!({"id": "3", "title": "x"}));
        }),
        [
            "medulla://entities/task",
            "windlass://entity/3",
            "windlass://tasks/ready",
            "windlass://stats"
        ]
    );
    assert_eq!(
        heard(&|| {
            sandbox.add("prompt", "p", json!({}));
        }),
        ["windlass://stats", "windlass://prompts"]
    );
    assert!(heard(&|| ()).is_empty());
    for uri in ["windlass://nothing", "http://x", "windlass://entity/99"] {
        assert!(subscribe(&sandbox.context, uri).is_err(), "{uri}");
    }
}

#[test]
fn prompts_are_filled_in() {
    let sandbox = sandbox();
    sandbox.ok(
        "entity_create",
        json!({
            "type": "prompt", "title": "Code Review!", "content": "Reviews a file.\nIn detail.",
            "properties": {"template": "Review {{file}} for {{ focus }}.", "variables": ["file", "focus"]}
        }),
    );
    let (prompts, more) = list_prompts(&sandbox.context, Page::default()).expect("read");
    assert!(!more);
    assert_eq!(prompts[0].name, "code-review-1");
    assert_eq!(prompts[0].description.as_deref(), Some("Reviews a file."));
    let names: Vec<&str> = prompts[0]
        .arguments
        .iter()
        .map(|argument| argument.name.as_str())
        .collect();
    assert_eq!(names, ["file", "focus"]);
    let fill = |name: &str, arguments: Json| {
        get_prompt(
            &sandbox.context,
            name,
            arguments.as_object().expect("an object"),
        )
    };
    let text = fill(
        "code-review-1",
        json!({"file": "a.rs", "focus": "{{file}}"}),
    )
    .expect("filled");
    assert!(text.text.starts_with("Review a.rs for"));
    assert!(
        fill("code-review-1", json!({"file": "a.rs"}))
            .unwrap_err()
            .message()
            .contains("focus")
    );
    assert!(
        fill("code-review-1", json!({"fil": "a.rs"}))
            .unwrap_err()
            .hint()
            .is_some()
    );
    assert_eq!(
        fill("nothing-9", json!({})).unwrap_err().kind(),
        ErrorKind::PromptNotFound
    );
}

#[test]
fn completions() {
    let sandbox = filled();
    sandbox.ok(
        "entity_create",
        json!({"type": "note", "title": "n", "tags": ["alpha", "alps"]}),
    );
    let source = CompletionSource::Template("windlass://entity/{id}");
    for (argument, typed, expected) in [
        ("type", "de", vec!["decision"]),
        ("status", "in", vec!["in_progress"]),
        ("tag", "al", vec!["alpha", "alps"]),
        ("date", "2026", vec!["2026-02-01"]),
        ("id", "3", vec!["3"]),
        ("other", "x", vec![]),
    ] {
        let (values, more) = complete(&sandbox.context, source, argument, typed).expect(argument);
        assert_eq!(values, expected, "{argument}");
        assert!(!more);
    }
}
