//! What of an entity can be edited, and how a change is written.

use serde_json::{Map, Value as Json, json};
use windlass_core::{Dialect, EntityType, FieldKind, Priority, Reach, Result, TaskStatus};
use windlass_ops::{AnyOutput as _, Response};

use super::document::{self, Changes, FieldText};
use crate::surface::cli::caller::{Caller, operation};

/// Inputs of the operation that are not fields of a task.
const NOT_FIELDS: &[&str] = &["id", "description"];

/// Links that the whole view shows elsewhere; `windlass relation` changes them.
const LINKS: &[&str] = &["blocks", "implements", "belongs_to"];

/// An entity as it is.
pub struct Editable {
    id: String,
    kind: EntityType,
    heading: String,
    fields: Vec<FieldText>,
    body: String,
}

impl Editable {
    pub fn read(id: &str, caller: &Caller) -> Result<Self> {
        let entity = caller.call("entity_get", json!({ "id": id }))?.to_json();
        let kind = EntityType::parse(entity["type"].as_str().unwrap_or_default())?;
        let number = entity["sequence_number"].as_i64().unwrap_or_default();
        let heading = format!("{} #{number}", kind.name());
        if kind == EntityType::Task {
            let task = caller.call("board_show", json!({ "id": id }))?.to_json();
            return Ok(Self {
                id: id.to_owned(),
                kind,
                heading,
                fields: fields_of_task(&task)?,
                body: text(&task["description"]),
            });
        }
        Ok(Self {
            id: id.to_owned(),
            kind,
            heading,
            fields: fields_of(kind, &entity),
            body: text(&entity["content"]),
        })
    }

    pub fn document(&self) -> String {
        document::write(&self.heading, &self.fields, &self.body)
    }

    /// Writes the changes and nothing else.
    pub fn apply(&self, changes: Changes, caller: &Caller) -> Result<Response> {
        let mut input = Map::new();
        if self.kind == EntityType::Task {
            let cleared = |(name, value): (String, Json)| match value {
                Json::Null => {
                    let empty = self.empty_value(&name);
                    (name, empty)
                }
                value => (name, value),
            };
            input.extend(changes.fields.into_iter().map(cleared));
            if let Some(body) = changes.body {
                input.insert("description".to_owned(), json!(body));
            }
            input.insert("id".to_owned(), json!(self.id));
            return caller.call("board_update", Json::Object(input));
        }
        let mut properties = changes.fields;
        for name in ["title", "tags"] {
            if let Some(value) = properties.remove(name) {
                input.insert(name.to_owned(), value);
            }
        }
        if let Some(body) = changes.body {
            input.insert("content".to_owned(), json!(body));
        }
        input.insert("properties".to_owned(), Json::Object(properties));
        input.insert("id".to_owned(), json!(self.id));
        caller.call("entity_update", Json::Object(input))
    }
}

impl Editable {
    /// What clears a field of a task.
    fn empty_value(&self, name: &str) -> Json {
        match self.fields.iter().find(|field| field.name == name) {
            Some(field) if field.is_list => json!([]),
            Some(field) if field.is_number => json!(0),
            _ => json!(""),
        }
    }
}

fn text(value: &Json) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Title, tags, and the fields of the type that callers may set.
fn fields_of(kind: EntityType, entity: &Json) -> Vec<FieldText> {
    let mut fields = vec![
        plain("title", &entity["title"], false),
        plain("tags", &entity["tags"], true),
    ];
    for field in kind.declaration().fields {
        if field.reach == Reach::Managed {
            continue;
        }
        let choices = field.choices(Dialect::Knowledge).unwrap_or_default();
        fields.push(FieldText {
            name: field.name.to_owned(),
            value: entity["properties"][field.name].clone(),
            choices: choices.iter().map(|word| (*word).to_owned()).collect(),
            is_list: field.kind.is_list(),
            is_number: matches!(field.kind, FieldKind::Whole(_)),
        });
    }
    fields
}

fn plain(name: &str, value: &Json, is_list: bool) -> FieldText {
    FieldText {
        name: name.to_owned(),
        value: value.clone(),
        choices: Vec::new(),
        is_list,
        is_number: false,
    }
}

/// The fields that the operation takes, with the values that the whole view shows.
fn fields_of_task(task: &Json) -> Result<Vec<FieldText>> {
    let schema = operation("board_update")?.input_schema();
    let mut fields = Vec::new();
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let changes_a_list = name.starts_with("add_") || name.starts_with("remove_");
        let left_out = NOT_FIELDS.contains(&name.as_str()) || LINKS.contains(&name.as_str());
        // A list that is not shown whole must not be replaced by what is shown.
        let total = task[format!("{name}_total")].as_u64();
        let shown = task[name].as_array().map(|items| items.len() as u64);
        if left_out || changes_a_list || total > shown {
            continue;
        }
        fields.push(FieldText {
            name: name.clone(),
            value: value_of(name, task),
            choices: choices_of(name),
            is_list: schema["type"] == "array",
            is_number: schema["type"] == "integer",
        });
    }
    Ok(fields)
}

/// The whole view names related tasks by number and title; a field takes the number.
fn value_of(name: &str, task: &Json) -> Json {
    let number = |value: &Json| match value.get("number") {
        Some(number) => json!(number.to_string()),
        None => value.clone(),
    };
    match &task[name] {
        Json::Array(items) => items.iter().map(number).collect(),
        Json::Object(_) => number(&task[name]),
        value => value.clone(),
    }
}

fn choices_of(name: &str) -> Vec<String> {
    let words: Vec<&str> = match name {
        "status" => TaskStatus::ALL.iter().map(|it| it.name()).collect(),
        "priority" => Priority::ALL.iter().map(|it| it.name()).collect(),
        _ => Vec::new(),
    };
    words.into_iter().map(str::to_owned).collect()
}
