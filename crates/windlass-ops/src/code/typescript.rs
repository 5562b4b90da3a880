//! TypeScript declarations from JSON schemas.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};
use windlass_sandbox::camel_case;

use super::sdk::SdkMethod;

/// The globals of scripts besides the SDK and the language.
pub const GLOBALS: &str = "\
/** What a call that failed throws. */
interface SdkError extends Error {
  /** A stable code, as TASK_CLAIMED. */
  readonly code: string;
  /** The kind of error, as TaskClaimed. */
  readonly tag: string;
  /** What to do about it. */
  readonly hint?: string;
}
/** What is logged comes back with the answer. */
declare const console: Readonly<
  Record<\"debug\" | \"log\" | \"info\" | \"warn\" | \"error\", (...values: unknown[]) => void>
>;
/** A timer that would be due after the deadline throws. */
declare function setTimeout(callback: (...values: any[]) => void, milliseconds?: number, ...values: any[]): number;
declare function clearTimeout(timer: number): void;
";

/// The declarations of these methods, with the types that they need.
pub fn declare(methods: &[&SdkMethod]) -> String {
    let mut types = String::new();
    let mut answers: Vec<(String, String)> = Vec::new();
    let mut namespaces: Vec<(&str, String)> = Vec::new();
    for method in methods {
        let name = type_name(method);
        let input = method.entry.input_schema();
        if has_fields(&input) {
            let _ = writeln!(
                types,
                "type {name}Input = {};",
                type_of(&input, Docs::Shown, 0)
            );
        }
        let answer = type_of(&method.entry.output_schema(), Docs::Hidden, 0);
        let answer_name = answer_name(&name, answer, &mut answers, &mut types);
        let declared = signatures(method, &name, &input, &answer_name);
        let namespace = method.method.namespace.as_str();
        match namespaces.iter_mut().find(|(known, _)| *known == namespace) {
            Some((_, text)) => *text += &declared,
            None => namespaces.push((namespace, declared)),
        }
    }
    let mut text = types;
    for (namespace, methods) in namespaces {
        let _ = write!(text, "declare const {namespace}: {{\n{methods}}};\n");
    }
    text
}

/// The name of an output type, which is declared once even if several methods return it.
fn answer_name(
    name: &str,
    answer: String,
    answers: &mut Vec<(String, String)>,
    types: &mut String,
) -> String {
    if let Some((known, _)) = answers.iter().find(|(_, known)| *known == answer) {
        return known.clone();
    }
    let new = format!("{name}Answer");
    let _ = writeln!(types, "type {new} = {answer};");
    answers.push((new.clone(), answer));
    new
}

/// The ways to call a method.
fn signatures(method: &SdkMethod, name: &str, input: &Json, answer: &str) -> String {
    let called = camel_case(&method.method.name);
    let mut about = method
        .entry
        .description()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    if method.is_for_people() {
        about += " Only people may call this.";
    }
    let mut text = format!("  /** {} */\n", about.replace("*/", "* /"));
    let positional = &method.method.positional;
    if !positional.is_empty() {
        let required = required(input);
        let mut parameters: Vec<String> = positional
            .iter()
            .map(|field| {
                let mark = if required.contains(&field.as_str()) {
                    ""
                } else {
                    "?"
                };
                format!(
                    "{}{mark}: {name}Input[\"{field}\"]",
                    camel_case(&parameter(field))
                )
            })
            .collect();
        // After one that may be missing all must be.
        let first = positional
            .iter()
            .position(|field| !required.contains(&field.as_str()));
        parameters.truncate(first.map_or(usize::MAX, |first| first + 1));
        if properties(input).count() > positional.len() {
            parameters.push(format!("more?: Partial<{name}Input>"));
        }
        let _ = writeln!(
            text,
            "  {called}({}): Promise<{answer}>;",
            parameters.join(", ")
        );
    }
    let parameter = match (has_fields(input), required(input).is_empty()) {
        (false, _) => String::new(),
        (true, true) => format!("input?: {name}Input"),
        (true, false) => format!("input: {name}Input"),
    };
    let _ = writeln!(text, "  {called}({parameter}): Promise<{answer}>;");
    text
}

/// `EntitiesCreate`.
fn type_name(method: &SdkMethod) -> String {
    let joined = format!("_{}_{}", method.method.namespace, method.method.name);
    camel_case(&joined)
}

/// A reserved word cannot name a parameter.
fn parameter(field: &str) -> String {
    match field {
        "default" | "delete" | "in" | "new" | "with" | "function" | "var" | "enum" => {
            format!("{field}_value")
        }
        _ => field.to_owned(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Docs {
    Shown,
    Hidden,
}

/// The type that a schema describes.
fn type_of(schema: &Json, docs: Docs, depth: usize) -> String {
    for (key, sign) in [("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")] {
        if let Some(choices) = schema[key].as_array() {
            return joined(choices.iter().map(|it| type_of(it, docs, depth)), sign);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return joined(values.iter().map(Json::to_string), " | ");
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(types) = schema["type"].as_array() {
        let types = types.iter().filter_map(Json::as_str);
        return joined(types.map(|kind| named(kind, schema, docs, depth)), " | ");
    }
    match schema["type"].as_str() {
        Some(kind) => named(kind, schema, docs, depth),
        None => "unknown".to_owned(),
    }
}

fn named(kind: &str, schema: &Json, docs: Docs, depth: usize) -> String {
    match kind {
        "string" | "boolean" | "null" => kind.to_owned(),
        "integer" | "number" => "number".to_owned(),
        "array" => {
            let item = type_of(&schema["items"], docs, depth);
            if item.contains(['|', '&']) && !item.starts_with('{') {
                format!("({item})[]")
            } else {
                format!("{item}[]")
            }
        }
        "object" => object(schema, docs, depth),
        _ => "unknown".to_owned(),
    }
}

fn object(schema: &Json, docs: Docs, depth: usize) -> String {
    let others = match schema.get("additionalProperties") {
        Some(others @ Json::Object(_)) => Some(type_of(others, docs, depth)),
        _ => None,
    };
    if !has_fields(schema) {
        let others = others.unwrap_or_else(|| "unknown".to_owned());
        return format!("Record<string, {others}>");
    }
    let indent = "  ".repeat(depth + 1);
    let required = required(schema);
    let mut text = String::from("{\n");
    for (name, field) in properties(schema) {
        if let (Docs::Shown, Some(doc)) = (docs, field["description"].as_str()) {
            let doc = doc.split_whitespace().collect::<Vec<_>>().join(" ");
            let _ = writeln!(text, "{indent}/** {} */", doc.replace("*/", "* /"));
        }
        let mark = if required.contains(&name.as_str()) {
            ""
        } else {
            "?"
        };
        // Entities can be named by number too.
        let kind = match (name.as_str(), docs) {
            ("id", Docs::Shown) if field["type"] == "string" => "string | number".to_owned(),
            _ => type_of(field, docs, depth + 1),
        };
        let _ = writeln!(text, "{indent}{}{mark}: {kind};", quoted(name));
    }
    let _ = write!(text, "{}}}", "  ".repeat(depth));
    match others {
        Some(others) => format!("({text} & Record<string, {others}>)"),
        None => text,
    }
}

fn joined(types: impl Iterator<Item = String>, sign: &str) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for kind in types {
        if !distinct.contains(&kind) {
            distinct.push(kind);
        }
    }
    if distinct.is_empty() {
        return "unknown".to_owned();
    }
    distinct.join(sign)
}

fn quoted(name: &str) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if !name.is_empty() && name.chars().all(is_word) && !name.starts_with(char::is_numeric) {
        return name.to_owned();
    }
    Json::from(name).to_string()
}

fn properties(schema: &Json) -> impl Iterator<Item = (&String, &Json)> {
    let properties = schema["properties"].as_object();
    properties.into_iter().flat_map(Map::iter)
}

fn has_fields(schema: &Json) -> bool {
    properties(schema).next().is_some()
}

fn required(schema: &Json) -> Vec<&str> {
    let names = schema["required"].as_array();
    names
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_say_what_schemas_say() {
        for (schema, expected) in [
            (json!({"type": "string"}), "string"),
            (json!({"type": "integer"}), "number"),
            (json!({"enum": ["a", "b"]}), r#""a" | "b""#),
            (
                json!({"type": "array", "items": {"type": "integer"}}),
                "number[]",
            ),
            (
                json!({"type": "array", "items": {"enum": ["a", "b"]}}),
                r#"("a" | "b")[]"#,
            ),
            (
                json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
                "number | string",
            ),
            (json!({"type": "object"}), "Record<string, unknown>"),
            (
                json!({"type": "object", "additionalProperties": {"type": "string"}}),
                "Record<string, string>",
            ),
            (json!(true), "unknown"),
            (
                json!({"type": "object", "properties": {"a": {"type": "null"}, "b-c": {}}, "required": ["a"]}),
                "{\n  a: null;\n  \"b-c\"?: unknown;\n}",
            ),
        ] {
            assert_eq!(type_of(&schema, Docs::Hidden, 0), expected);
        }
    }
}
