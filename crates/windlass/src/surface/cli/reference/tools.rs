//! `tools.md`: every operation as a tool, from its schemas.

use serde_json::{Map, Value as Json};
use windlass_ops::{Audience, Effect, Entry, OPERATIONS, Toolset};

use super::super::quote::command_line;
use super::markdown::{block, code, paragraph, table};

pub fn document() -> String {
    let mut out = paragraph("# Tools");
    out += &paragraph(
        "The tools that an agent can call over MCP, by toolset. Each tool is also a command of the \
         command line, with the same input and the same output.",
    );
    for toolset in Toolset::ALL {
        let entries: Vec<&Entry> = OPERATIONS
            .iter()
            .filter(|entry| entry.declaration.toolset == *toolset)
            .collect();
        out += &paragraph(&format!("## Toolset {}", code(toolset.name())));
        out += &paragraph(toolset.doc());
        out += &overview(&entries);
        for entry in entries {
            out += &tool(entry);
        }
    }
    out
}

fn overview(entries: &[&Entry]) -> String {
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| {
            let declaration = &entry.declaration;
            vec![
                format!("[`{0}`](#{0})", declaration.name),
                code(&command_line(declaration.command_words())),
                effect(declaration.effect).to_owned(),
                audience(declaration.audience).to_owned(),
            ]
        })
        .collect();
    table(&["tool", "command", "effect", "who"], &rows)
}

fn tool(entry: &Entry) -> String {
    let declaration = &entry.declaration;
    let mut out = paragraph(&format!("### {}", declaration.name));
    out += &paragraph(&entry.description());
    let repeat = if declaration.idempotent && declaration.effect != Effect::Read {
        " Calling it twice has the same effect as calling it once."
    } else {
        ""
    };
    out += &paragraph(&format!(
        "Effect: {}. May be called by: {}.{repeat}",
        effect(declaration.effect),
        audience(declaration.audience),
    ));
    let input = entry.input_schema();
    let fields = input_fields(&input);
    if fields.is_empty() {
        out += &paragraph("It takes no input.");
    }
    out += &fields;
    out += &output_fields(&entry.output_schema());
    for example in declaration.examples {
        out += &paragraph(&format!("{}:", example.about.trim_end_matches('.')));
        out += &block("json", example.input);
    }
    out
}

fn input_fields(schema: &Json) -> String {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let rows: Vec<_> = properties(schema)
        .map(|(name, field)| {
            let needed = required.iter().any(|known| known == name);
            let default = field.get("default").map(|value| code(&value.to_string()));
            vec![
                code(name),
                type_of(field),
                if needed { "yes" } else { "" }.to_owned(),
                default.unwrap_or_default(),
                doc(field),
            ]
        })
        .collect();
    table(&["field", "type", "required", "default", "meaning"], &rows)
}

fn output_fields(schema: &Json) -> String {
    let rows: Vec<_> = properties(schema)
        .map(|(name, field)| vec![code(name), type_of(field), doc(field)])
        .collect();
    if rows.is_empty() {
        return paragraph(&format!("Output: {}.", type_of(schema)));
    }
    let answer = table(&["field of the output", "type", "meaning"], &rows);
    paragraph(schema["description"].as_str().unwrap_or_default()) + &answer
}

fn properties(schema: &Json) -> impl Iterator<Item = (&String, &Json)> {
    schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(Map::iter)
}

fn doc(field: &Json) -> String {
    field["description"].as_str().unwrap_or_default().to_owned()
}

/// The type in short: what a reader must know to write the value.
fn type_of(schema: &Json) -> String {
    for choice in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[choice].as_array() {
            let mut types: Vec<String> = choices.iter().map(type_of).collect();
            types.dedup();
            return types.join(" or ");
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<_> = values
            .iter()
            .map(|value| code(&value.to_string()))
            .collect();
        return values.join(", ");
    }
    if let Some(value) = schema.get("const") {
        return code(&value.to_string());
    }
    match schema["type"].as_str() {
        Some("array") if schema["items"].is_object() => {
            format!("list of {}", type_of(&schema["items"]))
        }
        Some("array") => "list".to_owned(),
        Some("object") if properties(schema).next().is_some() => {
            let names: Vec<_> = properties(schema).map(|(name, _)| code(name)).collect();
            format!("object of {}", names.join(", "))
        }
        Some(kind) => kind.to_owned(),
        None => match schema["type"].as_array() {
            Some(kinds) => {
                let kinds: Vec<_> = kinds.iter().filter_map(Json::as_str).collect();
                kinds.join(" or ")
            }
            None => "any".to_owned(),
        },
    }
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "reads",
        Effect::Write => "writes",
        Effect::Destructive => "may delete",
        Effect::Execute => "runs code of the project",
        Effect::Script => "what the calls of the script do",
    }
}

fn audience(audience: Audience) -> &'static str {
    match audience {
        Audience::Anyone => "anyone",
        Audience::Human => "people only",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_in_few_words() {
        for (schema, expected) in [
            (json!({"type": "string"}), "string"),
            (json!({"enum": ["a", "b"]}), "`\"a\"`, `\"b\"`"),
            (
                json!({"type": "array", "items": {"type": "integer"}}),
                "list of integer",
            ),
            (
                json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
                "integer or string",
            ),
            (
                json!({"type": "object", "properties": {"a": {}, "b": {}}}),
                "object of `a`, `b`",
            ),
            (json!({"type": ["integer", "string"]}), "integer or string"),
            (json!({}), "any"),
        ] {
            assert_eq!(type_of(&schema), expected);
        }
    }
}
