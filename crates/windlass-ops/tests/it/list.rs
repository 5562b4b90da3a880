//! Tests about the list itself: names, documents, schemas, defaults.

use std::collections::HashSet;

use serde_json::{Value as Json, json};
use windlass_ops::{Audience, Effect, Entry, OPERATIONS, Toolset};

fn names(of: impl Fn(&Entry) -> String) {
    let mut seen = HashSet::new();
    for entry in OPERATIONS {
        let name = of(entry);
        assert!(seen.insert(name.clone()), "{name} is there twice");
    }
}

#[test]
fn names_are_unique_on_every_surface() {
    names(|entry| {
        format!(
            "{} {}",
            entry.declaration.toolset.name(),
            entry.declaration.name
        )
    });
    names(|entry| match entry.declaration.cli {
        // Only `windlass call` has it, by the name that the first check is about.
        [] => format!("{entry:p}"),
        words => words.join(" "),
    });
    names(|entry| entry.declaration.sdk.to_owned());
    for entry in OPERATIONS {
        let name = entry.declaration.name;
        let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        assert!(name.chars().all(fits) && name.len() <= 50, "{name}");
        assert_eq!(
            entry.declaration.sdk.split('.').count(),
            2,
            "{name} has an SDK name"
        );
    }
}

#[test]
fn everything_is_documented() {
    for entry in OPERATIONS {
        let name = entry.declaration.name;
        let description = entry.description();
        assert!(description.len() > 20 && description.len() < 2048, "{name}");
        assert!(
            !entry.declaration.examples.is_empty(),
            "{name} has an example"
        );
        for (field, schema) in entry.input_schema()["properties"].as_object().expect(name) {
            assert!(
                schema["description"].is_string(),
                "{name}.{field} is documented"
            );
        }
        let mut command = entry.augment(clap::Command::new("test"));
        command.build();
        for argument in command.get_arguments() {
            assert!(
                argument.get_help().is_some(),
                "{name} --{} has help",
                argument.get_id()
            );
        }
    }
}

#[test]
fn effects_are_plausible() {
    for entry in OPERATIONS {
        let declaration = &entry.declaration;
        let reads = [
            "get",
            "check",
            "logs",
            "artifacts",
            "read",
            "list",
            "search",
            "graph",
            "ready",
            "blocked",
            "next",
            "status",
            "output",
            "wait",
            "tree",
            "progress",
            "replay",
            "subscribe",
            "results",
            "show",
            "describe",
            "wishes",
        ];
        // What begins with a verb of change, or is a word that an agent says, is no read.
        let changes = ["set", "append"]
            .contains(&declaration.name.split('_').next().expect("a word"))
            || declaration.name == "work_set_status"
            // It starts the client of a container engine.
            || declaration.name == "run_check"
            || declaration.toolset == Toolset::Focus;
        let looks_like_a_read = !changes
            && (declaration.name == "context"
                || reads
                    .iter()
                    .any(|word| declaration.name.split('_').any(|part| part == *word)));
        assert_eq!(
            looks_like_a_read,
            declaration.effect == Effect::Read,
            "{}",
            declaration.name
        );
        assert!(
            declaration.effect != Effect::Read || declaration.idempotent,
            "{}",
            declaration.name
        );
    }
}

/// What decides about what agents may run, and what people decide about work, is for people alone.
#[test]
fn what_is_for_people() {
    let mut for_people: Vec<&str> = OPERATIONS
        .iter()
        .filter(|entry| entry.declaration.audience == Audience::Human)
        .map(|entry| entry.declaration.name)
        .collect();
    for_people.sort_unstable();
    assert_eq!(
        for_people,
        [
            "agent_stop",
            "allowlist_allow",
            "allowlist_deny",
            "allowlist_revoke",
            "allowlist_wishes",
            "discipline_allow",
            "gate_add",
            "gate_allow",
            "gate_remove",
            "gate_update",
            "help_respond",
            "help_resume",
            "work_delete",
            "work_force_complete",
            "work_set_status",
        ]
    );
}

/// Walks a schema and refuses the shapes that strict clients refuse.
fn check_schema(at: &str, schema: &Json) {
    match schema {
        Json::Object(object) => {
            assert!(!object.contains_key("$ref"), "{at} refers elsewhere");
            assert!(!object.contains_key("$schema"), "{at} names a dialect");
            assert!(
                !object.get("type").is_some_and(Json::is_array),
                "{at} has several types"
            );
            if let Some(format) = object.get("format").and_then(Json::as_str) {
                assert!(
                    !["uint", "int", "double", "float"]
                        .iter()
                        .any(|kind| format.starts_with(kind)),
                    "{at}: {format}"
                );
            }
            if let Some(Json::Array(words)) = object.get("enum") {
                assert!(!words.contains(&Json::Null), "{at} allows null");
            }
            for (key, value) in object {
                check_schema(&format!("{at}/{key}"), value);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| check_schema(at, item)),
        _ => {}
    }
}

#[test]
fn schemas_are_what_strict_clients_take() {
    for entry in OPERATIONS {
        let name = entry.declaration.name;
        let (input, output) = (entry.input_schema(), entry.output_schema());
        check_schema(name, &input);
        check_schema(name, &output);
        assert_eq!(input["type"], "object", "{name}");
        assert_eq!(input["additionalProperties"], false, "{name}");
        assert_eq!(output["type"], "object", "{name}");
    }
}

#[test]
fn command_line_and_json_fill_in_the_same_defaults() {
    for entry in OPERATIONS {
        for example in entry.declaration.examples {
            let name = entry.declaration.name;
            let words = example.cli;
            if words.is_empty() {
                assert!(
                    entry.declaration.cli.is_empty(),
                    "{name} has words of its own"
                );
                entry
                    .complete(serde_json::from_str(example.input).expect(name))
                    .expect(name);
                continue;
            }
            assert_eq!(
                &words[..entry.declaration.cli.len()],
                entry.declaration.cli,
                "{name}"
            );
            let arguments =
                std::iter::once("test").chain(words[entry.declaration.cli.len()..].iter().copied());
            let matches = entry
                .augment(clap::Command::new("test"))
                .try_get_matches_from(arguments)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let from_words = entry.input_of_matches(&matches).expect(name);
            let json: Json = serde_json::from_str(example.input).expect(name);
            let mut from_json = entry.complete(json).expect(name);
            // The command line takes plurals too; both stand for the same type.
            if let (Some(kind), true) = (from_json.get_mut("type"), name == "entity_list") {
                *kind = from_words["type"].clone();
            }
            assert_eq!(from_words, from_json, "{name}");
        }
    }
}

#[test]
fn unknown_missing_and_wrong_fields_are_named() {
    let sandbox = crate::support::sandbox();
    let error = sandbox.refused("entity_create", json!({"type": "task", "titel": "x"}));
    assert_eq!(error.message(), "Unknown field \"titel\"");
    assert_eq!(error.hint(), Some("Did you mean \"title\"?"));
    let error = sandbox.refused("entity_get", json!({}));
    assert_eq!(error.message(), "Missing required field \"id\"");
    assert_eq!(error.data()["field"], "id");
    let error = sandbox.refused("entity_list", json!({"limit": "many"}));
    assert_eq!(error.data()["field"], "limit");
    assert_eq!(
        error.message(),
        "limit: invalid type: string \"many\", expected a whole number, 0 or more"
    );
    for (name, input, message) in [
        (
            "create_feature",
            json!({"name": "x", "display_name": 5}),
            "display_name: invalid type: integer `5`, expected a string",
        ),
        (
            "update_feature",
            json!({"name": "x", "context_files": ["a", 1]}),
            "context_files[1]: invalid type: integer `1`, expected a string",
        ),
        (
            "update_task",
            json!({"id": 1, "estimated_turns": "x"}),
            "estimated_turns: invalid type: string \"x\", expected a whole number, 0 or more",
        ),
        (
            "run_logs",
            json!({"runId": "run-1", "maxBytes": "x"}),
            "Validation error: maxBytes: invalid type: string \"x\", expected a whole number, 0 or more",
        ),
    ] {
        let error = sandbox.refused(name, input);
        assert_eq!(error.message(), message);
        let field = message.trim_start_matches("Validation error: ");
        let field = field.split(':').next();
        assert_eq!(error.data()["field"].as_str(), field, "{name}");
    }
    let error = sandbox.refused("create_feature", json!({"name": "x"}));
    assert_eq!(error.message(), "Missing required field \"display_name\"");
    let error = sandbox.refused("create_feature", json!({"name": "x", "boundary": "y"}));
    assert_eq!(error.message(), "Unknown field \"boundary\"");
    let nulls =
        json!({"type": "task", "title": "n", "content": null, "tags": null, "properties": null});
    sandbox.ok("entity_create", nulls);
    let error = sandbox.refused("entity_create", json!({"type": "task"}));
    assert_eq!(error.data()["error_type"], "TitleRequired");
    let error = sandbox.refused("entity_get", json!([1]));
    assert_eq!(error.data()["error_type"], "InvalidParams");
    let error = sandbox.refused("task_next", json!({"x": 1}));
    assert_eq!(error.hint(), Some("This operation takes no arguments."));
}
