//! Fields of records that are JSON objects, whatever they come from.

use serde_json::{Map, Value as Json};
use windlass_core::Timestamp;

pub type Record = Map<String, Json>;

/// A text that is not empty.
pub fn field<'a>(record: &'a Record, name: &str) -> Option<&'a str> {
    let text = record.get(name)?.as_str()?;
    (!text.trim().is_empty()).then_some(text)
}

/// A text or a whole number, as text.
pub fn key(record: &Record, name: &str) -> Option<String> {
    match record.get(name)? {
        Json::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

pub fn moment(record: &Record, name: &str) -> Option<Timestamp> {
    Timestamp::parse_foreign(field(record, name)?)
}

/// The objects of a list.
pub fn objects<'a>(record: &'a Record, name: &str) -> impl Iterator<Item = &'a Record> {
    record
        .get(name)
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(Json::as_object)
}

/// The texts of a list, which may itself be JSON in a text.
pub fn texts(record: &Record, name: &str) -> Vec<String> {
    let parsed: Json;
    let list = match record.get(name) {
        Some(Json::String(text)) => {
            parsed = serde_json::from_str(text).unwrap_or_default();
            &parsed
        }
        Some(list) => list,
        None => return Vec::new(),
    };
    let items = list.as_array().into_iter().flatten();
    items
        .filter_map(|item| match item {
            Json::String(text) => Some(text.clone()),
            Json::Number(number) => Some(number.to_string()),
            _ => None,
        })
        .collect()
}

/// Whether a column that is 0 or 1 is set.
pub fn is_set(record: &Record, name: &str) -> bool {
    record.get(name).and_then(Json::as_i64).unwrap_or(0) != 0
}
