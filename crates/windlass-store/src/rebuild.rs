//! Everything that is derived from documents, made again from them.

use std::collections::BTreeSet;

use rusqlite::params;
use serde_json::json;
use windlass_core::{EntityId, EventType, Result};

use crate::carried::Stage;
use crate::document::{Document, Record};
use crate::error::StorageContext as _;
use crate::writer::Writer;

impl Writer<'_> {
    /// Makes rows, tags, relations, former numbers, records, the queue and the history's gaps again.
    /// Returns what cannot be made, in words. The search index is not touched.
    pub(crate) fn rebuild(&self) -> Result<Vec<String>> {
        let mut problems = self.without_documents()?;
        let mut records = Vec::new();
        self.connection()
            .execute_batch(
                "DELETE FROM tags; DELETE FROM relations; DELETE FROM aliases;
                 DELETE FROM work_aliases;",
            )
            .stored()?;
        for row in self.document_rows()? {
            let read = self
                .document_in(row, self.peer.get())
                .and_then(|document| Ok((document.record()?, document)));
            match read {
                Ok((record, document)) => {
                    let record = self.with_unsent(row, record, &document, &mut problems)?;
                    self.rebuild_row(row, &record)?;
                    records.push(record);
                }
                Err(error) => {
                    problems.push(format!(
                        "Document {row} cannot be read: {}",
                        error.message()
                    ));
                    self.keep_tags(row)?;
                }
            }
        }
        for record in &records {
            if !record.deleted {
                self.project_relations(record)?;
            }
            self.project_work(record, Stage::Settled)?;
        }
        let touched: BTreeSet<EntityId> = records
            .iter()
            .map(|record| record.entity.id.clone())
            .collect();
        self.resolve_number_conflicts(&touched)?;
        self.settle_work_numbers()?;
        self.refresh_queue(&touched)?;
        self.rebuild_history()?;
        Ok(problems)
    }

    /// Makes the search index again.
    pub(crate) fn rebuild_search(&self) -> Result<()> {
        self.connection()
            .execute("INSERT INTO search (search) VALUES ('rebuild')", [])
            .stored()?;
        Ok(())
    }

    fn without_documents(&self) -> Result<Vec<String>> {
        self.connection()
            .prepare(
                "SELECT number FROM entities e
                 WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.row = e.row) ORDER BY number",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        let number: i64 = row.get(0)?;
                        Ok(format!("#{number} has no document"))
                    })?
                    .collect()
            })
            .stored()
    }

    fn document_rows(&self) -> Result<Vec<i64>> {
        self.connection()
            .prepare("SELECT row FROM documents ORDER BY row")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .stored()
    }

    /// A change that waits to be sent is part of its document.
    fn with_unsent(
        &self,
        row: i64,
        record: Record,
        document: &Document,
        problems: &mut Vec<String>,
    ) -> Result<Record> {
        let updates: Vec<Vec<u8>> = self
            .connection()
            .prepare_cached("SELECT changes FROM outbox WHERE id = ?1 ORDER BY seq")
            .and_then(|mut statement| {
                statement
                    .query_map([record.entity.id.as_str()], |row| row.get(0))?
                    .collect()
            })
            .stored()?;
        for update in &updates {
            match document.includes(update) {
                Ok(true) => {}
                Ok(false) if document.import(update).is_ok_and(|waits| !waits) => {}
                _ => problems.push(format!(
                    "A change of #{} that waits to be sent cannot be read",
                    record.entity.number
                )),
            }
        }
        if !document.has_changed() {
            return Ok(record);
        }
        self.store_merged(row, document)?;
        document.record()
    }

    fn rebuild_row(&self, row: i64, record: &Record) -> Result<()> {
        let entity = &record.entity;
        self.connection()
            .prepare_cached(
                "INSERT INTO entities
                     (row, id, number, type, title, tags, properties, extra, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, '', '[]', '{}', '', ?5, '')
                 ON CONFLICT (row) DO UPDATE SET id = ?2, type = ?4, created_at = ?5, deleted = ?6",
            )
            .and_then(|mut statement| {
                statement.execute(params![
                    row,
                    entity.id.as_str(),
                    entity.number,
                    entity.kind.name(),
                    entity.created_at.as_str(),
                    record.deleted,
                ])
            })
            .stored()?;
        for former in &entity.former_numbers {
            self.add_alias(*former, &entity.id)?;
        }
        if record.deleted {
            self.write_number(row, entity)?;
            return self.clear_deleted_row(row);
        }
        self.write_columns(row, entity)?;
        self.store_pairs(row, entity)?;
        self.insert_tags(row, &entity.tags)?;
        self.replace_records(row, &record.records)?;
        // Tasks get their place at the end, when all relations are known.
        self.connection()
            .prepare_cached("UPDATE entities SET queue = NULL WHERE row = ?1 AND type <> 'task'")
            .and_then(|mut statement| statement.execute([row]))
            .stored()?;
        Ok(())
    }

    /// Where the document cannot be read, the row is all there is.
    fn keep_tags(&self, row: i64) -> Result<()> {
        self.connection()
            .execute(
                "INSERT OR IGNORE INTO tags (tag, row)
                 SELECT value, ?1 FROM entities e, json_each(e.tags) WHERE e.row = ?1 AND e.deleted = 0",
                [row],
            )
            .stored()?;
        Ok(())
    }

    /// Every entity has at least one event, and every event can be read.
    fn rebuild_history(&self) -> Result<()> {
        self.connection()
            .execute(
                "UPDATE events SET payload = '{}' WHERE NOT json_valid(payload)",
                [],
            )
            .stored()?;
        let unmentioned: Vec<String> = self
            .connection()
            .prepare(
                "SELECT id FROM entities e WHERE e.deleted = 0
                     AND NOT EXISTS (SELECT 1 FROM events WHERE entity = e.id) ORDER BY row",
            )
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .stored()?;
        for id in unmentioned {
            let entity = self.entity(&EntityId::from_stored(id))?;
            self.record_event(
                EventType::EntityMerged,
                Some((&entity.id, entity.kind)),
                &json!({"number": entity.number, "title": entity.title, "deleted": false}),
            )?;
        }
        Ok(())
    }
}
