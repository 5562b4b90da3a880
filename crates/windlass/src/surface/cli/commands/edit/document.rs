//! The text that is edited: fields as TOML between two lines of `+++`, then the body.

use serde_json::{Map, Value as Json};
use toml_edit::{Array, InlineTable, Value};
use windlass_core::{Error, Result};

const FENCE: &str = "+++";

/// A field that can be edited.
pub struct FieldText {
    pub name: String,
    pub value: Json,
    /// What may stand there, where it takes words only.
    pub choices: Vec<String>,
    pub is_list: bool,
    pub is_number: bool,
}

/// The whole text for the editor.
pub fn write(heading: &str, fields: &[FieldText], body: &str) -> String {
    let mut out = format!("{FENCE}\n# {heading}\n# An empty value clears a field.\n");
    for field in fields {
        let choices = match field.choices.as_slice() {
            [] => String::new(),
            words => format!("  # {}", words.join(", ")),
        };
        let line = match (&field.value, field.is_list, field.is_number) {
            (Json::Null, true, _) => format!("{} = []", field.name),
            // TOML has no empty number.
            (Json::Null, _, true) => format!("# {} = 0", field.name),
            (Json::Null, _, _) => format!("{} = \"\"{choices}", field.name),
            (value, _, _) => format!("{} = {}{choices}", field.name, toml_of(value)),
        };
        out.push_str(&line);
        out.push('\n');
    }
    out.push_str(FENCE);
    out.push('\n');
    if !body.is_empty() {
        out.push('\n');
        out.push_str(body);
        if !body.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

fn toml_of(value: &Json) -> Value {
    match value {
        Json::Null => Value::from(""),
        Json::Bool(flag) => Value::from(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Value::from(whole),
            None => Value::from(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::Array(items.iter().map(toml_of).collect::<Array>()),
        Json::Object(fields) => {
            let mut table = InlineTable::new();
            for (name, value) in fields {
                table.insert(name, toml_of(value));
            }
            Value::InlineTable(table)
        }
    }
}

/// An edited text, read back.
#[derive(Debug, PartialEq)]
pub struct Document {
    fields: Map<String, Json>,
    body: String,
}

/// What a person changed.
#[derive(Debug, PartialEq)]
pub struct Changes {
    /// Null clears a field.
    pub fields: Map<String, Json>,
    pub body: Option<String>,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.body.is_none()
    }
}

impl Document {
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.replace("\r\n", "\n");
        let fences = || {
            Error::invalid_params("The fields must stand between two lines of +++")
                .with_hint("Put the lines back as they were.")
        };
        let rest = text.trim_start().strip_prefix(FENCE).ok_or_else(fences)?;
        let (head, body) = rest.split_once("\n+++").ok_or_else(fences)?;
        let fields: Map<String, Json> = toml::from_str(head).map_err(|problem| {
            Error::invalid_params(format!("The fields are not TOML: {}", problem.message()))
                .with_hint("Texts stand in quotes: title = \"A title\".")
        })?;
        Ok(Self {
            fields,
            body: body.trim().to_owned(),
        })
    }

    /// What is different from an earlier text. A field that was taken out is cleared.
    pub fn changes_since(&self, before: &Self) -> Changes {
        let mut fields = Map::new();
        for (name, value) in &self.fields {
            if before.fields.get(name) != Some(value) {
                let empty = value.as_str().is_some_and(|text| text.trim().is_empty());
                let value = if empty { Json::Null } else { value.clone() };
                fields.insert(name.clone(), value);
            }
        }
        for (name, value) in &before.fields {
            let was_empty = value.as_str() == Some("") || *value == Json::Array(Vec::new());
            if !self.fields.contains_key(name) && !was_empty {
                fields.insert(name.clone(), Json::Null);
            }
        }
        let body = (self.body != before.body).then(|| self.body.clone());
        Changes { fields, body }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(name: &str, value: Json) -> FieldText {
        FieldText {
            name: name.to_owned(),
            value,
            choices: Vec::new(),
            is_list: name == "tags",
            is_number: name == "estimated_turns",
        }
    }

    #[test]
    fn what_is_written_reads_back_without_a_change() {
        let fields = [
            field("title", json!("A \"quoted\" title")),
            field("hints", json!("two\nlines")),
            field("tags", json!(["a", "b"])),
            field("due_date", Json::Null),
            field("estimated_turns", Json::Null),
        ];
        let text = write("Task #7", &fields, "# Heading\n\n+1 for it\n");
        let document = Document::parse(&text).unwrap();
        assert_eq!(document.body, "# Heading\n\n+1 for it");
        assert_eq!(document.fields["hints"], "two\nlines");
        assert!(document.changes_since(&document).is_empty());
    }

    #[test]
    fn only_the_difference_is_changed() {
        let before =
            Document::parse("+++\na = \"1\"\nb = \"2\"\nc = \"3\"\n+++\n\nBody\n").unwrap();
        let after =
            Document::parse("+++\na = \"1\"\nb = \"\"\nd = [\"x\"]\n+++\nBody 2\n").unwrap();
        let changes = after.changes_since(&before);
        assert_eq!(
            Json::Object(changes.fields),
            json!({"b": null, "d": ["x"], "c": null})
        );
        assert_eq!(changes.body.as_deref(), Some("Body 2"));
    }

    #[test]
    fn a_broken_text_says_what_is_wrong() {
        for (text, wrong) in [
            ("title = \"x\"", "between two lines"),
            ("+++\ntitle = x\n+++\n", "not TOML"),
        ] {
            let error = Document::parse(text).unwrap_err();
            assert!(error.message().contains(wrong), "{error}");
        }
    }
}
