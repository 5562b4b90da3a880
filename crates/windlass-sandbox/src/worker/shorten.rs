//! Shortens values that are too long, so that they remain valid values.
//!
//! Long strings and lists are cut at the end and marked with `_truncated` and their original size.
//! Short parts stay complete, so that the structure of the value remains visible.

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::limits::MAX_DEPTH;
use crate::outcome::{ErrorCode, Failure};

/// Characters reserved for the mark of a cut value.
const MARK: usize = 60;

/// The characters that each item of a list gets before items at its end are dropped.
const CHARACTERS_PER_ITEM: usize = 120;

/// Parses a JSON text and cuts the value to `most` characters; also returns whether it was cut.
pub fn shorten(text: &str, most: usize) -> Result<(Json, bool), Failure> {
    let mut reader = serde_json::Deserializer::from_str(text);
    // The engine cannot nest deeper than its stack, which is much smaller than this one.
    reader.disable_recursion_limit();
    let mut value = Json::deserialize(&mut reader).map_err(|problem| {
        let message = format!("The value cannot be returned: {problem}");
        Failure::new(ErrorCode::JsRuntimeError, message)
    })?;
    let is_short = text.len() <= most || text.chars().count() <= most;
    let was_deep = cut_depth(&mut value, MAX_DEPTH);
    if is_short && !was_deep {
        return Ok((value, false));
    }
    let cut = cut(value, most);
    if size(&cut) > most {
        let mark = json!({ "_truncated": { "characters": text.chars().count() } });
        return Ok((mark, true));
    }
    Ok((cut, true))
}

/// Cuts values nested deeper than `depth` levels, and returns whether there were any.
fn cut_depth(value: &mut Json, depth: usize) -> bool {
    if depth == 0 && (value.is_array() || value.is_object()) {
        *value = json!({ "_truncated": { "depth": MAX_DEPTH } });
        return true;
    }
    let mut was_deep = false;
    match value {
        Json::Array(items) => {
            for item in items {
                was_deep |= cut_depth(item, depth - 1);
            }
        }
        Json::Object(fields) => {
            for field in fields.values_mut() {
                was_deep |= cut_depth(field, depth - 1);
            }
        }
        _ => {}
    }
    was_deep
}

/// Cuts a value down to about `room` characters.
fn cut(value: Json, room: usize) -> Json {
    if size(&value) <= room {
        return value;
    }
    match value {
        Json::String(text) => cut_text(&text, room),
        Json::Array(items) => cut_list(items, room),
        Json::Object(fields) => cut_object(fields, room),
        other => other,
    }
}

fn cut_text(text: &str, room: usize) -> Json {
    let length = text.chars().count();
    let mut kept = String::new();
    let mut left = room.saturating_sub(MARK);
    for letter in text.chars() {
        let Some(rest) = left.checked_sub(letter_size(letter)) else {
            break;
        };
        left = rest;
        kept.push(letter);
    }
    let shown = kept.chars().count();
    Json::String(format!(
        "{kept}… [_truncated: {shown} of {length} characters]"
    ))
}

fn cut_list(items: Vec<Json>, room: usize) -> Json {
    let count = items.len();
    let sizes: Vec<usize> = items.iter().map(|item| size(item) + 1).collect();
    let shares = shares(&sizes, room.saturating_sub(MARK));
    let shown = shares.len();
    let mut kept: Vec<Json> = items
        .into_iter()
        .zip(shares)
        .map(|(item, share)| cut(item, share.saturating_sub(1)))
        .collect();
    if shown < count {
        kept.push(json!({ "_truncated": { "items": count, "shown": shown } }));
    }
    Json::Array(kept)
}

fn cut_object(fields: Map<String, Json>, room: usize) -> Json {
    let count = fields.len();
    let overhead = |name: &str| text_size(name) + 2;
    let sizes: Vec<usize> = fields
        .iter()
        .map(|(name, field)| overhead(name) + size(field))
        .collect();
    let shares = shares(&sizes, room.saturating_sub(MARK));
    let shown = shares.len();
    let mut kept = Map::new();
    for ((name, field), share) in fields.into_iter().zip(shares) {
        let share = share.saturating_sub(overhead(&name));
        kept.insert(name, cut(field, share));
    }
    if shown < count {
        kept.insert(
            "_truncated".to_owned(),
            json!({ "fields": count, "shown": shown }),
        );
    }
    Json::Object(kept)
}

/// The share of `room` for each of the first parts. Parts at the end are dropped if there is too
/// little for each; small parts get what they need, and the others share the rest.
fn shares(sizes: &[usize], room: usize) -> Vec<usize> {
    let mut least = 0;
    let kept = sizes
        .iter()
        .take_while(|size| {
            least += (**size).min(CHARACTERS_PER_ITEM);
            least <= room
        })
        .count();
    let mut order: Vec<usize> = (0..kept).collect();
    order.sort_by_key(|index| sizes[*index]);
    let mut shares = vec![0; kept];
    let mut left = room;
    for (done, index) in order.into_iter().enumerate() {
        let share = sizes[index].min(left / (kept - done));
        shares[index] = share;
        left -= share;
    }
    shares
}

/// The number of characters of a value as JSON text.
fn size(value: &Json) -> usize {
    match value {
        Json::String(text) => text_size(text),
        Json::Array(items) => 2 + items.iter().map(|item| size(item) + 1).sum::<usize>(),
        Json::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, field)| text_size(name) + size(field) + 2);
            2 + fields.sum::<usize>()
        }
        Json::Number(number) => number.to_string().len(),
        Json::Bool(_) => 5,
        Json::Null => 4,
    }
}

fn text_size(text: &str) -> usize {
    2 + text.chars().map(letter_size).sum::<usize>()
}

fn letter_size(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        letter if letter < ' ' => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(value: &Json, most: usize) -> Json {
        let (cut, truncated) = shorten(&value.to_string(), most).unwrap();
        assert!(truncated);
        assert!(cut.to_string().chars().count() <= most, "{cut}");
        cut
    }

    #[test]
    fn a_short_value_is_unchanged() {
        let value = json!({ "a": [1, 2, { "b": "ä\n" }], "c": null });
        assert_eq!(shorten(&value.to_string(), 100).unwrap(), (value, false));
    }

    #[test]
    fn a_cut_text_contains_its_original_length() {
        let cut = check(&json!("x".repeat(1_000)), 100);
        let expected = format!("{}… [_truncated: 40 of 1000 characters]", "x".repeat(40));
        assert_eq!(cut, json!(expected));
    }

    #[test]
    fn a_long_list_keeps_its_beginning() {
        let cut = check(&json!((0..1_000).collect::<Vec<_>>()), 200);
        let items = cut.as_array().unwrap();
        assert_eq!(items[0], json!(0));
        let shown = items.len() - 1;
        assert_eq!(
            items[shown],
            json!({ "_truncated": { "items": 1_000, "shown": shown } })
        );
    }

    #[test]
    fn short_fields_stay_complete_beside_a_long_one() {
        let value = json!({ "log": "y".repeat(10_000), "id": 7, "title": "short" });
        let cut = check(&value, 300);
        assert_eq!(cut["id"], json!(7));
        assert_eq!(cut["title"], json!("short"));
        assert!(cut["log"].as_str().unwrap().contains("of 10000 characters"));
    }

    #[test]
    fn depth_is_cut_too() {
        let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        let (cut, truncated) = shorten(&deep, 50_000).unwrap();
        assert!(truncated);
        let text = cut.to_string();
        assert!(text.contains(r#"{"_truncated":{"depth":64}}"#), "{text}");
        assert!(serde_json::from_str::<Json>(&text).is_ok());
    }

    fn values() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            ".{0,300}".prop_map(Json::from),
        ];
        leaf.prop_recursive(5, 200, 20, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..20).prop_map(Json::from),
                prop::collection::vec((".{0,30}", inner), 0..20)
                    .prop_map(|fields| Json::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn never_longer_than_allowed(value in values(), most in 100..2_000usize) {
            let (cut, truncated) = shorten(&value.to_string(), most).unwrap();
            let length = cut.to_string().chars().count();
            prop_assert!(length <= most, "{length} > {most}");
            prop_assert_eq!(!truncated, cut == value);
        }
    }
}
