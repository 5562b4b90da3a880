//! Checks JSON field by field and reports problems in the wording of Zod, which callers of this
//! contract's first server know.

use std::fmt;

use serde_json::{Map, Value as Json};

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The field: `steps.0.name`; empty for the whole.
    pub path: String,
    /// The message: `Required`.
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

/// All problems; its text is the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    first: Issue,
    rest: Vec<Issue>,
}

impl Invalid {
    /// One problem.
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

    /// All problems, in the order of the fields. Never empty.
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

/// The problems found so far.
#[derive(Debug, Default)]
pub struct Findings(Vec<Issue>);

impl Findings {
    /// Returns the problems as an error, if there are any.
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

    /// Adds a problem at `path`.
    pub fn add(&mut self, path: &str, message: impl Into<String>) {
        self.0.push(Issue {
            path: path.to_owned(),
            message: message.into(),
        });
    }

    /// Returns a required field, or adds a problem.
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

    /// Returns the object at `path`, or adds a problem.
    pub fn object<'a>(&mut self, path: &str, value: &'a Json) -> Option<&'a Map<String, Json>> {
        let object = value.as_object();
        if object.is_none() {
            self.wrong_type(path, "object", value);
        }
        object
    }

    /// Returns the list at `path` if its length is within the limits, or adds a problem.
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

    /// Returns the string at `path`, or adds a problem.
    pub fn text<'a>(&mut self, path: &str, value: &'a Json) -> Option<&'a str> {
        let text = value.as_str();
        if text.is_none() {
            self.wrong_type(path, "string", value);
        }
        text
    }

    /// Returns a string that is not blank and has at most `most` characters, or adds a problem.
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

    /// Checks that the value is one of `options`.
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

    /// Adds a problem for unknown keys.
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

    /// Adds a problem for a wrong type.
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
