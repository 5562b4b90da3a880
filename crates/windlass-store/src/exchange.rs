//! The exchange of changes between clones: what this clone exports, and what it imports.
//!
//! Imports are idempotent and may arrive in any order. An update that arrives before those it
//! depends on is stored until they arrive.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::OptionalExtension as _;
use serde_json::json;
use windlass_core::{Entity, EntityId, Error, EventType, Relation, Result};

use crate::carried::{MAX_NUMBER, Stage, WorkRenumbered};
use crate::document::{Document, Record};
use crate::error::StorageContext as _;
use crate::packs::PackName;
use crate::settled_names::Renamed;
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
    /// Features and disciplines whose name went to an older one.
    pub renamed: Vec<Renamed>,
    /// Reviews, comments and help requests whose number went to an older one.
    pub work_renumbered: Vec<WorkRenumbered>,
    /// Numbers of tasks whose status did not agree with their review or question, and was settled.
    pub settled: Vec<i64>,
    /// Entries of the journals that are new.
    pub journal: usize,
}

/// Why an import failed: what was to be imported is broken, or the state could not be written.
pub(crate) enum NotImported {
    Broken(String),
    Failed(Error),
}

impl From<Error> for NotImported {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl NotImported {
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Broken(reason) => Error::storage(reason),
            Self::Failed(error) => error,
        }
    }
}

/// A document with changes that are not stored yet.
struct Merged {
    row: Option<i64>,
    before: Option<Record>,
    /// Its content, if it has changed.
    record: Option<Record>,
    document: Document,
    /// Updates that wait for those they depend on.
    pending: Vec<Vec<u8>>,
}

/// A number that no clone comes to by counting would leave no numbers for those who do.
fn check_numbers(record: &Record) -> Result<(), NotImported> {
    let mut numbers = record.entity.former_numbers.iter();
    let is_valid = |number: &i64| (1..=MAX_NUMBER).contains(number);
    if is_valid(&record.entity.number) && numbers.all(is_valid) {
        return Ok(());
    }
    Err(NotImported::Broken(format!(
        "The number of {} is not possible",
        record.entity.id
    )))
}

/// Rows do not follow what never changes, so an update cannot change it.
fn check_unchanging(before: &Entity, after: &Entity) -> Result<(), NotImported> {
    if before.created_at == after.created_at && before.kind == after.kind {
        return Ok(());
    }
    Err(NotImported::Broken(format!(
        "An update changes the type of {}, or when it was made",
        after.id
    )))
}

fn broken(error: &Error) -> NotImported {
    NotImported::Broken(error.message().to_owned())
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
        self.write(origin, |writer| writer.remove_from_outbox(through))
    }

    /// Imports changes from other clones, in one transaction.
    pub fn import(
        &self,
        origin: &windlass_core::Origin,
        updates: &[Update],
    ) -> Result<ImportReport> {
        let mut by_entity: BTreeMap<&EntityId, Vec<&[u8]>> = BTreeMap::new();
        for update in updates {
            by_entity
                .entry(&update.id)
                .or_default()
                .push(&update.changes);
        }
        self.write(origin, |writer| {
            let imported = writer.import(by_entity, None);
            let mut report = imported.map_err(NotImported::into_error)?;
            writer.settle(&mut report)?;
            Ok(report)
        })
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
    pub(crate) fn seal(&self) -> Result<()> {
        self.connection()
            .execute(
                "UPDATE sealed SET through = (SELECT max(seq) FROM outbox)
                 WHERE through < (SELECT ifnull(max(seq), 0) FROM outbox)",
                [],
            )
            .stored()?;
        Ok(())
    }

    pub(crate) fn remove_from_outbox(&self, through: i64) -> Result<()> {
        let connection = self.connection();
        let is_all: bool = connection
            .query_row(
                "SELECT NOT EXISTS (SELECT 1 FROM outbox WHERE seq > ?1)",
                [through],
                |row| row.get(0),
            )
            .stored()?;
        // Without a condition SQLite frees the pages instead of going through the rows.
        let removed = if is_all {
            connection.execute("DELETE FROM outbox", [])
        } else {
            connection.execute("DELETE FROM outbox WHERE seq <= ?1", [through])
        };
        removed.stored()?;
        Ok(())
    }

    /// Imports the updates of a pack, or of another clone. What they bring is compared with the rest
    /// by [`Writer::settle`].
    pub(crate) fn import(
        &self,
        by_entity: BTreeMap<&EntityId, Vec<&[u8]>>,
        pack: Option<&PackName>,
    ) -> Result<ImportReport, NotImported> {
        self.carry_older_rows()?;
        let mut report = ImportReport::default();
        let mut waiting = BTreeSet::new();
        for (id, changes) in by_entity {
            // Collected before and after: the change may remove relations as well as add them.
            let released = self.tasks_that_wait_for(id)?;
            let (changed, pending) = self.import_entity(id, &changes, pack)?;
            report.pending += pending;
            if changed {
                waiting.extend(released);
                waiting.extend(self.tasks_that_wait_for(id)?);
                waiting.extend(self.task_and_descendants(id)?);
                self.mark_unsettled(id)?;
                report.changed += 1;
            }
        }
        self.refresh_queue(&waiting)?;
        Ok(report)
    }

    /// Returns whether the entity changed, and how many of the updates still wait for others.
    fn import_entity(
        &self,
        id: &EntityId,
        changes: &[&[u8]],
        pack: Option<&PackName>,
    ) -> Result<(bool, usize), NotImported> {
        let waiting = self.pending_updates(id)?;
        let waiting: Vec<&[u8]> = waiting.iter().map(Vec::as_slice).collect();
        let merged = match self.merge(id, &[&waiting, changes].concat()) {
            Err(NotImported::Broken(_)) if !waiting.is_empty() => {
                self.merge_what_can_be(id, &waiting, changes)?
            }
            merged => merged?,
        };
        self.store_pending(id, &merged.pending)?;
        let changed = merged.record.is_some();
        if let Some(record) = &merged.record {
            self.project(merged.row, merged.before, record, &merged.document, pack)?;
        }
        Ok((changed, merged.pending.len()))
    }

    /// What waited may turn out to be broken only now. It is dropped then: the pack that arrives is
    /// not to blame.
    fn merge_what_can_be(
        &self,
        id: &EntityId,
        waiting: &[&[u8]],
        changes: &[&[u8]],
    ) -> Result<Merged, NotImported> {
        let mut merged = self.merge(id, changes)?;
        let mut taken = changes.to_vec();
        for update in waiting {
            taken.push(update);
            match self.merge(id, &taken) {
                Ok(more) => merged = more,
                Err(NotImported::Broken(_)) => drop(taken.pop()),
                Err(failed) => return Err(failed),
            }
        }
        Ok(merged)
    }

    /// The document of an entity with changes of other clones. Nothing is stored yet.
    fn merge(&self, id: &EntityId, changes: &[&[u8]]) -> Result<Merged, NotImported> {
        let (row, document) = match self.row_of(id)? {
            Some(row) => (Some(row), self.document_in(row, self.peer.get())?),
            None => (None, Document::empty(self.peer.get())?),
        };
        let before = row.map(|_| document.record()).transpose()?;
        let mut pending = Vec::new();
        for bytes in changes {
            if document.import_foreign(bytes).map_err(|it| broken(&it))? {
                pending.push(bytes.to_vec());
            }
        }
        // A later update may contain what an earlier one depends on.
        pending.retain(|bytes| document.import_foreign(bytes).unwrap_or(true));
        document.check_usable().map_err(|it| broken(&it))?;
        let mut merged = Merged {
            row,
            before,
            record: None,
            document,
            pending,
        };
        if merged.document.has_changed() {
            merged.record = Some(self.foreign_record(id, &merged)?);
        }
        Ok(merged)
    }

    /// The content of a document with changes of other clones, if it is one that may be stored.
    fn foreign_record(&self, id: &EntityId, merged: &Merged) -> Result<Record, NotImported> {
        let document = &merged.document;
        let record = document.foreign_record().map_err(|it| broken(&it))?;
        check_numbers(&record)?;
        if record.entity.id != *id {
            return Err(NotImported::Broken(format!(
                "An update for {id} belongs to another entity"
            )));
        }
        if let Some(before) = &merged.before {
            check_unchanging(&before.entity, &record.entity)?;
        }
        let update = document.foreign_update().map_err(|it| broken(&it))?;
        let (stored, updates) = match merged.row {
            Some(row) => {
                let (stored, mut updates) = self.document_parts(row)?;
                updates.push(update);
                (stored, updates)
            }
            None => (update, Vec::new()),
        };
        let checked = Document::check_loads(&record, &stored, &updates);
        checked.map_err(|it| broken(&it))?;
        Ok(record)
    }

    /// Writes the content of a merged document into the rows.
    fn project(
        &self,
        row: Option<i64>,
        before: Option<Record>,
        record: &Record,
        document: &Document,
        pack: Option<&PackName>,
    ) -> Result<()> {
        let entity = &record.entity;
        let was_dead = before.as_ref().is_some_and(|before| before.deleted);
        let row = if let (Some(row), Some(before)) = (row, before) {
            if was_dead {
                // Numbers are not reused, so that those of deleted entities settle too.
                self.write_number(row, entity)?;
            } else {
                self.replace_row(row, &before.entity, entity)?;
            }
            self.store_merged(row, document)?;
            if was_dead && !record.deleted {
                // Somebody brought it back.
                self.revive_row(row, entity)?;
                self.relate_again(&entity.id)?;
            }
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
        self.project_work(record, Stage::Arrived)?;
        self.record_event(
            EventType::EntityMerged,
            Some((&entity.id, entity.kind)),
            &json!({
                "number": entity.number,
                "title": entity.title,
                "deleted": record.deleted,
                "pack": pack.map(PackName::as_str),
            }),
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

    pub(crate) fn row_of(&self, id: &EntityId) -> Result<Option<i64>> {
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
}
