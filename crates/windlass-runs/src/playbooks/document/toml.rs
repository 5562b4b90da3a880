//! TOML.

use serde_json::{Map, Value as Json};
use toml::de::{DeTable, DeValue};

use super::{Document, SyntaxError, join, line_at};

pub fn read(text: &str) -> Result<Document, SyntaxError> {
    let table = DeTable::parse(text).map_err(|problem| SyntaxError {
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
            DeValue::Datetime(datetime) => Json::from(datetime.to_string()),
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

/// Numbers in the form that all three formats share; anything else stays a string and is rejected
/// later.
fn number_of(text: &str) -> Json {
    let plain = text.replace('_', "");
    let plain = plain.trim_start_matches('+');
    match (plain.parse::<i64>(), plain.parse::<f64>()) {
        (Ok(number), _) => Json::from(number),
        (_, Ok(number)) => Json::from(number),
        _ => Json::from(text),
    }
}
