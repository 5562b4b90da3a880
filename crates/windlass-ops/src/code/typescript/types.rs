//! TypeScript types from JSON schemas. A type with a name is declared once, whatever uses it.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

/// How declarations look.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// For editors: indented, with doc comments.
    Editor,
    /// For models: as short as possible.
    Compact,
}

/// Whether the descriptions of fields are part of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Docs {
    Shown,
    Hidden,
}

/// The types of some declarations.
pub struct Types {
    layout: Layout,
    declared: Vec<Declared>,
    /// Types that contain themselves are named before their text is known.
    in_progress: Vec<String>,
}

/// A type that is declared already.
struct Declared {
    name: String,
    text: String,
    /// Its schema without descriptions: the same type is described in inputs and not in answers.
    shape: Json,
}

/// The schema whose types are rendered, and the name for those that clash with another's.
struct Root<'a> {
    definitions: &'a Json,
    qualifier: &'a str,
    docs: Docs,
}

impl Types {
    pub fn new(layout: Layout) -> Self {
        Self {
            layout,
            declared: Vec::new(),
            in_progress: Vec::new(),
        }
    }

    /// The type of a schema with its `$defs`, as it is written where it is used.
    pub fn of_root(&mut self, schema: &Json, qualifier: &str, docs: Docs) -> String {
        let root = Root {
            definitions: &schema["$defs"],
            qualifier,
            docs,
        };
        self.of(schema, &root, 0)
    }

    /// Declares the type of a whole schema, and returns the name under which it is known.
    pub fn declare_root(&mut self, schema: &Json, qualifier: &str) -> String {
        let text = self.of_root(schema, qualifier, Docs::Hidden);
        let title = schema["title"].as_str().unwrap_or_default();
        // Names like `Output` say nothing.
        let name = if title.is_empty() || ["Output", "Input"].contains(&title) {
            qualifier
        } else {
            title
        };
        self.declare(name, text, shape_of(schema), qualifier)
    }

    /// All declarations.
    pub fn declarations(&self) -> String {
        let mut text = String::new();
        for declared in &self.declared {
            let _ = writeln!(text, "type {} = {};", declared.name, declared.text);
        }
        text
    }

    fn declare(&mut self, name: &str, text: String, shape: Json, qualifier: &str) -> String {
        for name in [name, qualifier] {
            match self.declared.iter().find(|known| known.name == name) {
                Some(known) if known.shape == shape => return name.to_owned(),
                Some(_) => {}
                None => {
                    let name = name.to_owned();
                    let declared = Declared { name, text, shape };
                    self.declared.push(declared);
                    return self.declared[self.declared.len() - 1].name.clone();
                }
            }
        }
        // Both names belong to other types.
        text
    }

    fn of(&mut self, schema: &Json, root: &Root<'_>, depth: usize) -> String {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.of_reference(reference, root, depth);
        }
        for (key, sign) in [("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")] {
            if let Some(choices) = schema[key].as_array() {
                let types = choices.iter().map(|it| self.of(it, root, depth)).collect();
                return joined(types, sign);
            }
        }
        if let Some(values) = schema["enum"].as_array() {
            return joined(values.iter().map(Json::to_string).collect(), " | ");
        }
        if let Some(value) = schema.get("const") {
            return value.to_string();
        }
        if let Some(types) = schema["type"].as_array() {
            let types = types.iter().filter_map(Json::as_str);
            let types = types.map(|kind| self.of_kind(kind, schema, root, depth));
            return joined(types.collect(), " | ");
        }
        match schema["type"].as_str() {
            Some(kind) => self.of_kind(kind, schema, root, depth),
            None => "unknown".to_owned(),
        }
    }

    /// Objects are declared under their name; what is short is written where it is used.
    fn of_reference(&mut self, reference: &str, root: &Root<'_>, depth: usize) -> String {
        let name = reference.rsplit('/').next().unwrap_or_default();
        if self.in_progress.iter().any(|known| known == name) {
            return name.to_owned();
        }
        let definition = &root.definitions[name];
        let is_object = definition["properties"].is_object();
        if !is_object {
            return self.of(definition, root, depth);
        }
        self.in_progress.push(name.to_owned());
        let text = self.of(definition, root, 0);
        self.in_progress.pop();
        let clashing = format!("{}{name}", root.qualifier);
        self.declare(name, text, shape_of(definition), &clashing)
    }

    fn of_kind(&mut self, kind: &str, schema: &Json, root: &Root<'_>, depth: usize) -> String {
        match kind {
            "string" | "boolean" | "null" => kind.to_owned(),
            "integer" | "number" => "number".to_owned(),
            "array" => {
                let item = self.of(&schema["items"], root, depth);
                if item.contains(['|', '&']) && !item.starts_with('{') {
                    format!("({item})[]")
                } else {
                    format!("{item}[]")
                }
            }
            "object" => self.of_object(schema, root, depth),
            _ => "unknown".to_owned(),
        }
    }

    fn of_object(&mut self, schema: &Json, root: &Root<'_>, depth: usize) -> String {
        let others = match schema.get("additionalProperties") {
            Some(others @ Json::Object(_)) => Some(self.of(others, root, depth)),
            _ => None,
        };
        if !has_fields(schema) {
            let others = others.unwrap_or_else(|| "unknown".to_owned());
            return format!("Record<string, {others}>");
        }
        let required = required(schema);
        let mut fields: Vec<(String, Option<String>)> = Vec::new();
        for (name, field) in properties(schema) {
            let is_required = required.contains(&name.as_str());
            let mark = if is_required { "" } else { "?" };
            // Entities can be named by number too.
            let kind = match (name.as_str(), root.docs) {
                ("id", Docs::Shown) if field["type"] == "string" => "string | number".to_owned(),
                _ => self.of(field, root, depth + 1),
            };
            let doc = match root.docs {
                Docs::Shown => field["description"].as_str().map(one_line),
                Docs::Hidden => None,
            };
            fields.push((format!("{}{mark}: {kind}", quoted(name)), doc));
        }
        let text = match self.layout {
            Layout::Editor => for_editors(&fields, depth),
            Layout::Compact => compact(&fields),
        };
        match others {
            Some(others) => format!("({text} & Record<string, {others}>)"),
            None => text,
        }
    }
}

fn for_editors(fields: &[(String, Option<String>)], depth: usize) -> String {
    let indent = "  ".repeat(depth + 1);
    let mut text = String::from("{\n");
    for (field, doc) in fields {
        if let Some(doc) = doc {
            let _ = writeln!(text, "{indent}/** {} */", doc.replace("*/", "* /"));
        }
        let _ = writeln!(text, "{indent}{field};");
    }
    let _ = write!(text, "{}}}", "  ".repeat(depth));
    text
}

fn compact(fields: &[(String, Option<String>)]) -> String {
    if fields.iter().all(|(_, doc)| doc.is_none()) {
        let fields: Vec<_> = fields.iter().map(|(field, _)| field.as_str()).collect();
        return format!("{{{}}}", fields.join("; "));
    }
    let mut text = String::from("{\n");
    for (field, doc) in fields {
        let _ = match doc {
            Some(doc) => writeln!(text, "{field}; // {doc}"),
            None => writeln!(text, "{field};"),
        };
    }
    text.push('}');
    text
}

fn joined(types: Vec<String>, sign: &str) -> String {
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

/// A schema without what does not change the type.
fn shape_of(schema: &Json) -> Json {
    match schema {
        Json::Object(object) => {
            let kept = object.iter().filter(|(key, _)| {
                !["description", "title", "default", "$defs"].contains(&key.as_str())
            });
            let shaped = kept.map(|(key, value)| match value {
                // Here the keys are names of fields.
                Json::Object(fields) if key == "properties" => {
                    let fields = fields.iter();
                    let fields = fields.map(|(name, field)| (name.clone(), shape_of(field)));
                    (key.clone(), Json::Object(fields.collect()))
                }
                _ => (key.clone(), shape_of(value)),
            });
            Json::Object(shaped.collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(shape_of).collect()),
        other => other.clone(),
    }
}

/// A text in one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn properties(schema: &Json) -> impl Iterator<Item = (&String, &Json)> {
    let properties = schema["properties"].as_object();
    properties.into_iter().flat_map(Map::iter)
}

pub fn has_fields(schema: &Json) -> bool {
    properties(schema).next().is_some()
}

pub fn required(schema: &Json) -> Vec<&str> {
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
            let mut types = Types::new(Layout::Editor);
            assert_eq!(types.of_root(&schema, "Test", Docs::Hidden), expected);
        }
    }

    #[test]
    fn descriptions_do_not_make_another_type() {
        let definition = |about: &str| json!({"type": "object", "properties": {"description": {"type": "string", "description": about}}});
        let root = |about: &str| {
            json!({"type": "object", "properties": {"step": {"$ref": "#/$defs/Step"}},
                "$defs": {"Step": definition(about)}})
        };
        let mut types = Types::new(Layout::Compact);
        let input = types.of_root(&root("What it does"), "A", Docs::Shown);
        let output = types.of_root(&root(""), "B", Docs::Hidden);
        assert_eq!(
            (input.as_str(), output.as_str()),
            ("{step?: Step}", "{step?: Step}")
        );
        assert_eq!(
            types.declarations(),
            "type Step = {\ndescription?: string; // What it does\n};\n"
        );
    }

    #[test]
    fn a_type_with_a_name_is_declared_once() {
        let list = json!({
            "type": "object", "title": "Page",
            "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Item"}}, "one": {"$ref": "#/$defs/Item"}},
            "required": ["items", "one"],
            "$defs": {"Item": {"type": "object", "properties": {"id": {"type": "integer"}, "parent": {"$ref": "#/$defs/Item"}}, "required": ["id"]}}
        });
        let other = json!({
            "type": "object", "title": "Item",
            "properties": {"id": {"type": "string"}}, "required": ["id"],
        });
        let mut types = Types::new(Layout::Compact);
        assert_eq!(types.declare_root(&list, "ThingsListAnswer"), "Page");
        assert_eq!(types.declare_root(&list, "ThingsAgainAnswer"), "Page");
        assert_eq!(
            types.declare_root(&other, "OtherGetAnswer"),
            "OtherGetAnswer"
        );
        assert_eq!(
            types.declarations(),
            "type Item = {id: number; parent?: Item};\n\
             type Page = {items: Item[]; one: Item};\n\
             type OtherGetAnswer = {id: string};\n"
        );
    }
}
