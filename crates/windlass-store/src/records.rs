//! Records attached to an entity: comments on a task, learnings of a feature. Each is a small JSON
//! value in the entity's document, so that two clones can add to the same collection.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use windlass_core::{Entity, EntityId, Error, EventType, Result};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// A collection of records on an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collection {
    Comments,
    Learnings,
    /// Where the entity was imported from.
    Origin,
    /// Whether what it says still holds.
    Memory,
}

impl Collection {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Comments => "comments",
            Self::Learnings => "learnings",
            Self::Origin => "origin",
            Self::Memory => "memory",
        }
    }
}

/// A record as returned to readers.
#[derive(Debug, Clone, PartialEq)]
pub struct AttachedRecord {
    /// Its number within the collection. Never reused.
    pub number: i64,
    pub body: Json,
}

/// A change to one record.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordEdit {
    Add(Json),
    Replace(i64, Json),
    Remove(i64),
}

/// A record as stored in the document. A removed one stays without a body, so that its number is
/// not reused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredRecord {
    pub(crate) number: i64,
    pub(crate) body: Option<Json>,
}

/// Records by collection and key.
pub(crate) type StoredRecords = BTreeMap<(String, String), StoredRecord>;

/// If two clones assigned the same number in a collection, the second key in order gets the next
/// free one. Every clone that has the same records computes the same numbers.
pub(crate) fn with_unique_numbers(records: &StoredRecords) -> StoredRecords {
    let mut out = StoredRecords::new();
    let mut taken: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for ((collection, _), record) in records {
        taken.entry(collection).or_default().push(record.number);
    }
    let mut seen: Vec<(&str, i64)> = Vec::new();
    for ((collection, key), record) in records {
        let mut record = record.clone();
        if seen.contains(&(collection.as_str(), record.number)) {
            let numbers = taken.entry(collection).or_default();
            record.number = numbers.iter().max().map_or(1, |most| most + 1);
            numbers.push(record.number);
        }
        seen.push((collection, record.number));
        out.insert((collection.clone(), key.clone()), record);
    }
    out
}

impl Reader<'_> {
    /// The records of one collection, by number.
    pub fn records(&self, id: &EntityId, collection: Collection) -> Result<Vec<AttachedRecord>> {
        let rows: Vec<(i64, String)> = self
            .connection()
            .prepare_cached(
                "SELECT r.number, r.body FROM entities e JOIN records r USING (row)
                 WHERE e.id = ?1 AND r.collection = ?2 AND r.body IS NOT NULL ORDER BY r.number",
            )
            .and_then(|mut statement| {
                statement
                    .query_map((id.as_str(), collection.name()), |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })?
                    .collect()
            })
            .stored()?;
        rows.into_iter()
            .map(|(number, body)| {
                let body = serde_json::from_str(&body)
                    .map_err(|problem| Error::storage(format!("A record is damaged: {problem}")))?;
                Ok(AttachedRecord { number, body })
            })
            .collect()
    }

    pub(crate) fn record_rows(&self, row: i64) -> Result<StoredRecords> {
        let rows: Vec<(String, String, i64, Option<String>)> = self
            .connection()
            .prepare_cached("SELECT collection, key, number, body FROM records WHERE row = ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([row], |row| {
                        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                    })?
                    .collect()
            })
            .stored()?;
        let records = rows.into_iter().map(|(collection, key, number, body)| {
            let body = body.and_then(|body| serde_json::from_str(&body).ok());
            ((collection, key), StoredRecord { number, body })
        });
        Ok(records.collect())
    }
}

impl Writer<'_> {
    /// Changes the records of an entity, in one change of its document and with one event. Returns
    /// the numbers of the edited records, in the order of the edits.
    pub fn edit_records(
        &self,
        entity: &Entity,
        collection: Collection,
        edits: &[RecordEdit],
        event: (EventType, &Json),
    ) -> Result<Vec<i64>> {
        let (row, document) = self.load_document(&entity.id)?;
        let mut records = self.record_rows(row)?;
        let before = records.clone();
        let mut numbers = Vec::with_capacity(edits.len());
        for edit in edits {
            let (key, record) = edited(&records, collection, edit)?;
            document.put_record(&key, &record)?;
            numbers.push(record.number);
            records.insert(key, record);
        }
        document.commit();
        self.save_document(row, &entity.id, &document)?;
        self.replace_records(row, &records)?;
        let event =
            self.record_numbered_event(event.0, Some((&entity.id, entity.kind)), event.1)?;
        self.keep_records(event, &before, &records)?;
        Ok(numbers)
    }

    /// Writes the records of a document into the rows.
    pub(crate) fn replace_records(&self, row: i64, records: &StoredRecords) -> Result<()> {
        let connection = self.connection();
        connection
            .prepare_cached("DELETE FROM records WHERE row = ?1")
            .and_then(|mut statement| statement.execute([row]))
            .stored()?;
        for ((collection, key), record) in &with_unique_numbers(records) {
            connection
                .prepare_cached(
                    "INSERT INTO records (row, collection, key, number, body)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )
                .and_then(|mut statement| {
                    let body = record.body.as_ref().map(Json::to_string);
                    statement.execute((row, collection, key, record.number, body))
                })
                .stored()?;
        }
        Ok(())
    }
}

/// The record after an edit.
fn edited(
    records: &StoredRecords,
    collection: Collection,
    edit: &RecordEdit,
) -> Result<((String, String), StoredRecord)> {
    let of_collection = || {
        records
            .iter()
            .filter(|((name, _), _)| name == collection.name())
    };
    let (number, body) = match edit {
        RecordEdit::Add(body) => {
            let last = of_collection().map(|(_, record)| record.number).max();
            let record = StoredRecord {
                number: last.unwrap_or(0) + 1,
                body: Some(body.clone()),
            };
            let key = uuid::Uuid::new_v4().simple().to_string();
            return Ok(((collection.name().to_owned(), key), record));
        }
        RecordEdit::Replace(number, body) => (*number, Some(body.clone())),
        RecordEdit::Remove(number) => (*number, None),
    };
    let found = of_collection()
        .find(|(_, record)| record.number == number && record.body.is_some())
        .ok_or_else(|| Error::internal(format!("{} {number} does not exist", collection.name())))?;
    Ok((found.0.clone(), StoredRecord { number, body }))
}
