//! Reads JSON, TOML and YAML into one small tree that knows its lines.

mod json;
mod toml;
mod yaml;

pub use json::read as read_json;
pub use json::read_with_comments as read_jsonc;
pub use toml::read as read_toml;
pub use yaml::read as read_yaml;

/// A syntax error in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    pub line: usize,
    pub message: String,
}

/// A value and the line of its key.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub line: usize,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Text(String),
    /// As written; no format here needs the numeric value.
    Number(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries()
            .iter()
            .find_map(|(name, node)| (name == key).then_some(node))
    }

    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The entries of a map; empty for anything else.
    pub fn entries(&self) -> &[(String, Self)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn text_at(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    pub fn is_true(&self, key: &str) -> bool {
        self.get(key)
            .is_some_and(|node| node.value == Value::Bool(true))
    }

    pub fn is_false(&self, key: &str) -> bool {
        self.get(key)
            .is_some_and(|node| node.value == Value::Bool(false))
    }

    /// All texts in the value.
    pub fn texts(&self) -> Vec<String> {
        match &self.value {
            Value::Text(text) => vec![text.clone()],
            Value::List(items) => items.iter().flat_map(Self::texts).collect(),
            Value::Map(entries) => entries.iter().flat_map(|(_, it)| it.texts()).collect(),
            _ => Vec::new(),
        }
    }

    /// The texts of a value that is a path, a list of paths, or tables with `path`.
    pub fn path_texts(&self) -> Vec<String> {
        match &self.value {
            Value::List(items) => items.iter().flat_map(Self::path_texts).collect(),
            Value::Map(_) => self.get("path").map(Self::path_texts).unwrap_or_default(),
            _ => self.texts(),
        }
    }

    /// The value with everything resolved (aliases, merges) and without comments or layout.
    pub fn render(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out
    }

    fn write(&self, out: &mut String, depth: usize) {
        match &self.value {
            Value::Null => out.push_str("null"),
            Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Value::Number(number) => out.push_str(number),
            Value::Text(text) if depth == 0 => out.push_str(text),
            Value::Text(text) => {
                out.push('"');
                out.extend(text.escape_debug());
                out.push('"');
            }
            Value::List(items) => {
                for item in items {
                    out.push('\n');
                    out.push_str(&"  ".repeat(depth));
                    out.push_str("- ");
                    item.write(out, depth + 1);
                }
            }
            Value::Map(entries) => {
                for (key, value) in entries {
                    out.push('\n');
                    out.push_str(&"  ".repeat(depth));
                    out.extend(key.escape_debug());
                    out.push_str(": ");
                    value.write(out, depth + 1);
                }
            }
        }
    }
}

/// A canonical form for pins: one text for each value, whatever the layout, the comments and the
/// escapes in the file.
impl Node {
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        self.write_canonical(&mut out, 0);
        out
    }

    /// The canonical form of a map without the entries for which `dropped` is true.
    pub fn canonical_without(&self, dropped: impl Fn(&str) -> bool) -> String {
        let entries = self.entries().iter().filter(|(key, _)| !dropped(key));
        let kept = Self {
            line: self.line,
            value: Value::Map(entries.cloned().collect()),
        };
        kept.canonical()
    }

    fn write_canonical(&self, out: &mut String, depth: usize) {
        let line = |out: &mut String, depth: usize| {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        };
        match &self.value {
            Value::Null => out.push_str("null"),
            Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Value::Number(number) => out.push_str(number),
            Value::Text(text) => quote(text, out),
            Value::List(items) if items.is_empty() => out.push_str("[]"),
            Value::List(items) => {
                out.push('[');
                for item in items {
                    line(out, depth + 1);
                    item.write_canonical(out, depth + 1);
                }
                line(out, depth);
                out.push(']');
            }
            Value::Map(entries) if entries.is_empty() => out.push_str("{}"),
            Value::Map(entries) => {
                out.push('{');
                for (key, value) in entries {
                    line(out, depth + 1);
                    quote(key, out);
                    out.push_str(": ");
                    value.write_canonical(out, depth + 1);
                }
                line(out, depth);
                out.push('}');
            }
        }
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            letter if letter.is_control() => out.extend(letter.escape_unicode()),
            letter => out.push(letter),
        }
    }
    out.push('"');
}

/// Finds the line of a byte position.
pub struct Lines(Vec<usize>);

impl Lines {
    pub fn new(text: &str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(newlines.map(|(at, _)| at).collect())
    }

    pub fn of(&self, position: usize) -> usize {
        self.0.partition_point(|newline| *newline < position) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_values_have_different_canonical_forms() {
        let texts = [
            "{}",
            "[]",
            "\"\"",
            "null",
            "\"null\"",
            "0",
            "\"0\"",
            "{\"a\": {}}",
            "{\"a\": []}",
            "{\"a\": \"x\", \"b\": 1}",
            "{\"a\": \"x\\\"\\n  \\\"b\\\": 1\"}",
            "[[], 1]",
            "[[1]]",
            "[\"\\\\u{a}\"]",
            "[\"\\n\"]",
        ];
        let forms: std::collections::BTreeSet<String> = texts
            .iter()
            .map(|text| read_json(text).unwrap().canonical())
            .collect();
        assert_eq!(forms.len(), texts.len(), "{forms:?}");
        let one = read_json("{ \"a\" :[1, 2 ] }").unwrap().canonical();
        assert_eq!(
            one,
            read_jsonc("{\"\\u0061\":/* x */[1,2]}")
                .unwrap()
                .canonical()
        );
    }
}
