//! An entity as a Loro document, so that changes on two clones merge field by field.
//!
//! Only root containers with fixed names are used, so that two replicas never create two containers
//! for the same thing. Scalars are last-writer-wins per field, tags and relations are maps used as
//! sets, and the content merges as text.

mod guard;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::BTreeMap;

use loro::{
    ExportMode, LoroDoc, LoroMap, LoroValue, UpdateOptions, ValueOrContainer, VersionVector,
};
use serde_json::Value as Json;
use windlass_core::{
    Entity, EntityId, EntityType, Error, Properties, RelationType, Result, Timestamp, Value,
};

use self::guard::meta_of;
use crate::error::StorageContext as _;
use crate::history::Stored;
use crate::records::{StoredRecord, StoredRecords};

/// A document and the version it was loaded at.
pub(crate) struct Document {
    doc: LoroDoc,
    loaded: VersionVector,
    pub(crate) stored: Stored,
    /// Whether Loro failed in the middle of an import. The locks inside are poisoned then, and any
    /// further use would panic, dropping it included.
    is_broken: Cell<bool>,
}

/// The content of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) entity: Entity,
    pub(crate) deleted: bool,
    pub(crate) relations: BTreeMap<(RelationType, EntityId), Timestamp>,
    pub(crate) records: StoredRecords,
    /// Reviews and what belongs to them, as JSON by key.
    pub(crate) work: BTreeMap<String, String>,
}

impl Document {
    /// An empty document, to import updates into.
    pub(crate) fn empty(peer: u64) -> Result<Self> {
        let doc = LoroDoc::new();
        doc.set_peer_id(peer).stored()?;
        let loaded = doc.oplog_vv();
        Ok(Self {
            doc,
            loaded,
            stored: Stored::default(),
            is_broken: Cell::default(),
        })
    }

    pub(crate) fn create(entity: &Entity, peer: u64) -> Result<Self> {
        let document = Self::empty(peer)?;
        let meta = document.meta();
        meta.insert("id", entity.id.as_str()).stored()?;
        meta.insert("type", entity.kind.name()).stored()?;
        meta.insert("number", entity.number).stored()?;
        meta.insert("created_at", entity.created_at.as_str())
            .stored()?;
        meta.insert("updated_at", entity.updated_at.as_str())
            .stored()?;
        let fields = document.fields();
        fields.insert("title", entity.title.as_str()).stored()?;
        for (name, value) in &entity.properties {
            fields.insert(name, to_loro(value)).stored()?;
        }
        document.add_tags(&entity.tags, 0)?;
        for former in &entity.former_numbers {
            let numbers = document.doc.get_map("former_numbers");
            numbers.insert(&former.to_string(), true).stored()?;
        }
        if let Some(content) = &entity.content {
            document
                .doc
                .get_text("content")
                .insert(0, content)
                .stored()?;
        }
        document.doc.commit();
        Ok(document)
    }

    /// Loads a document and the changes that were stored after it.
    pub(crate) fn load(bytes: &[u8], changes: &[Vec<u8>], peer: u64) -> Result<Self> {
        let mut document = Self::empty(peer)?;
        // One after another: Loro takes several times as long to import them together.
        for part in std::iter::once(bytes).chain(changes.iter().map(Vec::as_slice)) {
            if document.import(part)? {
                return Err(Error::storage("A stored document is incomplete"));
            }
        }
        document.loaded = document.doc.oplog_vv();
        Ok(document)
    }

    /// Whether the document has all of these changes.
    pub(crate) fn includes(&self, update: &[u8]) -> Result<bool> {
        let meta = meta_of(update, true)?;
        Ok(self.doc.oplog_vv().includes_vv(&meta.partial_end_vv))
    }

    /// Whether the document has changed since it was loaded.
    pub(crate) fn has_changed(&self) -> bool {
        self.doc.oplog_vv() != self.loaded
    }

    /// Writes the differences between two states of the entity, field by field.
    pub(crate) fn change(&self, before: &Entity, after: &Entity) -> Result<()> {
        let fields = self.fields();
        if before.title != after.title {
            fields.insert("title", after.title.as_str()).stored()?;
        }
        for (name, value) in &after.properties {
            if before.properties.get(name) != Some(value) {
                fields.insert(name, to_loro(value)).stored()?;
            }
        }
        for name in before.properties.keys() {
            if !after.properties.contains_key(name) {
                fields.delete(name).stored()?;
            }
        }
        if before.content != after.content {
            self.change_content(after.content.as_deref().unwrap_or_default())?;
        }
        let tags = self.doc.get_map("tags");
        for tag in before.tags.iter().filter(|tag| !after.tags.contains(tag)) {
            tags.delete(tag).stored()?;
        }
        let added: Vec<String> = after
            .tags
            .iter()
            .filter(|tag| !before.tags.contains(tag))
            .cloned()
            .collect();
        self.add_tags(&added, self.next_tag_place())?;
        self.touch(&after.updated_at)
    }

    /// If the character diff takes too long, the text is replaced line by line. That has more time,
    /// also on a busy machine: without any diff, what other clones wrote at the same time would be
    /// merged into a text that no longer exists.
    fn change_content(&self, content: &str) -> Result<()> {
        let text = self.doc.get_text("content");
        let within = |milliseconds| UpdateOptions {
            timeout_ms: Some(milliseconds),
            ..UpdateOptions::default()
        };
        if text.update(content, within(100.0)).is_ok()
            || text.update_by_line(content, within(1_000.0)).is_ok()
        {
            return Ok(());
        }
        text.delete(0, text.len_unicode()).stored()?;
        text.insert(0, content).stored()
    }

    /// The value of a tag is its position, so that tags keep the given order.
    fn add_tags(&self, added: &[String], first: i64) -> Result<()> {
        let tags = self.doc.get_map("tags");
        for (place, tag) in (first..).zip(added) {
            tags.insert(tag, place).stored()?;
        }
        Ok(())
    }

    /// After all others: those that were removed leave gaps.
    fn next_tag_place(&self) -> i64 {
        let mut next = 0;
        self.doc.get_map("tags").for_each(|_, place| {
            next = next.max(integer(&place).unwrap_or(0).saturating_add(1));
        });
        next
    }

    pub(crate) fn renumber(&self, former: i64, number: i64, at: &Timestamp) -> Result<()> {
        self.meta().insert("number", number).stored()?;
        self.doc
            .get_map("former_numbers")
            .insert(&former.to_string(), true)
            .stored()?;
        self.touch(at)
    }

    pub(crate) fn add_relation(
        &self,
        kind: RelationType,
        target: &EntityId,
        at: &Timestamp,
    ) -> Result<()> {
        self.doc
            .get_map("relations")
            .insert(&relation_key(kind, target), at.as_str())
            .stored()?;
        self.doc.commit();
        Ok(())
    }

    pub(crate) fn remove_relation(&self, kind: RelationType, target: &EntityId) -> Result<()> {
        self.doc
            .get_map("relations")
            .delete(&relation_key(kind, target))
            .stored()?;
        self.doc.commit();
        Ok(())
    }

    /// Writes one record. The caller commits.
    pub(crate) fn put_record(
        &self,
        (collection, key): &(String, String),
        record: &StoredRecord,
    ) -> Result<()> {
        let text = serde_json::to_string(record)
            .map_err(|problem| Error::internal(format!("A record cannot be stored: {problem}")))?;
        self.doc
            .get_map("records")
            .insert(&format!("{collection}/{key}"), text)
            .stored()
    }

    pub(crate) fn commit(&self) {
        self.doc.commit();
    }

    /// Marks the entity as deleted. The document stays, so that later edits on other clones do not
    /// restore it.
    pub(crate) fn delete(&self, at: &Timestamp) -> Result<()> {
        self.meta().insert("deleted_at", at.as_str()).stored()?;
        self.doc.commit();
        Ok(())
    }

    /// Takes the mark back.
    pub(crate) fn revive(&self, at: &Timestamp) -> Result<()> {
        self.meta().delete("deleted_at").stored()?;
        self.touch(at)
    }

    fn touch(&self, at: &Timestamp) -> Result<()> {
        self.meta().insert("updated_at", at.as_str()).stored()?;
        self.doc.commit();
        Ok(())
    }

    /// The changes since the document was loaded.
    pub(crate) fn update(&self) -> Result<Vec<u8>> {
        self.doc.export(ExportMode::updates(&self.loaded)).stored()
    }

    /// The same document in which these updates are replaced by one with the same result, under the
    /// given id; `None` if that cannot be done exactly, as with containers that only a newer binary
    /// knows. Only for updates that no other clone has: nothing else can depend on them.
    pub(crate) fn replacing(&self, updates: &[Vec<u8>], peer: u64) -> Result<Option<Self>> {
        let replaced = self.guarded(|| Ok(self.with_one_for(updates, peer).ok()))?;
        Ok(replaced.filter(|replaced| replaced.values() == self.values()))
    }

    fn with_one_for(&self, updates: &[Vec<u8>], peer: u64) -> Result<Self> {
        let kept = self.version_without(updates)?;
        let frontiers = self.doc.vv_to_frontiers(&kept);
        let doc = if kept.is_empty() {
            LoroDoc::new()
        } else {
            self.doc.fork_at(&frontiers).stored()?
        };
        doc.set_peer_id(peer).stored()?;
        let change = self
            .doc
            .diff(&frontiers, &self.doc.oplog_frontiers())
            .stored()?;
        doc.apply_diff(change).stored()?;
        doc.commit();
        Ok(Self {
            doc,
            loaded: kept,
            stored: Stored::default(),
            is_broken: Cell::default(),
        })
    }

    /// One update with the changes of these, which are the last of their authors; `None` if the
    /// document does not have them.
    pub(crate) fn joined(&self, updates: &[Vec<u8>]) -> Result<Option<Vec<u8>>> {
        for update in updates {
            if !self.includes(update)? {
                return Ok(None);
            }
        }
        let kept = self.version_without(updates)?;
        self.doc
            .export(ExportMode::updates(&kept))
            .stored()
            .map(Some)
    }

    /// The version of the document before these updates.
    fn version_without(&self, updates: &[Vec<u8>]) -> Result<VersionVector> {
        let mut kept = self.doc.oplog_vv();
        for update in updates {
            for (peer, begin, _) in changes_of(update)? {
                match kept.get(&peer).copied() {
                    Some(_) if begin == 0 => {
                        kept.remove(&peer);
                    }
                    Some(end) if begin < end => {
                        kept.insert(peer, begin);
                    }
                    _ => {}
                }
            }
        }
        Ok(kept)
    }

    /// Everything in the document, known to this binary or not. A container that was only asked for
    /// is as good as none.
    fn values(&self) -> Vec<(String, LoroValue)> {
        let LoroValue::Map(containers) = self.doc.get_deep_value() else {
            return Vec::new();
        };
        let mut values: Vec<(String, LoroValue)> = containers
            .iter()
            .filter(|(_, value)| match value {
                LoroValue::Map(map) => !map.is_empty(),
                LoroValue::String(text) => !text.is_empty(),
                _ => true,
            })
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        values.sort_by(|(one, _), (other, _)| one.cmp(other));
        values
    }

    pub(crate) fn snapshot(&self) -> Result<Vec<u8>> {
        self.doc.export(ExportMode::Snapshot).stored()
    }

    /// The complete history of the entity, for a clone that does not have it.
    pub(crate) fn all_updates(&self) -> Result<Vec<u8>> {
        self.doc.export(ExportMode::all_updates()).stored()
    }

    fn meta(&self) -> LoroMap {
        self.doc.get_map("meta")
    }

    fn fields(&self) -> LoroMap {
        self.doc.get_map("fields")
    }

    /// Reads the document. Changes from other clones may be malformed; what cannot be read is an
    /// error, never a partly read entity.
    pub(crate) fn record(&self) -> Result<Record> {
        let meta = self.meta();
        let text = |name: &str| {
            text_in(&meta, name)
                .ok_or_else(|| Error::storage(format!("A document has no \"{name}\"")))
        };
        let kind = EntityType::parse(&text("type")?)?;
        let fields = self.fields();
        let content = self.doc.get_text("content").to_string();
        let entity = Entity {
            id: EntityId::from_stored(text("id")?),
            number: integer_in(&meta, "number")
                .ok_or_else(|| Error::storage("A document has no number"))?,
            kind,
            title: text_in(&fields, "title").unwrap_or_default(),
            content: (!content.is_empty()).then_some(content),
            tags: self.tags(),
            properties: properties_in(&fields, kind),
            created_at: Timestamp::from_stored(text("created_at")?),
            updated_at: Timestamp::from_stored(text("updated_at")?),
            former_numbers: self.former_numbers(),
        };
        Ok(Record {
            entity,
            deleted: text_in(&meta, "deleted_at").is_some(),
            relations: self.relations(),
            records: self.records(),
            work: self.work(),
        })
    }

    fn work(&self) -> BTreeMap<String, String> {
        let mut work = BTreeMap::new();
        self.doc.get_map("work").for_each(|key, value| {
            work.extend(string(&value).map(|text| (key.to_owned(), text)));
        });
        work
    }

    /// Writes one entry about the work on a task. Fields that only a newer binary knows stay. The
    /// caller commits.
    pub(crate) fn put_work(&self, key: &str, body: Json) -> Result<()> {
        let work = self.doc.get_map("work");
        let known = text_in(&work, key).and_then(|text| serde_json::from_str(&text).ok());
        let entry = match (known.clone(), body) {
            (Some(Json::Object(mut known)), Json::Object(body)) => {
                known.extend(body);
                Json::Object(known)
            }
            (_, body) => body,
        };
        if known.as_ref() == Some(&entry) {
            return Ok(());
        }
        work.insert(key, entry.to_string()).stored()
    }

    fn records(&self) -> StoredRecords {
        let mut records = StoredRecords::new();
        self.doc.get_map("records").for_each(|key, value| {
            // Records in the format of a newer binary stay in the document and are skipped here.
            if let Some((collection, key)) = key.split_once('/')
                && let Some(text) = string(&value)
                && let Ok(record) = serde_json::from_str::<StoredRecord>(&text)
            {
                records.insert((collection.to_owned(), key.to_owned()), record);
            }
        });
        records
    }

    fn tags(&self) -> Vec<String> {
        let mut tags: Vec<(i64, String)> = Vec::new();
        self.doc.get_map("tags").for_each(|tag, place| {
            tags.push((integer(&place).unwrap_or(i64::MAX), tag.to_owned()));
        });
        tags.sort();
        tags.into_iter().map(|(_, tag)| tag).collect()
    }

    fn former_numbers(&self) -> Vec<i64> {
        let mut numbers = Vec::new();
        self.doc
            .get_map("former_numbers")
            .for_each(|number, _| numbers.extend(number.parse::<i64>()));
        numbers.sort_unstable();
        numbers
    }

    pub(crate) fn relations(&self) -> BTreeMap<(RelationType, EntityId), Timestamp> {
        let mut relations = BTreeMap::new();
        self.doc.get_map("relations").for_each(|key, at| {
            // Relation types of a newer binary stay in the document and are skipped here.
            if let Some((kind, target)) = key.split_once(':')
                && let Ok(kind) = RelationType::parse(kind)
            {
                let at = Timestamp::from_stored(string(&at).unwrap_or_default());
                relations.insert((kind, EntityId::from_stored(target)), at);
            }
        });
        relations
    }
}

/// The changes in an update: of whom, from which to before which.
pub(crate) fn changes_of(update: &[u8]) -> Result<Vec<(u64, i32, i32)>> {
    let meta = meta_of(update, false)?;
    let start = &meta.partial_start_vv;
    let changes = meta.partial_end_vv.iter().map(|(peer, end)| {
        let begin = start.get(peer).copied().unwrap_or(0);
        (*peer, begin, *end)
    });
    Ok(changes.collect())
}

fn relation_key(kind: RelationType, target: &EntityId) -> String {
    format!("{}:{target}", kind.name())
}

fn to_loro(value: &Value) -> LoroValue {
    match value {
        Value::Text(text) => LoroValue::from(text.as_str()),
        Value::List(items) => items
            .iter()
            .map(|item| LoroValue::from(item.as_str()))
            .collect::<Vec<_>>()
            .into(),
    }
}

fn string(value: &ValueOrContainer) -> Option<String> {
    value
        .as_value()
        .and_then(LoroValue::as_string)
        .map(|text| text.to_string())
}

fn integer(value: &ValueOrContainer) -> Option<i64> {
    value.as_value().and_then(LoroValue::as_i64).copied()
}

fn text_in(map: &LoroMap, name: &str) -> Option<String> {
    map.get(name).as_ref().and_then(string)
}

fn integer_in(map: &LoroMap, name: &str) -> Option<i64> {
    map.get(name).as_ref().and_then(integer)
}

fn properties_in(fields: &LoroMap, kind: EntityType) -> Properties {
    let mut properties = Properties::new();
    for field in kind.declaration().fields {
        let Some(ValueOrContainer::Value(value)) = fields.get(field.name) else {
            continue;
        };
        let value = match value {
            LoroValue::String(text) => Value::Text(text.to_string()),
            LoroValue::List(items) => Value::List(
                items
                    .iter()
                    .filter_map(|item| item.as_string().map(|text| text.to_string()))
                    .collect(),
            ),
            _ => continue,
        };
        properties.insert(field.name.to_owned(), value);
    }
    properties
}
