//! Looking at JSON field by field and saying what is wrong, in the words of Zod, since callers of the
//! first server of this contract know them.

use std::fmt;

use serde_json::{Map, Value as Json};

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The field: `steps.0.name`; empty for the whole.
    pub path: String,
    /// What is wrong with it: `Required`.
    pub message: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            out.write_str(&self.message)
        } else {
            write!(out, "{}: {}", self.path, self.message)
        }
    }
}

/// Everything that is wrong; its text is the first of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    first: Issue,
    rest: Vec<Issue>,
}

impl Invalid {
    /// One thing that is wrong.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        let first = Issue {
            path: path.into(),
            message: message.into(),
        };
        Self {
            first,
            rest: Vec::new(),
        }
    }

    /// All of it, in the order of the fields. Never empty.
    pub fn issues(&self) -> impl Iterator<Item = &Issue> {
        std::iter::once(&self.first).chain(&self.rest)
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(out)
    }
}

impl std::error::Error for Invalid {}

/// What was found so far.
#[derive(Debug, Default)]
pub struct Findings(Vec<Issue>);

impl Findings {
    /// Ends the look.
    pub fn into_result(self) -> Result<(), Invalid> {
        let mut issues = self.0.into_iter();
        match issues.next() {
            None => Ok(()),
            Some(first) => Err(Invalid {
                first,
                rest: issues.collect(),
            }),
        }
    }

    /// Notes that something is wrong at `path`.
    pub fn add(&mut self, path: &str, message: impl Into<String>) {
        self.0.push(Issue {
            path: path.to_owned(),
            message: message.into(),
        });
    }

    /// A field that must be there, or nothing and a finding.
    pub fn required<'a>(
        &mut self,
        path: &str,
        object: &'a Map<String, Json>,
        field: &str,
    ) -> Option<&'a Json> {
        let value = object.get(field);
        if value.is_none() {
            self.add(&join(path, field), "Required");
        }
        value
    }

    /// The object at `path`, or nothing and a finding.
    pub fn object<'a>(&mut self, path: &str, value: &'a Json) -> Option<&'a Map<String, Json>> {
        let object = value.as_object();
        if object.is_none() {
            self.wrong_type(path, "object", value);
        }
        object
    }

    /// The list at `path` with so many items, or nothing and a finding.
    pub fn list<'a>(
        &mut self,
        path: &str,
        value: &'a Json,
        (least, most): (usize, usize),
    ) -> Option<&'a [Json]> {
        let Some(list) = value.as_array() else {
            self.wrong_type(path, "array", value);
            return None;
        };
        if list.len() < least {
            let message = format!("Array must contain at least {least} element(s)");
            self.add(path, message);
            return None;
        }
        if list.len() > most {
            let message = format!("Array must contain at most {most} element(s)");
            self.add(path, message);
            return None;
        }
        Some(list)
    }

    /// The text at `path`, or nothing and a finding.
    pub fn text<'a>(&mut self, path: &str, value: &'a Json) -> Option<&'a str> {
        let text = value.as_str();
        if text.is_none() {
            self.wrong_type(path, "string", value);
        }
        text
    }

    /// A text that is not blank and has at most `most` characters.
    pub fn filled_text<'a>(&mut self, path: &str, value: &'a Json, most: usize) -> Option<&'a str> {
        let text = self.text(path, value)?;
        if text.trim().is_empty() {
            self.add(path, "String must contain at least 1 character(s)");
            return None;
        }
        if text.chars().count() > most {
            let message = format!("String must contain at most {most} character(s)");
            self.add(path, message);
            return None;
        }
        if text.contains('\0') {
            self.add(path, "String must not contain a NUL character");
            return None;
        }
        Some(text)
    }

    /// One of a few texts.
    pub fn one_of(&mut self, path: &str, value: &Json, options: &[&str]) {
        let listed: Vec<String> = options.iter().map(|name| format!("'{name}'")).collect();
        let listed = listed.join(" | ");
        match value.as_str() {
            Some(text) if options.contains(&text) => {}
            Some(text) => {
                let message = format!("Invalid enum value. Expected {listed}, received '{text}'");
                self.add(path, message);
            }
            None => self.wrong_type(path, &listed, value),
        }
    }

    /// Notes keys that nobody knows.
    pub fn unknown_keys(&mut self, path: &str, object: &Map<String, Json>, known: &[&str]) {
        let unknown: Vec<String> = object
            .keys()
            .filter(|key| !known.contains(&key.as_str()))
            .map(|key| format!("'{key}'"))
            .collect();
        if !unknown.is_empty() {
            let message = format!("Unrecognized key(s) in object: {}", unknown.join(", "));
            self.add(path, message);
        }
    }

    /// Notes that another type was expected.
    pub fn wrong_type(&mut self, path: &str, expected: &str, value: &Json) {
        let received = match value {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(_) => "number",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        };
        self.add(path, format!("Expected {expected}, received {received}"));
    }
}

/// The path of a field within another.
pub fn join(path: &str, field: impl fmt::Display) -> String {
    if path.is_empty() {
        field.to_string()
    } else {
        format!("{path}.{field}")
    }
}
