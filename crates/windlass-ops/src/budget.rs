//! Limits the length of outputs. A model's client cuts long outputs, and cuts them badly; so every
//! output is shortened here, once, after its operation: pages end early with the offset of the next
//! one, other texts and lists are cut, and the output lists what was cut and how to read the rest.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::view::Render;

/// The field that lists what was cut, with the whole length of each: characters of a text, items of a
/// list.
const TRUNCATED: &str = "truncated";
const TRUNCATED_FIELDS: &str = "truncated_fields";
/// The field that describes how to read the rest.
pub const READ_ON: &str = "read_on";

/// How much of each text and of each list is kept, tried in this order until the output fits.
const KEPT: &[(usize, usize)] = &[
    (40_000, 1_000),
    (20_000, 200),
    (10_000, 100),
    (5_000, 50),
    (2_000, 20),
    (1_000, 10),
    (300, 5),
];

/// The same for an output that is read piece by piece: as long as possible, items stay whole.
const KEPT_OF_PIECES: &[(usize, usize)] = &[
    (40_000, 200),
    (40_000, 100),
    (40_000, 50),
    (40_000, 20),
    (40_000, 10),
    (40_000, 5),
    (40_000, 2),
    (40_000, 1),
    (20_000, 1),
    (10_000, 1),
    (5_000, 1),
    (1_000, 1),
];

/// How many cuts an output names. If there are more, those in the items of a list are one.
const MOST_NAMED: usize = 20;

/// Space for the notes about what was cut.
const NOTES: usize = 2_000;

/// Cuts the JSON of an output to about `budget` characters.
pub fn fit(json: &mut Json, output: &(impl Render + ?Sized), budget: usize) {
    if size(json) <= budget {
        return;
    }
    match json {
        Json::Object(object) => match list_of_page(object) {
            Some(items) => fit_page(object, &items, output, budget),
            None => shorten_object(object, output, budget),
        },
        json => shorten(json, output, budget),
    }
}

/// The list of an output that is a page: it has an offset, a total, or a flag for more.
fn list_of_page(object: &Map<String, Json>) -> Option<String> {
    let is_page = ["has_more", "offset", "total"]
        .iter()
        .any(|key| object.contains_key(*key));
    let lists = object
        .iter()
        .filter_map(|(name, value)| value.as_array().map(|items| (items.len(), name)));
    let longest = lists.max_by_key(|(length, _)| *length);
    longest.filter(|_| is_page).map(|(_, name)| name.clone())
}

/// Cuts a value without an output type.
pub fn fit_plain(json: &mut Json, budget: usize) {
    struct Plain;
    impl Render for Plain {
        fn view(&self) -> crate::view::View {
            crate::view::View::default()
        }
    }
    fit(json, &Plain, budget);
}

/// How many bytes the value has as JSON text.
fn size(value: &impl Serialize) -> usize {
    let mut counter = Counter(0);
    // Counting cannot fail.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Ends a page early. An item that takes more than half of the budget is shortened itself.
fn fit_page(
    page: &mut Map<String, Json>,
    items: &str,
    output: &(impl Render + ?Sized),
    budget: usize,
) {
    let Some(Json::Array(list)) = page.get_mut(items) else {
        return shorten_object(page, output, budget);
    };
    let mut list = std::mem::take(list);
    let around = size(page);
    let room = budget.saturating_sub(around + NOTES).max(budget / 4);
    let mut used = 0;
    let mut kept = 0;
    for item in &mut list {
        if size(item) > room / 2 {
            shorten(item, &Item(output), room / 2);
        }
        used += size(item) + 1;
        if used > room && kept > 0 {
            break;
        }
        kept += 1;
    }
    let ends_early = kept < list.len();
    list.truncate(kept);
    page.insert(items.to_owned(), Json::Array(list));
    if ends_early {
        output.end_after(kept, page);
    }
    if size(page) > budget + NOTES {
        shorten_object(page, output, budget);
    }
}

/// An item of a page: the rules for the page's fields do not apply to it.
struct Item<'a, R: Render + ?Sized>(&'a R);

impl<R: Render + ?Sized> Render for Item<'_, R> {
    fn view(&self) -> crate::view::View {
        crate::view::View::default()
    }

    fn rest_of_item(&self, item: &Json, field: &str, shown: usize) -> Option<String> {
        self.0.rest_of_item(item, field, shown)
    }
}

fn shorten(json: &mut Json, output: &(impl Render + ?Sized), budget: usize) {
    if let Json::Object(object) = json {
        return shorten_object(object, output, budget);
    }
    let mut cuts = Cuts::default();
    for kept in KEPT {
        cuts.apply(json, &mut Vec::new(), *kept);
        if size(json) <= budget {
            return;
        }
    }
}

fn shorten_object(object: &mut Map<String, Json>, output: &(impl Render + ?Sized), budget: usize) {
    let room = budget.saturating_sub(NOTES).max(budget / 2);
    let mut whole = Json::Object(std::mem::take(object));
    let mut cuts = Cuts::default();
    let steps = if output.is_piece() {
        KEPT_OF_PIECES
    } else {
        KEPT
    };
    for kept in steps {
        cuts.apply(&mut whole, &mut Vec::new(), *kept);
        if size(&whole) <= room {
            break;
        }
    }
    cuts.join();
    let rest: Vec<Json> = cuts
        .0
        .iter()
        .filter_map(|cut| {
            let rest = output.rest_of(&cut.field, cut.shown);
            rest.or_else(|| output.rest_of_item(&whole, &cut.field, cut.shown))
        })
        .take(MOST_NAMED)
        .map(Json::String)
        .collect();
    if let Json::Object(shortened) = whole {
        *object = shortened;
    }
    if cuts.0.is_empty() {
        return;
    }
    let lengths = cuts.0.iter().take(MOST_NAMED);
    let lengths: Map<String, Json> = lengths
        .map(|cut| (cut.field.clone(), json!(cut.whole)))
        .collect();
    match object.get_mut(TRUNCATED) {
        // An output that has such a flag of its own keeps it.
        Some(flag @ Json::Bool(_)) => {
            *flag = Json::Bool(true);
            object.insert(TRUNCATED_FIELDS.to_owned(), Json::Object(lengths));
        }
        _ => drop(object.insert(TRUNCATED.to_owned(), Json::Object(lengths))),
    }
    if !rest.is_empty() {
        object.insert(READ_ON.to_owned(), Json::Array(rest));
    }
}

/// What was cut from an output.
#[derive(Default)]
struct Cuts(Vec<Cut>);

struct Cut {
    /// Where it is: `content`, `review.comments`.
    field: String,
    /// Characters or items that remain.
    shown: usize,
    /// Characters or items that it had.
    whole: usize,
}

impl Cuts {
    fn apply(&mut self, json: &mut Json, path: &mut Vec<String>, kept: (usize, usize)) {
        match json {
            Json::String(text) => {
                if let Some(whole) = cut(text, kept.0) {
                    self.note(path, kept.0, whole);
                }
            }
            Json::Array(items) => {
                if items.len() > kept.1 {
                    self.note(path, kept.1, items.len());
                    items.truncate(kept.1);
                }
                for (place, item) in items.iter_mut().enumerate() {
                    path.push(place.to_string());
                    self.apply(item, path, kept);
                    path.pop();
                }
            }
            Json::Object(fields) => {
                for (name, value) in fields {
                    path.push(name.clone());
                    self.apply(value, path, kept);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    /// Fields first. Where there are too many cuts to name, those in the items of a list become one,
    /// which begins at the first item that was cut.
    fn join(&mut self) {
        if self.0.len() <= MOST_NAMED {
            return;
        }
        let mut joined: Vec<Cut> = Vec::new();
        for cut in std::mem::take(&mut self.0) {
            let parts: Vec<&str> = cut.field.split('.').collect();
            let item = match parts.as_slice() {
                [list, item, ..] => item.parse::<usize>().ok().map(|item| (*list, item)),
                _ => None,
            };
            let (field, shown) = item.map_or((cut.field.as_str(), cut.shown), |it| it);
            match joined.iter_mut().find(|known| known.field == field) {
                Some(known) => known.shown = known.shown.min(shown),
                None => joined.push(Cut {
                    field: field.to_owned(),
                    shown,
                    whole: cut.whole,
                }),
            }
        }
        self.0 = joined;
    }

    fn note(&mut self, path: &[String], shown: usize, whole: usize) {
        // The fields of an entity's type are treated like its content.
        let path = path
            .strip_prefix(&["properties".to_owned()])
            .unwrap_or(path);
        let field = path.join(".");
        match self.0.iter_mut().find(|cut| cut.field == field) {
            Some(cut) => cut.shown = shown,
            None => self.0.push(Cut {
                field,
                shown,
                whole,
            }),
        }
    }
}

/// Cuts at a character, and returns the whole length if anything was cut.
pub fn cut(text: &mut String, keep: usize) -> Option<usize> {
    let (end, _) = text.char_indices().nth(keep)?;
    let whole = text.chars().count();
    text.truncate(end);
    Some(whole)
}

/// Lists of other entities in the outputs of tasks, which are read as relations, and where those lie.
/// Relations are listed by type, and no type comes before these.
const RELATED: &[(&str, &str)] = &[
    ("blocks", "from"),
    ("blocked_by", "to"),
    ("depends_on", "to"),
    ("dependencies", "to"),
    ("dependants", "from"),
    ("unblocked", "from"),
];

/// How the rest of a field of an entity is read.
pub fn rest_of_entity(number: i64, field: &str, shown: usize) -> String {
    if let Some((_, direction)) = RELATED.iter().find(|(name, _)| *name == field) {
        return format!(
            "{field}: [[graph_relations]] with id {number}, direction {direction} and offset {shown}"
        );
    }
    let stored = match field {
        "description" => "content",
        other => other,
    };
    format!("{field}: [[entity_get]] with id {number}, field \"{stored}\" and from {shown}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::View;

    const BUDGET: usize = 80_000;

    struct Page;

    impl Render for Page {
        fn view(&self) -> View {
            View::default()
        }
    }

    struct Entity;

    impl Render for Entity {
        fn view(&self) -> View {
            View::default()
        }

        fn rest_of(&self, field: &str, shown: usize) -> Option<String> {
            Some(rest_of_entity(7, field, shown))
        }
    }

    #[test]
    fn what_fits_is_left_alone() {
        let mut json = json!({"items": ["x".repeat(70_000)], "has_more": false});
        let before = json.clone();
        fit(&mut json, &Page, BUDGET);
        assert_eq!(json, before);
    }

    #[test]
    fn a_page_ends_early_and_says_where_it_goes_on() {
        let items: Vec<Json> = (0..100)
            .map(|_| json!({"text": "x".repeat(3_000)}))
            .collect();
        let mut json = json!({"items": items, "offset": 40, "has_more": false});
        fit(&mut json, &Page, BUDGET);
        let kept = json["items"].as_array().map_or(0, Vec::len);
        assert!((20..27).contains(&kept), "{kept}");
        assert_eq!(json["has_more"], true);
        assert_eq!(json["next_offset"], 40 + kept);
        assert!(size(&json) <= BUDGET);
    }

    #[test]
    fn an_item_that_is_too_long_by_itself_is_shortened() {
        let mut json = json!({"items": [{"text": "x".repeat(300_000)}], "has_more": false});
        fit(&mut json, &Page, BUDGET);
        assert_eq!(json["items"][0]["truncated"]["text"], 300_000);
        assert_eq!(json["has_more"], false);
        assert!(size(&json) <= BUDGET);
    }

    #[test]
    fn the_rest_of_a_field_can_be_read() {
        let mut json = json!({
            "content": "ö".repeat(102_400),
            "properties": {"context": "y".repeat(50_000)},
            "blocks": (0..10_000).collect::<Vec<_>>(),
        });
        fit(&mut json, &Entity, BUDGET);
        assert!(size(&json) <= BUDGET, "{}", size(&json));
        assert_eq!(json["truncated"]["content"], 102_400);
        assert_eq!(json["truncated"]["blocks"], 10_000);
        let shown = json["properties"]["context"].as_str().map_or(0, str::len);
        let hint = format!("context: [[entity_get]] with id 7, field \"context\" and from {shown}");
        let read_on = json["read_on"].as_array().cloned().unwrap_or_default();
        assert!(read_on.contains(&json!(hint)), "{read_on:?}");
    }

    #[test]
    fn anything_fits_in_the_end() {
        let inner = json!({"b": vec![json!({"c": "z".repeat(900)}); 500]});
        let mut json = json!({"a": vec![inner; 50]});
        fit_plain(&mut json, BUDGET);
        assert!(size(&json) <= BUDGET, "{}", size(&json));
    }
}
