//! Every output fits, and whatever was cut can be read to its end.

use serde_json::{Value as Json, json};
use windlass_core::{Dialect, Draft, Entity, EntityType, RelationType};

use crate::support::{Sandbox, sandbox};

/// What a model's client takes.
const BUDGET: usize = 80_000;

fn small() -> Sandbox {
    let mut sandbox = sandbox();
    sandbox.context.output_budget = Some(BUDGET);
    sandbox
}

/// Reads a field in pieces, each from where the one before says.
fn read_in_pieces(sandbox: &Sandbox, id: i64, field: &str) -> String {
    let mut whole = String::new();
    let mut from = 0;
    loop {
        let input = json!({"id": id, "field": field, "from": from});
        let piece = sandbox.ok("entity_get", input);
        assert!(piece.to_string().len() <= BUDGET);
        let text = match field {
            "content" => &piece["content"],
            _ => &piece["properties"][field],
        };
        whole.push_str(text.as_str().expect("a text"));
        let Some(read_on) = piece["read_on"][0].as_str() else {
            return whole;
        };
        let next = format!("from {}", whole.chars().count());
        assert!(read_on.ends_with(&next), "{read_on}: {next}");
        from = whole.chars().count();
    }
}

#[test]
fn long_texts_are_read_to_their_end() {
    let sandbox = small();
    let lines: Vec<String> = (0..9_300).map(|number| format!("line {number}")).collect();
    let content = lines.join("\n");
    let context = "why ".repeat(12_500);
    let input = json!({
        "type": "decision",
        "title": "Long",
        "content": content,
        "properties": {"context": context},
    });
    let created = sandbox.ok("entity_create", input);
    assert!(created.to_string().len() <= BUDGET);
    assert_eq!(created["truncated"]["content"], content.chars().count());
    let number = created["sequence_number"].as_i64().expect("a number");
    assert_eq!(read_in_pieces(&sandbox, number, "content"), content);
    assert_eq!(read_in_pieces(&sandbox, number, "context"), context);
    let refused = sandbox.refused("entity_get", json!({"id": number, "field": "nothing"}));
    assert!(refused.hint().is_some_and(|hint| hint.contains("content")));
}

/// A task with so many that wait for it, and its number.
fn with_dependants(sandbox: &Sandbox, count: usize) -> i64 {
    let context = &sandbox.context;
    let draft = |title: &str| {
        let fields = serde_json::Map::new();
        Draft::new(
            EntityType::Task,
            title,
            None,
            &[],
            &fields,
            Dialect::Knowledge,
        )
    };
    let written = context.store.write(&context.origin, |writer| {
        let first = writer.create(draft("The one")?)?;
        let waiting: windlass_core::Result<Vec<Entity>> = (0..count)
            .map(|number| writer.create(draft(&format!("Waiting task {number}"))?))
            .collect();
        writer.relate_all(&first, RelationType::Blocks, &waiting?)?;
        Ok(first.number)
    });
    written.expect("written")
}

#[test]
fn a_task_with_thousands_of_dependants_fits_everywhere() {
    let sandbox = small();
    let number = with_dependants(&sandbox, 3_000);
    let id = json!({"id": number});
    let calls = [
        ("get_task", id.clone()),
        ("work_get", id.clone()),
        ("work_tree", json!({})),
        ("entity_get", id.clone()),
        ("task_blocked", json!({})),
        ("graph_relations", id.clone()),
        ("update_task", json!({"id": number, "priority": "high"})),
        ("work_start", id.clone()),
        ("task_complete", id),
    ];
    for (name, input) in calls {
        let size = sandbox.ok(name, input).to_string().len();
        assert!(size <= BUDGET, "{name} has {size} characters");
    }
    let error = sandbox.refused(
        "relation_create",
        json!({"source_id": number + 1, "relation_type": "blocks", "target_id": number}),
    );
    assert!(error.message().len() < 3_000 && error.data().to_string().len() < 3_000);
}

#[test]
fn what_was_cut_from_a_list_can_be_read_as_pages() {
    let sandbox = small();
    let number = with_dependants(&sandbox, 2_500);
    let task = sandbox.ok("work_get", json!({"id": number}));
    assert_eq!(task["truncated"]["blocks"], 2_500);
    let shown = task["blocks"].as_array().map_or(0, Vec::len);
    let hint =
        format!("blocks: graph_relations with id {number}, direction from and offset {shown}");
    assert_eq!(task["read_on"][0], Json::String(hint));
    let input = json!({"id": number, "limit": 100, "offset": shown});
    let page = sandbox.ok("graph_relations", input);
    assert_eq!(page["relations"].as_array().map_or(0, Vec::len), 100);
}

/// Reads a list in pieces, each from where the one before says.
fn read_list(sandbox: &Sandbox, tool: &str, id: i64, field: &str) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    loop {
        let input = json!({"id": id, "field": field, "from": whole.len()});
        let piece = sandbox.ok(tool, input);
        assert!(piece.to_string().len() <= BUDGET);
        let items = match tool {
            "entity_get" => &piece["properties"][field],
            _ => &piece[field],
        };
        let items = items.as_array().expect("a list");
        assert!(!items.is_empty(), "{piece}");
        whole.extend(
            items
                .iter()
                .map(|item| item.as_str().expect("a text").to_owned()),
        );
        let Some(read_on) = piece["read_on"][0].as_str() else {
            return whole;
        };
        let next = format!("field \"{field}\" and from {}", whole.len());
        assert!(read_on.ends_with(&next), "{read_on}: {next}");
    }
}

/// What every property of a decision has together is far more than an answer holds.
#[test]
fn every_property_is_read_to_its_end() {
    let sandbox = small();
    let consequences: Vec<String> = (0..200)
        .map(|number| format!("{number:04}{}", "x".repeat(1_000)))
        .collect();
    let context = "why ".repeat(12_500);
    let content = "what ".repeat(20_000);
    let created = sandbox.ok(
        "entity_create",
        json!({
            "type": "decision",
            "title": "Long",
            "content": content,
            "properties": {"context": context, "consequences": consequences},
        }),
    );
    let number = created["sequence_number"].as_i64().expect("a number");
    for tool in ["entity_get", "board_show"] {
        let whole = sandbox.ok(tool, json!({"id": number}));
        assert!(whole.to_string().len() <= BUDGET, "{tool}");
        let hints = whole["read_on"].as_array().cloned().unwrap_or_default();
        for field in ["content", "context", "consequences"] {
            let named = hints.iter().any(|hint| {
                let hint = hint.as_str().unwrap_or_default();
                hint.contains(&format!("{tool} with id {number}, field \"{field}\""))
            });
            assert!(named, "{tool} {field}: {hints:?}");
        }
        assert_eq!(
            read_list(&sandbox, tool, number, "consequences"),
            consequences
        );
    }
    assert_eq!(read_in_pieces(&sandbox, number, "context"), context);
    // One item of a list, also from a place in it.
    let input = json!({"id": number, "field": "consequences.7", "from": 2});
    let piece = sandbox.ok("entity_get", input.clone());
    assert_eq!(piece["properties"]["consequences.7"], consequences[7][2..]);
    assert_eq!(
        sandbox.ok("board_show", input)["consequences.7"],
        consequences[7][2..]
    );
    let refused = sandbox.refused(
        "board_show",
        json!({"id": number, "field": "consequences.200"}),
    );
    assert!(
        refused
            .hint()
            .is_some_and(|hint| hint.contains("consequences"))
    );
}
