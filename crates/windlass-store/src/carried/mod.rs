//! Reviews, their comments, gate results and help requests in the document of their task, so that
//! they travel to other clones.
//!
//! A write changes rows and notes what it changed; at its end the noted rows are written into the
//! documents, in the same transaction. An import does the opposite. What belongs to this machine
//! (the process that runs gates, the folder in which they run, their commands) stays in the rows.
//!
//! Each entry is one JSON value in the document's map `work`, and the last writer wins. What must not
//! get lost that way has an entry of its own: how a review ended, and numbers.

mod bodies;
mod numbers;
mod project;
mod reconcile;
mod rows;
mod work;

use std::collections::BTreeMap;

use serde_json::Value as Json;
use windlass_core::{EntityId, Result};

pub(crate) use bodies::MAX_NUMBER;
pub use numbers::WorkRenumbered;
pub(crate) use numbers::numbers_in;
pub(crate) use project::Stage;
pub(crate) use reconcile::Unsettled;

use crate::error::StorageContext as _;
use crate::writer::Writer;

/// Rows that travel, by id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Carried {
    Review(String),
    Comment(String),
    /// The results of all gates of a review.
    Results(String),
    Help(String),
}

/// Notes a row by its id.
type Make = fn(String) -> Carried;

/// Entries of a document by key.
type Entries = BTreeMap<String, Json>;

impl Writer<'_> {
    /// Notes that a row has changed.
    pub(crate) fn carry(&self, what: Carried) {
        self.carried.borrow_mut().insert(what);
    }

    /// Writes the rows that this transaction changed into the documents of their tasks.
    pub(crate) fn flush_carried(&self) -> Result<()> {
        let mut tasks: BTreeMap<EntityId, Entries> = BTreeMap::new();
        for what in self.carried.take() {
            if let Some((task, entries)) = self.entries_of(&what)? {
                tasks.entry(task).or_default().extend(entries);
            }
        }
        for (task, entries) in tasks {
            self.put_entries(&task, entries)?;
        }
        Ok(())
    }

    fn put_entries(&self, task: &EntityId, entries: Entries) -> Result<()> {
        let Some(row) = self.row_of(task)? else {
            return Ok(());
        };
        let document = self.document_in(row, self.peer.get())?;
        for (key, body) in entries {
            document.put_work(&key, body)?;
        }
        document.commit();
        if document.has_changed() {
            self.save_document(row, task, &document)?;
        }
        Ok(())
    }

    /// Databases of older versions have these rows only: once, all of them go into the documents.
    pub(crate) fn carry_older_rows(&self) -> Result<()> {
        let connection = self.connection();
        let is_done: bool = connection
            .query_row("SELECT ifnull(max(done), 0) FROM carried", [], |row| {
                row.get(0)
            })
            .stored()?;
        if is_done {
            return Ok(());
        }
        let tables: [(&str, Make); 4] = [
            ("reviews", Carried::Review),
            ("reviews", Carried::Results),
            ("review_comments", Carried::Comment),
            ("help_requests", Carried::Help),
        ];
        for (table, make) in tables {
            let ids: Vec<String> = connection
                .prepare(&format!("SELECT id FROM {table}"))
                .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
                .stored()?;
            self.carried.borrow_mut().extend(ids.into_iter().map(make));
        }
        connection
            .execute("UPDATE carried SET done = 1", [])
            .stored()?;
        self.flush_carried()
    }
}
