//! A write: one transaction with one origin.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Deref;

use rusqlite::Connection;
use serde_json::Value as Json;
use windlass_core::{EntityId, EntityType, EventType, Origin, Result, Timestamp};

use crate::carried::Carried;
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::servers::ThisProcess;

/// Changes the state. It can do all queries of a [`Reader`], which see what was written so far.
pub struct Writer<'c> {
    reader: Reader<'c>,
    pub(crate) origin: &'c Origin,
    /// The id under which documents are changed.
    pub(crate) peer: Cell<u64>,
    pub(crate) process: &'c ThisProcess,
    /// Rows that the transaction changed and that belong into documents too.
    pub(crate) carried: RefCell<BTreeSet<Carried>>,
    /// The first event of this write: all others name it.
    first_event: Cell<Option<i64>>,
}

impl<'c> Deref for Writer<'c> {
    type Target = Reader<'c>;

    fn deref(&self) -> &Reader<'c> {
        &self.reader
    }
}

impl<'c> Writer<'c> {
    pub(crate) fn new(
        connection: &'c Connection,
        origin: &'c Origin,
        peer: u64,
        process: &'c ThisProcess,
    ) -> Self {
        Self {
            reader: Reader::new(connection),
            origin,
            peer: Cell::new(peer),
            process,
            carried: RefCell::default(),
            first_event: Cell::new(None),
        }
    }

    /// Who writes.
    pub fn origin(&self) -> &Origin {
        self.origin
    }

    /// Runs a part of the write that may fail alone: its changes are then rolled back, and the rest
    /// of the write continues.
    pub fn attempt<T>(&self, work: impl FnOnce(&Self) -> Result<T>) -> Result<Result<T>> {
        let connection = self.connection();
        connection.execute_batch("SAVEPOINT attempt").stored()?;
        let result = work(self);
        if result.is_err() {
            connection.execute_batch("ROLLBACK TO attempt").stored()?;
        }
        connection.execute_batch("RELEASE attempt").stored()?;
        Ok(result)
    }

    /// Adds an event about something that is stored elsewhere.
    pub fn note(&self, kind: EventType, payload: &Json) -> Result<()> {
        self.record_event(kind, None, payload)
    }

    /// Adds an event, in the same transaction as the change that it describes.
    pub(crate) fn record_event(
        &self,
        kind: EventType,
        entity: Option<(&EntityId, EntityType)>,
        payload: &Json,
    ) -> Result<()> {
        self.record_numbered_event(kind, entity, payload).map(drop)
    }

    /// The same. Returns the number of the event.
    pub(crate) fn record_numbered_event(
        &self,
        kind: EventType,
        entity: Option<(&EntityId, EntityType)>,
        payload: &Json,
    ) -> Result<i64> {
        self.connection()
            .prepare_cached(
                "INSERT INTO events (id, at, actor, source, session, correlation_id, type, entity, entity_type, payload,
                     first_event)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
                     ifnull(?11, (SELECT ifnull(max(seq), 0) + 1 FROM events)))",
            )
            .and_then(|mut statement| {
                statement.execute((
                    uuid::Uuid::new_v4().to_string(),
                    Timestamp::now().as_str(),
                    self.origin.actor.name(),
                    self.origin.source,
                    &self.origin.session,
                    &self.origin.correlation_id,
                    kind.name(),
                    entity.map(|(id, _)| id.as_str()),
                    entity.map(|(_, kind)| kind.name()),
                    payload.to_string(),
                    self.first_event.get(),
                ))
            })
            .stored()?;
        let seq = self.connection().last_insert_rowid();
        if self.first_event.get().is_none() {
            self.first_event.set(Some(seq));
        }
        Ok(seq)
    }

    /// The first event of this write, if it has any.
    pub(crate) fn first_event(&self) -> Option<i64> {
        self.first_event.get()
    }
}
