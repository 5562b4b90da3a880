//! Field changes in the form of a patch.

use serde_json::{Map, Value as Json, json};

/// What was not given is absent; an empty text clears.
#[derive(Debug, Default)]
pub struct Changes(pub Map<String, Json>);

impl Changes {
    pub fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            let json = if value.trim().is_empty() {
                Json::Null
            } else {
                json!(value)
            };
            self.0.insert(name.to_owned(), json);
        }
    }

    pub fn list(&mut self, name: &str, value: Option<&[String]>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), json!(value));
        }
    }

    pub fn json(&mut self, name: &str, value: Option<Json>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value);
        }
    }
}
