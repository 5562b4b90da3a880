//! YAML.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;
use serde_saphyr::Spanned;

use super::{Document, SyntaxError, join};

pub fn read(text: &str) -> Result<Document, SyntaxError> {
    // Only `true` and `false` are booleans: a step may run `yes`.
    let options = serde_saphyr::options! { strict_booleans: true };
    let root = serde_saphyr::from_str_with_options::<Spanned<Yaml>>(text, options);
    let root = root.map_err(|problem| {
        let line = problem.location().map_or(1, |location| location.line());
        let message = problem.to_string();
        let first = message.lines().next().unwrap_or_default();
        SyntaxError {
            line: usize::try_from(line).unwrap_or(1).max(1),
            message: first.trim_start_matches("error: ").to_owned(),
        }
    })?;
    let mut document = Document::default();
    document.json = document.yaml(root, "");
    Ok(document)
}

/// Any YAML value, with positions.
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
