//! The values that changes replaced: so that the history can show them, and `undo` put them back.
//!
//! Documents do not help here: changes that no other clone has are replaced by one (`history.rs`).
//! So each change keeps what it replaced beside its event, up to a limit for all of them together.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use windlass_core::{Entity, Result, Value};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::records::{StoredRecord, StoredRecords};
use crate::writer::Writer;

/// How many bytes of replaced values are kept. The oldest are dropped.
const MOST_BYTES: i64 = 8 << 20;
/// How many events may pass before it is looked at again.
const LOOK_EVERY: i64 = 64;
/// A text that is longer keeps only what is different after a change.
const LONG: usize = 400;

/// One field before and after a change. `null` where it was not set.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// `title`, `content`, `tags`, the name of a property, or a record: `comments 3`.
    pub field: String,
    pub before: Json,
    pub after: Json,
}

/// What one change replaced.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Replaced {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<FieldChange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) records: Vec<RecordChange>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FieldChange {
    pub(crate) field: String,
    pub(crate) before: Json,
    after: After,
}

/// Values are texts, lists of texts or nothing, so an object is never one.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum After {
    /// The text before, in which `cut` bytes at `at` are replaced.
    Splice {
        at: usize,
        cut: usize,
        put: String,
    },
    Value(Json),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RecordChange {
    pub(crate) collection: String,
    pub(crate) key: String,
    pub(crate) before: Option<StoredRecord>,
    pub(crate) after: StoredRecord,
}

impl FieldChange {
    fn new(field: &str, before: Json, after: Json) -> Self {
        let after = match (&before, &after) {
            (Json::String(before), Json::String(after)) if before.len().max(after.len()) > LONG => {
                splice(before, after)
            }
            _ => After::Value(after),
        };
        Self {
            field: field.to_owned(),
            before,
            after,
        }
    }

    pub(crate) fn after(&self) -> Json {
        match (&self.after, &self.before) {
            (After::Value(value), _) => value.clone(),
            (After::Splice { at, cut, put }, Json::String(before)) => {
                let begin = before.get(..*at).unwrap_or_default();
                let end = before.get(at + cut..).unwrap_or_default();
                Json::String(format!("{begin}{put}{end}"))
            }
            (After::Splice { .. }, _) => Json::Null,
        }
    }
}

fn splice(before: &str, after: &str) -> After {
    let same = |(one, other): &(char, char)| one == other;
    let begin = before.chars().zip(after.chars()).take_while(same);
    let at: usize = begin.map(|(letter, _)| letter.len_utf8()).sum();
    let (rest, new) = (&before[at..], &after[at..]);
    let end = rest.chars().rev().zip(new.chars().rev()).take_while(same);
    let end: usize = end.map(|(letter, _)| letter.len_utf8()).sum();
    After::Splice {
        at,
        cut: rest.len() - end,
        put: new[..new.len() - end].to_owned(),
    }
}

/// The value of a field, whatever kind it is.
pub(crate) fn field_of(entity: &Entity, field: &str) -> Json {
    match field {
        "title" => json!(entity.title),
        "content" => json!(entity.content),
        "tags" => json!(entity.tags),
        name => entity
            .properties
            .get(name)
            .map_or(Json::Null, Value::to_json),
    }
}

/// Puts a value back.
pub(crate) fn set_field(entity: &mut Entity, field: &str, value: &Json) {
    let text = || value.as_str().map(str::to_owned);
    let texts = || {
        let items = value.as_array().into_iter().flatten();
        items
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    };
    match field {
        "title" => entity.title = text().unwrap_or_default(),
        "content" => entity.content = text(),
        "tags" => entity.tags = texts(),
        name => {
            let value = match value {
                Json::String(text) => Value::Text(text.clone()),
                Json::Array(_) => Value::List(texts()),
                _ => {
                    entity.properties.remove(name);
                    return;
                }
            };
            entity.properties.insert(name.to_owned(), value);
        }
    }
}

impl Replaced {
    fn between(before: &Entity, after: &Entity) -> Self {
        let mut names = vec!["title", "content", "tags"];
        let properties = before.properties.keys().chain(after.properties.keys());
        names.extend(properties.map(String::as_str));
        let mut fields: Vec<FieldChange> = Vec::new();
        for name in names {
            let (was, is) = (field_of(before, name), field_of(after, name));
            if was != is && fields.iter().all(|change| change.field != name) {
                fields.push(FieldChange::new(name, was, is));
            }
        }
        Self {
            fields,
            records: Vec::new(),
        }
    }

    pub(crate) fn differences(&self) -> Vec<Difference> {
        let fields = self.fields.iter().map(|change| Difference {
            field: change.field.clone(),
            before: change.before.clone(),
            after: change.after(),
        });
        let body = |record: Option<&StoredRecord>| {
            let body = record.and_then(|record| record.body.clone());
            body.unwrap_or(Json::Null)
        };
        let records = self.records.iter().map(|change| Difference {
            field: format!("{} {}", change.collection, change.after.number),
            before: body(change.before.as_ref()),
            after: body(Some(&change.after)),
        });
        fields.chain(records).collect()
    }
}

impl Reader<'_> {
    /// What the change of an event replaced; none if it is not kept, or not any more.
    pub(crate) fn replaced(&self, event: i64) -> Result<Option<Replaced>> {
        use rusqlite::OptionalExtension as _;
        let text: Option<String> = self
            .connection()
            .prepare_cached("SELECT changes FROM replaced WHERE seq = ?1")
            .and_then(|mut statement| statement.query_row([event], |row| row.get(0)).optional())
            .stored()?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// The fields that the change of an event changed, with their values before and after; none if
    /// they are not kept.
    pub fn differences(&self, event: i64) -> Result<Option<Vec<Difference>>> {
        Ok(self.replaced(event)?.map(|replaced| replaced.differences()))
    }
}

impl Writer<'_> {
    pub(crate) fn keep_fields(&self, event: i64, before: &Entity, after: &Entity) -> Result<()> {
        self.keep_replaced(event, &Replaced::between(before, after))
    }

    pub(crate) fn keep_records(
        &self,
        event: i64,
        before: &StoredRecords,
        after: &StoredRecords,
    ) -> Result<()> {
        let changed = after
            .iter()
            .filter(|(key, record)| before.get(*key) != Some(*record));
        let records = changed.map(|((collection, key), record)| RecordChange {
            collection: collection.clone(),
            key: key.clone(),
            before: before.get(&(collection.clone(), key.clone())).cloned(),
            after: record.clone(),
        });
        let replaced = Replaced {
            fields: Vec::new(),
            records: records.collect(),
        };
        self.keep_replaced(event, &replaced)
    }

    fn keep_replaced(&self, event: i64, replaced: &Replaced) -> Result<()> {
        // Plain data with text keys; serialising it cannot fail.
        let text = serde_json::to_string(replaced).unwrap_or_default();
        self.connection()
            .prepare_cached("INSERT OR REPLACE INTO replaced (seq, changes) VALUES (?1, ?2)")
            .and_then(|mut statement| statement.execute((event, text)))
            .stored()?;
        if event % LOOK_EVERY == 0 {
            self.drop_oldest_replaced(MOST_BYTES)?;
        }
        Ok(())
    }

    /// Drops the oldest values, so that at most so many bytes are kept.
    fn drop_oldest_replaced(&self, most: i64) -> Result<()> {
        self.connection()
            .prepare_cached(
                "DELETE FROM replaced WHERE seq <= (
                     SELECT seq FROM (
                         SELECT seq, sum(octet_length(changes)) OVER (ORDER BY seq DESC) AS bytes
                         FROM replaced)
                     WHERE bytes > ?1 ORDER BY seq DESC LIMIT 1)",
            )
            .and_then(|mut statement| statement.execute([most]))
            .stored()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_only_what_is_different() {
        let before = format!("{}middle{}", "ä".repeat(500), "é".repeat(500));
        for after in [
            before.replace("middle", "centre"),
            before.replace("middle", ""),
            format!("{before}end"),
            String::new(),
            before.clone() + &before,
        ] {
            let change = FieldChange::new("content", json!(before), json!(after));
            assert_eq!(change.after(), json!(after));
            let text = serde_json::to_string(&change).expect("written");
            let read: FieldChange = serde_json::from_str(&text).expect("read");
            assert_eq!(read.after(), json!(after));
            let extra = after.len().saturating_sub(before.len()) + 200;
            assert!(text.len() < before.len() + extra, "{}", text.len());
        }
    }

    #[test]
    fn the_oldest_values_are_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let (project, _) = crate::Project::init(folder.path()).expect("a project");
        let store = crate::Store::open(&project).expect("opened");
        let origin = windlass_core::Origin {
            actor: windlass_core::Actor::Agent,
            source: "test",
            session: "test".into(),
            correlation_id: None,
        };
        let left: Vec<i64> = store
            .write(&origin, |writer| {
                for event in 1..=10 {
                    let change = FieldChange::new("title", json!("x".repeat(100)), json!("y"));
                    let replaced = Replaced {
                        fields: vec![change],
                        records: Vec::new(),
                    };
                    writer.keep_replaced(event, &replaced)?;
                }
                writer.drop_oldest_replaced(500)?;
                writer
                    .connection()
                    .prepare("SELECT seq FROM replaced ORDER BY seq")
                    .and_then(|mut it| it.query_map([], |row| row.get(0))?.collect())
                    .stored()
            })
            .expect("written");
        assert_eq!(left, [8, 9, 10]);
    }
}
