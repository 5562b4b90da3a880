//! Reads TOML, YAML and JSON into one JSON value that knows the line of each field.

mod json;
mod toml;
mod yaml;

use std::collections::HashMap;
use std::fmt;

use serde_json::Value as Json;

/// A syntax error in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    pub line: usize,
    pub message: String,
}

/// The content of a file.
#[derive(Debug, Clone, Default)]
pub struct Document {
    pub json: Json,
    lines: HashMap<String, usize>,
}

impl Document {
    /// The line of a field such as `spec.steps.0.name`, or of its nearest parent.
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

    /// Parses a file by its extension.
    pub fn read(ending: &str, text: &str) -> Result<Self, SyntaxError> {
        let text = text.trim_start_matches('\u{feff}');
        match ending {
            "toml" => toml::read(text),
            "json" => json::read(text),
            _ => yaml::read(text),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_formats_give_equal_values_and_lines() {
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
    fn syntax_errors_have_a_line() {
        for (ending, text, line) in [
            ("toml", "a = 1\nb = = 2", 2),
            ("yaml", "a: 1\nb: [1, 2\nc: 3\n", 3),
            ("yml", "a: 1\na: 2\n", 2),
            ("json", "{\n\"a\": }", 2),
        ] {
            let error = Document::read(ending, text).unwrap_err();
            assert_eq!(error.line, line, "{ending}: {}", error.message);
        }
    }
}
