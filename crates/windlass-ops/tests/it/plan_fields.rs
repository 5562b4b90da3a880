//! The table of types is the only place that names the fields of the plan: every field of it is in
//! the schemas, taken, returned, shown and part of the briefing.

use clap::Command;
use serde_json::{Map, Value as Json, json};
use windlass_core::{Actor, Argument, Briefing, EntityType, Field, FieldKind};
use windlass_ops::find;

use crate::support::{Sandbox, sandbox};

/// The tools of a type, and what they need beside the fields of the table.
struct Tools {
    kind: EntityType,
    create: &'static str,
    update: &'static str,
    get: &'static str,
}

const TOOLS: [Tools; 3] = [
    Tools {
        kind: EntityType::Feature,
        create: "create_feature",
        update: "update_feature",
        get: "get_feature",
    },
    Tools {
        kind: EntityType::Discipline,
        create: "create_discipline",
        update: "update_discipline",
        get: "get_discipline",
    },
    Tools {
        kind: EntityType::Task,
        create: "create_task",
        update: "update_task",
        get: "get_task",
    },
];

fn fields(kind: EntityType) -> impl Iterator<Item = &'static Field> {
    kind.declaration().plan_fields()
}

fn create_of(field: &Field) -> Argument {
    field.plan.expect("a field of the plan").create
}

fn update_of(field: &Field) -> Argument {
    field.plan.expect("a field of the plan").update
}

/// A value that the field takes; `round` makes another.
fn sample(field: &Field, round: &str) -> Json {
    let text = format!("{} {round}", field.name);
    match field.kind {
        FieldKind::Name => json!("sample"),
        FieldKind::Acronym => json!(if round == "one" { "ACR1" } else { "ACR2" }),
        FieldKind::Priority => json!(if round == "one" { "high" } else { "low" }),
        FieldKind::Whole(_) => json!(round.len()),
        FieldKind::NamedList(_) => json!(["base"]),
        FieldKind::Paths(_) => json!([format!("docs/{round}.md")]),
        FieldKind::TextList(_) => json!([text, "second"]),
        FieldKind::Servers => json!([{"name": round, "command": "x", "args": [], "env": {}}]),
        FieldKind::ToolOverrides => json!({"additional_disabled": [round]}),
        FieldKind::Text(_) => json!(text),
        other => panic!("no sample of {other:?}"),
    }
}

fn samples(kind: EntityType, argument: fn(&Field) -> Argument, round: &str) -> Map<String, Json> {
    fields(kind)
        .filter(|field| argument(field) != Argument::Absent)
        .map(|field| (field.name.to_owned(), sample(field, round)))
        .collect()
}

/// A project of a person, with a feature and a discipline to refer to.
fn planned() -> Sandbox {
    let mut sandbox = sandbox();
    sandbox.context.origin.actor = Actor::Human;
    let base = json!({"name": "base", "display_name": "Base"});
    sandbox.ok("create_feature", base);
    let craft = json!({"name": "craft", "display_name": "Craft", "icon": "x", "color": "red"});
    sandbox.ok("create_discipline", craft);
    sandbox
}

/// Creates an entity with all its fields and returns what finds it again.
fn created(sandbox: &Sandbox, tools: &Tools) -> (Json, Map<String, Json>) {
    let given = samples(tools.kind, create_of, "one");
    let mut input = given.clone();
    if tools.kind == EntityType::Task {
        input.insert("feature".into(), json!("base"));
        input.insert("discipline".into(), json!("craft"));
    }
    let output = sandbox.ok(tools.create, Json::Object(input));
    let key = match tools.kind {
        EntityType::Task => json!({"id": output["id"]}),
        _ => json!({"name": output["name"]}),
    };
    (key, given)
}

#[test]
fn every_field_is_taken_and_returned() {
    let sandbox = planned();
    for tools in &TOOLS {
        let (key, given) = created(&sandbox, tools);
        let output = sandbox.ok(tools.get, key.clone());
        for (name, value) in &given {
            assert_eq!(&output[name], value, "{} {name}", tools.create);
        }
        let changes = samples(tools.kind, update_of, "two");
        let mut input = changes.clone();
        input.extend(key.as_object().expect("an object").clone());
        sandbox.ok(tools.update, Json::Object(input));
        let output = sandbox.ok(tools.get, key);
        for (name, value) in &changes {
            assert_eq!(&output[name], value, "{} {name}", tools.update);
        }
    }
}

#[test]
fn every_field_is_in_the_schemas_and_on_the_command_line() {
    for tools in &TOOLS {
        for (name, argument) in [
            (tools.create, create_of as fn(&Field) -> Argument),
            (tools.update, update_of),
        ] {
            let entry = find(name).expect(name);
            let (input, output) = (entry.input_schema(), entry.output_schema());
            let required = input["required"].as_array().expect(name);
            let command = entry.augment(Command::new("test"));
            for field in fields(tools.kind) {
                let what = format!("{name} {}", field.name);
                let schema = &output["properties"][field.name];
                assert!(schema["type"].is_string(), "{what} is returned");
                let wanted = argument(field);
                // Tasks are given a status, a feature and a discipline by rules of their own.
                if wanted == Argument::Absent {
                    continue;
                }
                let schema = &input["properties"][field.name];
                let documented = schema["description"]
                    .as_str()
                    .is_some_and(|doc| doc.starts_with(field.doc));
                assert!(documented, "{what} is in the schema");
                let is_required = required.contains(&json!(field.name));
                assert_eq!(is_required, wanted == Argument::Required, "{what}");
                let mut arguments = command.get_arguments();
                let argument = arguments
                    .find(|argument| argument.get_id() == field.name)
                    .unwrap_or_else(|| panic!("{what} is on the command line"));
                assert_eq!(argument.is_positional(), is_required, "{what}");
            }
        }
    }
}

#[test]
fn every_field_that_a_briefing_shows_is_in_it() {
    let sandbox = planned();
    let mut wanted = json!({"recipe": "task_execution"});
    let mut expected = Vec::new();
    for tools in &TOOLS {
        let (key, given) = created(&sandbox, tools);
        wanted[tools.kind.name()] = key.get("id").unwrap_or(&key["name"]).clone();
        for field in fields(tools.kind) {
            let (Some(briefing), Some(value)) = (
                field.plan.expect("a field of the plan").briefing,
                given.get(field.name),
            ) else {
                continue;
            };
            let text = value.as_array().map_or(value, |items| &items[0]);
            let text = text.as_str().expect("a text");
            expected.push(match briefing {
                Briefing::Paragraph => format!("\n{text}\n"),
                Briefing::Section(heading) if field.kind.is_list() => {
                    format!("### {heading}\n\n- {text}\n")
                }
                Briefing::Section(heading) => format!("### {heading}\n\n{text}\n"),
            });
        }
    }
    let session = sandbox.ok("session_start", wanted);
    let id = &session["session"]["id"];
    let prompt = sandbox.ok("session_prompt_get", json!({"id": id}));
    let prompt = prompt["prompt"].as_str().expect("a text");
    assert!(expected.len() > 10, "{expected:?}");
    for part in expected {
        assert!(prompt.contains(&part), "{part:?} is not in {prompt}");
    }
}

/// One row of the table is all that a field needs.
#[test]
fn the_owner_of_a_feature_is_known_everywhere() {
    let sandbox = planned();
    let feature = json!({"name": "billing", "display_name": "Billing", "owner": "Ada"});
    assert_eq!(sandbox.ok("create_feature", feature)["owner"], "Ada");
    let change = json!({"name": "billing", "owner": "Grace"});
    sandbox.ok("update_feature", change);
    let name = json!({"name": "billing"});
    assert_eq!(sandbox.ok("get_feature", name.clone())["owner"], "Grace");

    let found = sandbox.ok("search_query", json!({"query": "type:feature Grace"}));
    assert_eq!(found["results"][0]["title"], "Billing", "{found}");

    let started = json!({"recipe": "ramble", "feature": "billing"});
    let session = sandbox.ok("session_start", started);
    let id = json!({"id": session["session"]["id"]});
    let prompt = sandbox.ok("session_prompt_get", id);
    let prompt = prompt["prompt"].as_str().expect("a text");
    assert!(prompt.contains("### Whom to ask\n\nGrace\n"), "{prompt}");

    let entry = find("update_feature").expect("an operation");
    let schema = &entry.input_schema()["properties"]["owner"];
    assert_eq!(schema["description"], "Who answers questions about it.");
    let words = ["test", "billing", "--owner", "Grace"];
    let matches = entry
        .augment(Command::new("test"))
        .try_get_matches_from(words)
        .expect("known words");
    let input = entry.input_of_matches(&matches).expect("an input");
    assert_eq!(input, json!({"name": "billing", "owner": "Grace"}));

    let long = json!({"name": "billing", "owner": "x".repeat(101)});
    let error = sandbox.refused("update_feature", long);
    assert_eq!(error.data()["field"], "owner");
    sandbox.ok("update_feature", json!({"name": "billing", "owner": ""}));
    assert!(sandbox.ok("get_feature", name).get("owner").is_none());
}
