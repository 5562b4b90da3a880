//! The format of an entry in a client's settings, and how it is recognized.

use std::path::Path;

use serde_json::{Map, Value as Json, json};

/// How a client stores the program and its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `command` and `args`.
    CommandAndArguments,
    /// The same, with a `type` of `stdio`.
    TypedCommandAndArguments,
    /// `command` is a list that holds both.
    OneList,
}

/// Keys of a remote server's entry. They are invalid in an entry that starts a program.
const REMOTE: &[&str] = &["url", "httpUrl", "serverUrl", "headers", "http_headers"];

/// An entry that starts `program` with `arguments`.
pub fn entry(shape: Shape, program: &str, arguments: &[String]) -> Map<String, Json> {
    let value = match shape {
        Shape::CommandAndArguments => json!({ "command": program, "args": arguments }),
        Shape::TypedCommandAndArguments => {
            json!({ "type": "stdio", "command": program, "args": arguments })
        }
        Shape::OneList => {
            let words: Vec<&str> = std::iter::once(program)
                .chain(arguments.iter().map(String::as_str))
                .collect();
            json!({ "type": "local", "command": words, "enabled": true })
        }
    };
    match value {
        Json::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// The new entry with what a person added to the old one: variables, time limits and the like.
pub fn merged(old: Option<&Json>, new: Map<String, Json>) -> Json {
    let Some(Json::Object(old)) = old else {
        return Json::Object(new);
    };
    let mut fields = old.clone();
    fields.retain(|key, value| match key.as_str() {
        "type" => value == "stdio",
        key => !REMOTE.contains(&key),
    });
    for (key, value) in new {
        // A server that a person turned off stays off.
        if key != "enabled" || !fields.contains_key("enabled") {
            fields.insert(key, value);
        }
    }
    Json::Object(fields)
}

/// The program and its arguments, in any of the shapes.
pub fn words(entry: &Json) -> Vec<String> {
    let texts = |value: &Json| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    };
    match &entry["command"] {
        Json::String(program) => {
            let mut words = vec![program.clone()];
            words.extend(texts(&entry["args"]));
            words
        }
        list => texts(list),
    }
}

/// Whether the entry starts `windlass mcp`, of any version and at any path.
pub fn is_windlass(entry: &Json) -> bool {
    let words = words(entry);
    let program = words.first().map(Path::new).and_then(Path::file_stem);
    program.is_some_and(|stem| stem == "windlass") && words.iter().any(|word| word == "mcp")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(shape: Shape) -> Map<String, Json> {
        entry(shape, "windlass", &["mcp".into(), "--read-only".into()])
    }

    #[test]
    fn words_come_back_from_every_shape() {
        for shape in [
            Shape::CommandAndArguments,
            Shape::TypedCommandAndArguments,
            Shape::OneList,
        ] {
            let entry = Json::Object(new(shape));
            assert_eq!(words(&entry), ["windlass", "mcp", "--read-only"]);
            assert!(is_windlass(&entry));
        }
        for other in [
            json!({"command": "npx", "args": ["mcp"]}),
            json!({"command": "windlass", "args": ["serve"]}),
            json!({"url": "https://example.com/mcp"}),
            json!(7),
        ] {
            assert!(!is_windlass(&other), "{other}");
        }
    }

    #[test]
    fn what_a_person_added_is_kept() {
        let old = json!({"type": "http", "url": "https://example.com", "env": {"A": "1"}, "enabled": false});
        assert_eq!(
            merged(Some(&old), new(Shape::CommandAndArguments)),
            json!({"env": {"A": "1"}, "enabled": false, "command": "windlass", "args": ["mcp", "--read-only"]})
        );
        let merged = merged(Some(&old), new(Shape::OneList));
        assert_eq!(merged["type"], "local");
        assert_eq!(merged["enabled"], false);
    }
}
