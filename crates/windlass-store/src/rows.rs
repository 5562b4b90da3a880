//! Rows as projections of documents: inserted, replaced, marked as deleted, and consistent with the
//! search index and the tags.

use rusqlite::params;
use windlass_core::{Entity, Priority, Result};

use crate::error::StorageContext as _;
use crate::queue::queue_of;
use crate::writer::Writer;

fn json<T: serde::Serialize>(value: &T) -> String {
    // Lists and maps of text; serialising them cannot fail.
    serde_json::to_string(value).unwrap_or_default()
}

impl Writer<'_> {
    /// A new entity has no relations, so nothing can block it.
    pub(crate) fn insert_row(&self, entity: &Entity) -> Result<i64> {
        let connection = self.connection();
        connection
            .prepare_cached(
                "INSERT INTO entities (id, number, type, title, content, tags, properties, status,
                    priority, due_date, extra, created_at, updated_at, former_numbers, queue,
                    name, feature, discipline)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
                    ?17, ?18)",
            )
            .and_then(|mut statement| {
                statement.execute(params![
                    entity.id.as_str(),
                    entity.number,
                    entity.kind.name(),
                    entity.title,
                    entity.content,
                    json(&entity.tags),
                    json(&entity.properties),
                    entity.status(),
                    entity.priority().map(Priority::number),
                    entity.text("due_date"),
                    entity.searchable_properties(),
                    entity.created_at.as_str(),
                    entity.updated_at.as_str(),
                    json(&entity.former_numbers),
                    queue_of(entity, false),
                    entity.text("name"),
                    entity.text("feature"),
                    entity.text("discipline"),
                ])
            })
            .stored()?;
        let row = connection.last_insert_rowid();
        self.insert_tags(row, &entity.tags)?;
        self.store_pairs(row, entity)?;
        Ok(row)
    }

    /// Replaces the content of a row. `refresh_queue` updates its place in the queue.
    pub(crate) fn replace_row(&self, row: i64, before: &Entity, after: &Entity) -> Result<()> {
        let found_differently = before.title != after.title
            || before.content != after.content
            || before.tags != after.tags
            || before.searchable_properties() != after.searchable_properties();
        if found_differently {
            self.unindex(row)?;
        }
        self.write_columns(row, after)?;
        if before.tags != after.tags {
            self.delete_tags(row, &before.tags)?;
            self.insert_tags(row, &after.tags)?;
        }
        if found_differently {
            self.store_pairs(row, after)?;
            self.index(row)?;
        }
        Ok(())
    }

    /// Writes everything of an entity into its row, except what never changes and its place in the
    /// queue.
    pub(crate) fn write_columns(&self, row: i64, entity: &Entity) -> Result<()> {
        self.connection()
            .prepare_cached(
                "UPDATE entities SET number = ?2, title = ?3, content = ?4, tags = ?5,
                    properties = ?6, status = ?7, priority = ?8, due_date = ?9, extra = ?10,
                    updated_at = ?11, former_numbers = ?12, name = ?13, feature = ?14,
                    discipline = ?15
                 WHERE row = ?1",
            )
            .and_then(|mut statement| {
                statement.execute(params![
                    row,
                    entity.number,
                    entity.title,
                    entity.content,
                    json(&entity.tags),
                    json(&entity.properties),
                    entity.status(),
                    entity.priority().map(Priority::number),
                    entity.text("due_date"),
                    entity.searchable_properties(),
                    entity.updated_at.as_str(),
                    json(&entity.former_numbers),
                    entity.text("name"),
                    entity.text("feature"),
                    entity.text("discipline"),
                ])
            })
            .stored()?;
        Ok(())
    }

    /// Hides a deleted entity from every reader and removes its relations in both directions.
    pub(crate) fn mark_row_deleted(&self, row: i64, entity: &Entity) -> Result<()> {
        self.unindex(row)?;
        self.delete_tags(row, &entity.tags)?;
        self.clear_deleted_row(row)?;
        let connection = self.connection();
        for sql in [
            "DELETE FROM relations WHERE source = ?1",
            "DELETE FROM relations WHERE target = ?1",
            "DELETE FROM claims WHERE id = ?1",
        ] {
            connection
                .prepare_cached(sql)
                .and_then(|mut statement| statement.execute([entity.id.as_str()]))
                .stored()?;
        }
        Ok(())
    }

    /// What is left of a deleted entity in its row.
    pub(crate) fn clear_deleted_row(&self, row: i64) -> Result<()> {
        self.run_on_row(
            "UPDATE entities SET deleted = 1, queue = NULL, content = NULL, extra = '' WHERE row = ?1",
            row,
        )?;
        self.remove_pairs(row)?;
        self.forget_vectors(row)?;
        self.run_on_row("DELETE FROM records WHERE row = ?1", row)
    }

    /// Makes the row of a deleted entity visible again. The caller brings its relations and records.
    pub(crate) fn revive_row(&self, row: i64, entity: &Entity) -> Result<()> {
        self.run_on_row("UPDATE entities SET deleted = 0 WHERE row = ?1", row)?;
        self.write_columns(row, entity)?;
        self.insert_tags(row, &entity.tags)?;
        self.index(row)
    }

    pub(crate) fn index(&self, row: i64) -> Result<()> {
        self.run_on_row(
            "INSERT INTO search (rowid, title, tags, body, title_pairs, pairs)
             SELECT row, title, tags, body, title_pairs, pairs FROM search_text WHERE row = ?1",
            row,
        )?;
        self.queue_for_embedding(row)
    }

    /// Must run before the row changes: the index needs the old text to remove its words.
    fn unindex(&self, row: i64) -> Result<()> {
        self.run_on_row(
            "INSERT INTO search (search, rowid, title, tags, body, title_pairs, pairs)
             SELECT 'delete', row, title, tags, body, title_pairs, pairs FROM search_text
             WHERE row = ?1",
            row,
        )
    }

    pub(crate) fn insert_tags(&self, row: i64, tags: &[String]) -> Result<()> {
        for tag in tags {
            self.connection()
                .prepare_cached("INSERT INTO tags (tag, row) VALUES (?1, ?2)")
                .and_then(|mut statement| statement.execute((tag, row)))
                .stored()?;
        }
        Ok(())
    }

    fn delete_tags(&self, row: i64, tags: &[String]) -> Result<()> {
        for tag in tags {
            self.connection()
                .prepare_cached("DELETE FROM tags WHERE tag = ?1 AND row = ?2")
                .and_then(|mut statement| statement.execute((tag, row)))
                .stored()?;
        }
        Ok(())
    }

    fn run_on_row(&self, sql: &str, row: i64) -> Result<()> {
        self.connection()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute([row]))
            .stored()?;
        Ok(())
    }
}
