//! The schema of an input as the list of tools publishes it.
//!
//! A model reads every tool of the list in every conversation, so what a schema says twice, or what
//! goes without saying, is left out. The server checks inputs against the whole schema all the same.

use serde_json::{Map, Value as Json, json};

/// Arguments whose name and schema say all there is to say. The instructions of the server say once
/// what an id is.
const SELF_EXPLANATORY: &[&str] = &[
    "limit",
    "offset",
    "id",
    "from_id",
    "to_id",
    "source_id",
    "target_id",
    "old_id",
    "new_id",
    "pid",
    "args",
    "env",
    "add_tags",
    "remove_tags",
    "tag",
    "query",
    "lease_seconds",
    "code",
    "question",
    "summary",
    "remaining",
    "what",
    "why",
    "rationale",
    "detail",
    "dry_run",
    "pattern",
    "max_depth",
    "content_from",
    "correlation_id",
    "title",
    "preferred",
    "max_bytes",
];

/// Shortens the schema of a tool's input.
pub fn publish(schema: &mut Json) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    // The tool carries the description already, and every unknown argument is refused with the name
    // of the nearest known one.
    object.remove("description");
    object.remove("additionalProperties");
    let required = object.get("required").cloned().unwrap_or_default();
    if let Some(properties) = object.get_mut("properties").and_then(Json::as_object_mut) {
        for (name, property) in properties {
            shorten(property);
            // A filter by type. Whoever creates an entity is told the types, and a wrong one is refused
            // with all of them.
            let is_filter = name == "type"
                && !required
                    .as_array()
                    .is_some_and(|it| it.contains(&json!("type")));
            if is_filter && property["enum"].is_array() {
                *property = json!({"type": "string"});
            }
            let says_all = SELF_EXPLANATORY.contains(&name.as_str()) || property["enum"].is_array();
            if let (true, Json::Object(property)) = (says_all, property) {
                property.remove("description");
            }
        }
    }
}

fn shorten(schema: &mut Json) {
    match schema {
        Json::Object(object) => {
            shorten_object(object);
            object.values_mut().for_each(shorten);
        }
        Json::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

fn shorten_object(object: &mut Map<String, Json>) {
    // An absent argument is false, zero or empty unless the schema says otherwise; numbers are not
    // negative, and nobody asks for no results.
    let is_nothing = |default: &Json| {
        [json!(false), json!(0), json!(""), json!([]), json!({})].contains(default)
    };
    if object.get("default").is_some_and(is_nothing) {
        object.remove("default");
    }
    if [Some(&json!(0)), Some(&json!(1))].contains(&object.get("minimum")) {
        object.remove("minimum");
    }
    if let Some(words) = object.get("oneOf").and_then(constants) {
        object.remove("oneOf");
        object.insert("type".to_owned(), json!("string"));
        object.insert("enum".to_owned(), words);
    }
}

/// The words of a choice between constants, each of which has a schema of its own.
fn constants(choices: &Json) -> Option<Json> {
    let words = choices.as_array()?.iter();
    let words: Option<Vec<&str>> = words.map(|choice| choice["const"].as_str()).collect();
    words.map(Json::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_without_saying_is_left_out() {
        let mut schema = json!({
            "type": "object",
            "description": "Of the tool.",
            "properties": {
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20, "description": "How many."},
                "type": {"type": "string", "enum": ["note", "task"], "description": "Only this type."},
                "from": {"type": "integer", "minimum": 0, "default": 0, "description": "Where to begin."},
                "until": {"default": "exit", "oneOf": [
                    {"type": "string", "const": "exit", "description": "Its end."},
                    {"type": "string", "const": "port"},
                ]},
            },
            "required": ["from"],
            "additionalProperties": false,
        });
        publish(&mut schema);
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "limit": {"type": "integer", "maximum": 100, "default": 20},
                    "type": {"type": "string"},
                    "from": {"type": "integer", "description": "Where to begin."},
                    "until": {"default": "exit", "type": "string", "enum": ["exit", "port"]},
                },
                "required": ["from"],
            })
        );
    }
}
