//! A project in which one task has ten thousand of everything: every answer fits its budget, and what
//! was cut can be read to its end.

use serde_json::{Map, Value as Json, json};
use windlass_core::{Dialect, Draft, Entity, EntityType, Error, RelationType, Result};
use windlass_ops::{Effect, Entry, OPERATIONS};
use windlass_store::Writer;

use crate::support::{Sandbox, run, sandbox};

/// What a model's client takes.
const BUDGET: usize = 80_000;
/// An answer that had to be cut may exceed it by the notes about that.
const NOTES: usize = 2_000;
/// What an error may take: clients show all of it.
const ERROR: usize = 4_000;

const MANY: usize = 10_000;
const CHAIN: usize = 3_000;

struct Huge {
    sandbox: Sandbox,
    /// It has ten thousand subtasks.
    hub: i64,
    /// Each of them waits for it.
    source: i64,
    /// It waits for all of them.
    sink: i64,
    /// Of a chain of tasks, each of which waits for the one before.
    first: i64,
    last: i64,
}

fn create(writer: &Writer<'_>, title: &str) -> Result<Entity> {
    let (kind, fields) = (EntityType::Task, Map::new());
    let content = "Some words about what is to be done, as tasks have them.";
    let draft = Draft::new(kind, title, Some(content), &[], &fields, Dialect::Knowledge)?;
    writer.create(draft)
}

fn huge() -> Huge {
    let mut sandbox = sandbox();
    sandbox.context.output_budget = Some(BUDGET);
    let context = &sandbox.context;
    let write = |work: &mut dyn FnMut(&Writer<'_>) -> Result<()>| {
        let written = context.store.write(&context.origin, |writer| work(writer));
        written.expect("written");
    };
    let mut ends = Vec::new();
    write(&mut |writer| {
        let (hub, sink) = (create(writer, "The hub")?, create(writer, "The sink")?);
        let source = create(writer, "The source")?;
        let mut tasks = Vec::new();
        for number in 0..MANY {
            let task = create(writer, &format!("One of many {number}"))?;
            writer.relate(&task, RelationType::Parent, &hub)?;
            writer.relate(&task, RelationType::Blocks, &sink)?;
            tasks.push(task);
        }
        writer.relate_all(&source, RelationType::Blocks, &tasks)?;
        let first = create(writer, "The first of the chain")?;
        let mut last = first.clone();
        for number in 1..CHAIN {
            let next = create(writer, &format!("Link {number} of the chain"))?;
            writer.relate(&last, RelationType::Blocks, &next)?;
            last = next;
        }
        ends = vec![
            hub.number,
            source.number,
            sink.number,
            first.number,
            last.number,
        ];
        Ok(())
    });
    let [hub, source, sink, first, last] = ends[..] else {
        panic!("five numbers");
    };
    Huge {
        sandbox,
        hub,
        source,
        sink,
        first,
        last,
    }
}

/// An input with everything that the operation needs, about the given task.
fn input_of(entry: &Entry, task: i64, other: i64) -> Json {
    let schema = entry.input_schema();
    let mut input = Map::new();
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("a name");
        let property = &schema["properties"][name];
        let value = match name {
            "to" | "target_id" | "target" => json!(other.to_string()),
            "query" | "text" => json!("chain"),
            name if name == "id" || name.ends_with("_id") || name == "from" => {
                json!(task.to_string())
            }
            _ => match property["type"].as_str() {
                Some("integer" | "number") => json!(task),
                Some("array") => json!([]),
                Some("boolean") => json!(true),
                Some("object") => json!({}),
                _ => json!("x"),
            },
        };
        input.insert(name.to_owned(), value);
    }
    Json::Object(input)
}

fn assert_fits(what: &str, answer: &Result<Json, Error>) {
    match answer {
        Ok(answer) => {
            let size = answer.to_string().len();
            assert!(size <= BUDGET + NOTES, "{what} has {size} bytes");
        }
        Err(error) => {
            let size = error.full_message().len() + error.data().to_string().len();
            assert!(size <= ERROR, "the error of {what} has {size} bytes");
        }
    }
}

impl Huge {
    /// Every operation that reads, about each of the tasks; with pages as long as they may be.
    fn read_everything(&self) -> usize {
        let mut answered = 0;
        let reading = OPERATIONS.iter().filter(|entry| {
            let declaration = &entry.declaration;
            declaration.effect == Effect::Read && !declaration.long_running
        });
        for entry in reading {
            let name = entry.declaration.name;
            for (task, other) in [
                (self.hub, self.last),
                (self.source, self.sink),
                (self.sink, self.hub),
                (self.last, self.first),
            ] {
                let mut input = input_of(entry, task, other);
                let limit = &entry.input_schema()["properties"]["limit"];
                if let Some(most) = limit["maximum"].as_i64() {
                    input["limit"] = json!(most);
                }
                let answer = run(entry, self.sandbox.context.clone(), input.clone());
                answered += usize::from(answer.is_ok());
                assert_fits(&format!("{name} {input}"), &answer);
            }
        }
        answered
    }

    /// Reads all pages, and returns how many items they have.
    fn walk(&self, name: &str, mut input: Json, items: &str) -> usize {
        let begin = input["offset"].as_u64().unwrap_or(0);
        let mut count = 0;
        loop {
            input["offset"] = json!(begin + count as u64);
            let page = self.sandbox.ok(name, input.clone());
            let size = page.to_string().len();
            assert!(size <= BUDGET + NOTES, "{name} has {size} bytes");
            let here = page[items].as_array().map_or(0, Vec::len);
            count += here;
            let has_more = page["has_more"]
                .as_bool()
                .unwrap_or_else(|| page["total"].as_u64() > Some(begin + count as u64));
            if here == 0 || !has_more {
                return count;
            }
        }
    }
}

#[test]
fn every_answer_fits_in_a_huge_project_and_can_be_read_to_its_end() {
    let huge = huge();
    let answered = huge.read_everything();
    assert!(answered > 100, "only {answered} calls went well");

    // To the end.
    let all = MANY + CHAIN + 3;
    assert_eq!(
        huge.walk(
            "entity_list",
            json!({"type": "task", "limit": 100}),
            "entities"
        ),
        all
    );
    let relations = json!({"id": huge.hub, "limit": 100});
    assert_eq!(huge.walk("graph_relations", relations, "relations"), MANY);
    for (task, field, direction) in [
        (huge.source, "blocks", "from"),
        (huge.sink, "blocked_by", "to"),
    ] {
        let details = huge.sandbox.ok("work_get", json!({"id": task}));
        assert_eq!(details["truncated"][field], MANY, "{field}");
        let shown = details[field].as_array().map_or(0, Vec::len);
        let read_on = details["read_on"].to_string();
        let hint =
            format!("graph_relations with id {task}, direction {direction} and offset {shown}");
        assert!(read_on.contains(&hint), "{read_on}: {hint}");
        let rest = json!({"id": task, "direction": direction, "offset": shown, "limit": 100});
        let rest = huge.walk("graph_relations", rest, "relations");
        assert_eq!(shown + rest, MANY, "{field}");
    }
    for (task, field) in [
        (huge.source, "blocks_total"),
        (huge.sink, "blocked_by_total"),
        (huge.hub, "children_total"),
    ] {
        let shown = huge.sandbox.ok("board_show", json!({"id": task}));
        assert_eq!(shown[field], MANY, "{field}");
    }

    // A circle of thousands.
    let circle =
        json!({"source_id": huge.last, "relation_type": "blocks", "target_id": huge.first});
    let error = huge.sandbox.refused("relation_create", circle);
    assert!(error.message().contains("cycle"), "{error}");
    assert_fits("the circle", &Err(error));

    // What changes such tasks.
    let source = json!({"id": huge.source});
    for (name, input) in [
        (
            "update_task",
            json!({"id": huge.source, "priority": "high"}),
        ),
        (
            "entity_update",
            json!({"id": huge.sink, "title": "Another"}),
        ),
        ("board_update", json!({"id": huge.sink, "priority": "high"})),
        ("work_start", source.clone()),
        ("task_claim", json!({"id": huge.first})),
        ("task_complete", json!({"id": huge.first})),
        ("task_complete", source),
    ] {
        let answer = huge.sandbox.call(name, input.clone());
        assert!(answer.is_ok(), "{name} {input}: {answer:?}");
        assert_fits(name, &answer);
    }
    // Everything that waited for it is ready now, and can be listed.
    assert!(huge.walk("task_ready", json!({"limit": 100}), "tasks") > MANY);
}
