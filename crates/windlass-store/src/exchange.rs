//! The exchange of changes between clones: what this clone exports, and what it imports.
//!
//! Imports are idempotent and may arrive in any order. An update that arrives before those it
//! depends on is stored until they arrive.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::OptionalExtension as _;
use serde_json::json;
use windlass_core::{EntityId, EntityType, Error, EventType, Relation, Result, Timestamp};

use crate::document::{Document, Record};
use crate::error::StorageContext as _;
use crate::store::Store;
use crate::writer::Writer;

/// Changes to the document of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    pub id: EntityId,
    pub changes: Vec<u8>,
}

/// Changes of this clone that are not in a pack yet.
#[derive(Debug, Clone, Default)]
pub struct Outbox {
    pub updates: Vec<Update>,
    /// The last change in this outbox, for [`Store::mark_packed`].
    pub through: i64,
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Entities that are new or have changed.
    pub changed: usize,
    /// Updates that wait for the updates they depend on.
    pub pending: usize,
    /// Entities whose number went to an older entity: old and new number.
    pub renumbered: Vec<(i64, i64)>,
}

impl Store {
    /// The changes that are not in a pack yet. From now on other clones may have them: they stay as
    /// they are.
    pub fn outbox(&self, origin: &windlass_core::Origin) -> Result<Outbox> {
        self.write(origin, |writer| {
            writer.seal()?;
            let rows: Vec<(i64, Update)> = writer
                .connection()
                .prepare_cached("SELECT seq, id, changes FROM outbox ORDER BY seq")
                .and_then(|mut statement| {
                    statement
                        .query_map([], |row| {
                            let id = EntityId::from_stored(row.get::<_, String>(1)?);
                            Ok((
                                row.get(0)?,
                                Update {
                                    id,
                                    changes: row.get(2)?,
                                },
                            ))
                        })?
                        .collect()
                })
                .stored()?;
            let through = rows.last().map_or(0, |(seq, _)| *seq);
            Ok(Outbox {
                updates: rows.into_iter().map(|(_, update)| update).collect(),
                through,
            })
        })
    }

    /// Removes the part of the outbox that is now in a pack.
    pub fn mark_packed(&self, origin: &windlass_core::Origin, through: i64) -> Result<()> {
        self.write(origin, |writer| {
            writer
                .connection()
                .execute("DELETE FROM outbox WHERE seq <= ?1", [through])
                .stored()?;
            Ok(())
        })
    }

    /// Imports changes from other clones, in one transaction.
    pub fn import(
        &self,
        origin: &windlass_core::Origin,
        updates: &[Update],
    ) -> Result<ImportReport> {
        self.write(origin, |writer| writer.import(updates))
    }

    /// All entities, for a clone that has nothing. From now on it has these changes, so that they
    /// stay as they are.
    pub fn export_all(&self, origin: &windlass_core::Origin) -> Result<Vec<Update>> {
        self.write(origin, |writer| {
            writer.seal()?;
            writer
                .all_ids()?
                .into_iter()
                .map(|id| {
                    let (_, document) = writer.load_document(&id)?;
                    let changes = document.all_updates()?;
                    Ok(Update { id, changes })
                })
                .collect()
        })
    }
}

impl Writer<'_> {
    pub(crate) fn put_in_outbox(&self, id: &EntityId, changes: &[u8]) -> Result<()> {
        self.connection()
            .prepare_cached("INSERT INTO outbox (id, changes) VALUES (?1, ?2)")
            .and_then(|mut statement| statement.execute((id.as_str(), changes)))
            .stored()?;
        Ok(())
    }

    /// The changes in the outbox leave this clone, and are not rewritten any more.
    fn seal(&self) -> Result<()> {
        self.connection()
            .execute("UPDATE outbox SET sealed = 1 WHERE sealed = 0", [])
            .stored()?;
        Ok(())
    }

    fn import(&self, updates: &[Update]) -> Result<ImportReport> {
        let mut by_entity: BTreeMap<&EntityId, Vec<&[u8]>> = BTreeMap::new();
        for update in updates {
            by_entity
                .entry(&update.id)
                .or_default()
                .push(&update.changes);
        }
        let mut report = ImportReport::default();
        let mut touched = BTreeSet::new();
        let mut waiting = BTreeSet::new();
        for (id, changes) in by_entity {
            // Collected before and after: the change may remove relations as well as add them.
            let released = self.tasks_that_wait_for(id)?;
            let (changed, pending) = self.import_entity(id, &changes)?;
            report.pending += pending;
            if changed {
                waiting.extend(released);
                waiting.extend(self.tasks_that_wait_for(id)?);
                waiting.extend(self.task_and_descendants(id)?);
                touched.insert(id.clone());
            }
        }
        report.changed = touched.len();
        report.renumbered = self.resolve_number_conflicts(&touched)?;
        self.refresh_queue(&waiting)?;
        Ok(report)
    }

    /// Returns whether the entity changed, and how many of the updates still wait for others.
    fn import_entity(&self, id: &EntityId, changes: &[&[u8]]) -> Result<(bool, usize)> {
        let (row, document) = match self.row_of(id)? {
            Some(row) => (Some(row), self.load_document(id)?.1),
            None => (None, Document::empty(self.peer.get())?),
        };
        let before = row.map(|_| document.record()).transpose()?;
        let mut waiting = self.pending_updates(id)?;
        waiting.extend(changes.iter().map(|bytes| bytes.to_vec()));
        let mut pending = Vec::new();
        for bytes in waiting {
            if document.import(&bytes)? {
                pending.push(bytes);
            }
        }
        // A later update may contain what an earlier one depends on.
        pending.retain(|bytes| document.import(bytes).unwrap_or(true));
        self.store_pending(id, &pending)?;
        let changed = document.has_changed();
        if changed {
            let record = document.record()?;
            if record.entity.id != *id {
                return Err(Error::storage(format!(
                    "An update for {id} belongs to another entity"
                )));
            }
            self.project(row, before, &record, &document)?;
        }
        Ok((changed, pending.len()))
    }

    /// Writes the content of a merged document into the rows.
    fn project(
        &self,
        row: Option<i64>,
        before: Option<Record>,
        record: &Record,
        document: &Document,
    ) -> Result<()> {
        let entity = &record.entity;
        let was_dead = before.as_ref().is_some_and(|before| before.deleted);
        let row = if let (Some(row), Some(before)) = (row, before) {
            if !was_dead {
                self.replace_row(row, &before.entity, entity)?;
            }
            self.store_merged(row, document)?;
            row
        } else {
            let row = self.insert_row(entity)?;
            self.index(row)?;
            self.store_new(row, &document.update()?)?;
            row
        };
        for former in &entity.former_numbers {
            self.add_alias(*former, &entity.id)?;
        }
        if record.deleted && !was_dead {
            self.mark_row_deleted(row, entity)?;
        } else if !record.deleted {
            self.project_relations(record)?;
            self.replace_records(row, &record.records)?;
        }
        self.record_event(
            EventType::EntityMerged,
            Some((&entity.id, entity.kind)),
            &json!({"number": entity.number, "title": entity.title, "deleted": record.deleted}),
        )
    }

    /// Relations to deleted entities are not shown; the document keeps them.
    pub(crate) fn project_relations(&self, record: &Record) -> Result<()> {
        let source = &record.entity.id;
        self.connection()
            .prepare_cached("DELETE FROM relations WHERE source = ?1")
            .and_then(|mut statement| statement.execute([source.as_str()]))
            .stored()?;
        for ((kind, target), created_at) in &record.relations {
            if !self.is_deleted(target)? {
                self.insert_relation(&Relation {
                    source: source.clone(),
                    kind: *kind,
                    target: target.clone(),
                    created_at: created_at.clone(),
                })?;
            }
        }
        Ok(())
    }

    fn is_deleted(&self, id: &EntityId) -> Result<bool> {
        self.connection()
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM entities WHERE id = ?1 AND deleted = 1)")
            .and_then(|mut statement| statement.query_row([id.as_str()], |row| row.get(0)))
            .stored()
    }

    fn row_of(&self, id: &EntityId) -> Result<Option<i64>> {
        self.connection()
            .prepare_cached("SELECT row FROM entities WHERE id = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([id.as_str()], |row| row.get(0))
                    .optional()
            })
            .stored()
    }

    fn pending_updates(&self, id: &EntityId) -> Result<Vec<Vec<u8>>> {
        self.connection()
            .prepare_cached("SELECT changes FROM pending WHERE id = ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([id.as_str()], |row| row.get(0))?
                    .collect()
            })
            .stored()
    }

    fn store_pending(&self, id: &EntityId, pending: &[Vec<u8>]) -> Result<()> {
        let connection = self.connection();
        connection
            .prepare_cached("DELETE FROM pending WHERE id = ?1")
            .and_then(|mut statement| statement.execute([id.as_str()]))
            .stored()?;
        for changes in pending {
            connection
                .prepare_cached("INSERT OR IGNORE INTO pending (id, changes) VALUES (?1, ?2)")
                .and_then(|mut statement| statement.execute((id.as_str(), changes)))
                .stored()?;
        }
        Ok(())
    }

    pub(crate) fn add_alias(&self, number: i64, id: &EntityId) -> Result<()> {
        self.connection()
            .prepare_cached("INSERT OR IGNORE INTO aliases (number, id) VALUES (?1, ?2)")
            .and_then(|mut statement| statement.execute((number, id.as_str())))
            .stored()?;
        Ok(())
    }

    /// If two clones assigned the same number, the older entity keeps it and the younger one gets
    /// the next free number, by an ordinary write that the other clones will import.
    pub(crate) fn resolve_number_conflicts(
        &self,
        touched: &BTreeSet<EntityId>,
    ) -> Result<Vec<(i64, i64)>> {
        let mut losers: BTreeMap<(Timestamp, EntityId), (i64, EntityType)> = BTreeMap::new();
        for id in touched {
            let sharing: Vec<(String, String, i64, String)> = self
                .connection()
                .prepare_cached(
                    "SELECT o.created_at, o.id, o.number, o.type FROM entities e
                     JOIN entities o ON o.number = e.number
                     WHERE e.id = ?1 ORDER BY o.created_at, o.id",
                )
                .and_then(|mut statement| {
                    statement
                        .query_map([id.as_str()], |row| {
                            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                        })?
                        .collect()
                })
                .stored()?;
            for (created_at, id, number, kind) in sharing.into_iter().skip(1) {
                let key = (
                    Timestamp::from_stored(created_at),
                    EntityId::from_stored(id),
                );
                losers.insert(key, (number, EntityType::parse(&kind)?));
            }
        }
        let mut renumbered = Vec::new();
        for ((_, id), (former, kind)) in losers {
            let number = self.next_number()?;
            self.renumber(&id, kind, former, number)?;
            renumbered.push((former, number));
        }
        Ok(renumbered)
    }

    fn renumber(&self, id: &EntityId, kind: EntityType, former: i64, number: i64) -> Result<()> {
        let (row, document) = self.load_document(id)?;
        let before = document.record()?.entity;
        document.renumber(former, number, &before.updated_at)?;
        self.save_document(row, id, &document)?;
        let after = document.record()?.entity;
        self.connection()
            .prepare_cached("UPDATE entities SET number = ?2, former_numbers = ?3 WHERE row = ?1")
            .and_then(|mut statement| {
                statement.execute((row, number, json!(after.former_numbers).to_string()))
            })
            .stored()?;
        self.add_alias(former, id)?;
        self.record_event(
            EventType::EntityRenumbered,
            Some((id, kind)),
            &json!({"number": number, "former_number": former, "title": after.title}),
        )
    }
}
