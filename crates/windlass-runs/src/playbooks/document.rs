//! TOML, YAML and JSON as one JSON value that knows the lines of its parts.

use std::collections::HashMap;
use std::fmt;

use jsonc_parser::ast::{ObjectPropName, Value as Ast};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};
use serde_saphyr::Spanned;
use toml::de::{DeTable, DeValue};

/// A file that does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub line: usize,
    pub message: String,
}

/// What is in a file.
#[derive(Debug, Clone, Default)]
pub struct Document {
    pub json: Json,
    lines: HashMap<String, usize>,
}

impl Document {
    /// The line of `spec.steps.0.name`, or of the nearest part around it.
    pub fn line(&self, path: &str) -> usize {
        let mut path = path;
        loop {
            if let Some(line) = self.lines.get(path) {
                return *line;
            }
            match path.rsplit_once('.') {
                Some((parent, _)) => path = parent,
                None => return 1,
            }
        }
    }

    /// Reads a file by the ending of its name.
    pub fn read(ending: &str, text: &str) -> Result<Self, Broken> {
        let text = text.trim_start_matches('\u{feff}');
        match ending {
            "toml" => read_toml(text),
            "json" => read_json(text),
            _ => read_yaml(text),
        }
    }
}

fn join(path: &str, part: impl fmt::Display) -> String {
    if path.is_empty() {
        part.to_string()
    } else {
        format!("{path}.{part}")
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    let before = &text.as_bytes()[..offset.min(text.len())];
    memchr::memchr_iter(b'\n', before).count() + 1
}

fn read_toml(text: &str) -> Result<Document, Broken> {
    let table = DeTable::parse(text).map_err(|problem| Broken {
        line: problem.span().map_or(1, |span| line_at(text, span.start)),
        message: problem.message().to_owned(),
    })?;
    let mut document = Document::default();
    document.json = document.toml_table(text, "", table.get_ref());
    Ok(document)
}

impl Document {
    fn toml_table(&mut self, text: &str, path: &str, table: &DeTable<'_>) -> Json {
        let mut object = Map::new();
        for (key, value) in table {
            let path = join(path, key.get_ref());
            let line = line_at(text, key.span().start);
            self.lines.insert(path.clone(), line);
            let json = self.toml_value(text, &path, value.get_ref());
            object.insert(key.get_ref().to_string(), json);
        }
        Json::Object(object)
    }

    fn toml_value(&mut self, text: &str, path: &str, value: &DeValue<'_>) -> Json {
        match value {
            DeValue::String(string) => Json::from(string.as_ref()),
            DeValue::Integer(number) => number_of(number.as_str()),
            DeValue::Float(number) => number_of(number.as_str()),
            DeValue::Boolean(value) => Json::from(*value),
            DeValue::Datetime(moment) => Json::from(moment.to_string()),
            DeValue::Array(items) => {
                let mut list = Vec::new();
                for (index, item) in items.iter().enumerate() {
                    let path = join(path, index);
                    let line = line_at(text, item.span().start);
                    self.lines.insert(path.clone(), line);
                    list.push(self.toml_value(text, &path, item.get_ref()));
                }
                Json::Array(list)
            }
            DeValue::Table(table) => self.toml_table(text, path, table),
        }
    }
}

/// Numbers as all three formats write them; what is none stays a text and is refused later.
fn number_of(text: &str) -> Json {
    let plain = text.replace('_', "");
    let plain = plain.trim_start_matches('+');
    match (plain.parse::<i64>(), plain.parse::<f64>()) {
        (Ok(number), _) => Json::from(number),
        (_, Ok(number)) => Json::from(number),
        _ => Json::from(text),
    }
}

fn read_json(text: &str) -> Result<Document, Broken> {
    // Strict and bounded in depth; the second parser is asked for places only.
    let json: Json = serde_json::from_str(text).map_err(|problem| Broken {
        line: problem.line().max(1),
        message: problem.to_string(),
    })?;
    let mut document = Document {
        json,
        ..Document::default()
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    if let Ok(parsed) = parsed
        && let Some(root) = parsed.value
    {
        document.json_lines(text, "", &root);
    }
    Ok(document)
}

impl Document {
    fn json_lines(&mut self, text: &str, path: &str, ast: &Ast<'_>) {
        match ast {
            Ast::Array(array) => {
                for (index, item) in array.elements.iter().enumerate() {
                    let path = join(path, index);
                    let line = line_at(text, item.range().start);
                    self.lines.insert(path.clone(), line);
                    self.json_lines(text, &path, item);
                }
            }
            Ast::Object(object) => {
                for property in &object.properties {
                    let path = match &property.name {
                        ObjectPropName::String(name) => join(path, &name.value),
                        ObjectPropName::Word(word) => join(path, word.value),
                    };
                    let line = line_at(text, property.range.start);
                    self.lines.insert(path.clone(), line);
                    self.json_lines(text, &path, &property.value);
                }
            }
            _ => {}
        }
    }
}

fn read_yaml(text: &str) -> Result<Document, Broken> {
    // A step that runs `yes` is not a truth value.
    let options = serde_saphyr::options! { strict_booleans: true };
    let root = serde_saphyr::from_str_with_options::<Spanned<Yaml>>(text, options);
    let root = root.map_err(|problem| {
        let line = problem.location().map_or(1, |location| location.line());
        let message = problem.to_string();
        let first = message.lines().next().unwrap_or_default();
        Broken {
            line: usize::try_from(line).unwrap_or(1).max(1),
            message: first.trim_start_matches("error: ").to_owned(),
        }
    })?;
    let mut document = Document::default();
    document.json = document.yaml(root, "");
    Ok(document)
}

/// Any YAML, each part with its place.
enum Yaml {
    Plain(Json),
    List(Vec<Spanned<Self>>),
    Map(Vec<(String, Spanned<Self>)>),
}

impl Document {
    fn yaml(&mut self, node: Spanned<Yaml>, path: &str) -> Json {
        let line = usize::try_from(node.referenced.line()).unwrap_or(1).max(1);
        self.lines.insert(path.to_owned(), line);
        match node.value {
            Yaml::Plain(json) => json,
            Yaml::List(items) => Json::Array(
                items
                    .into_iter()
                    .enumerate()
                    .map(|(index, item)| self.yaml(item, &join(path, index)))
                    .collect(),
            ),
            Yaml::Map(entries) => Json::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| {
                        let json = self.yaml(value, &join(path, &key));
                        (key, json)
                    })
                    .collect(),
            ),
        }
    }
}

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = Yaml;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Yaml, E> {
        Ok(Yaml::Plain(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Yaml, E> {
        Ok(Yaml::Plain(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Yaml, E> {
        Ok(Yaml::Plain(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Yaml, E> {
        Ok(Yaml::Plain(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Yaml, E> {
        Ok(Yaml::Plain(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Plain(Json::Null))
    }

    fn visit_none<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Plain(Json::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Yaml, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Yaml::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Yaml, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Yaml::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_formats_say_the_same_and_know_their_lines() {
        let expected = json!({
            "name": "x",
            "on": true,
            "spec": {"steps": [{"name": "a", "n": 5}, {"name": "b", "n": 0.5}]},
        });
        for (ending, text, line) in [
            (
                "toml",
                "name = \"x\"\non = true\n\n[[spec.steps]]\nname = \"a\"\nn = 5\n[[spec.steps]]\n\
                 name = \"b\"\nn = 0.5\n",
                9,
            ),
            (
                "yaml",
                "name: x\non: true\nspec:\n  steps:\n    - name: a\n      n: 5\n    - name: b\n      \
                 n: 0.5\n",
                8,
            ),
            (
                "json",
                "{\"name\": \"x\", \"on\": true,\n\"spec\": {\"steps\": [\n{\"name\": \"a\",\n\"n\": \
                 5},\n{\"name\": \"b\",\n\"n\": 0.5}]}}",
                6,
            ),
        ] {
            let document = Document::read(ending, text).unwrap();
            assert_eq!(document.json, expected, "{ending}");
            assert_eq!(document.line("spec.steps.1.n"), line, "{ending}");
            assert_eq!(document.line("spec.steps.1.n.more"), line, "{ending}");
        }
    }

    #[test]
    fn what_does_not_parse_says_where() {
        for (ending, text, line) in [
            ("toml", "a = 1\nb = = 2", 2),
            ("yaml", "a: 1\nb: [1, 2\nc: 3\n", 3),
            ("yml", "a: 1\na: 2\n", 2),
            ("json", "{\n\"a\": }", 2),
        ] {
            let broken = Document::read(ending, text).unwrap_err();
            assert_eq!(broken.line, line, "{ending}: {}", broken.message);
        }
    }
}
