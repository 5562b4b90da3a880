//! Read access to the state for the duration of one read. The queries are in the sibling modules,
//! by subject.

use rusqlite::Connection;
use windlass_core::Result;

use crate::error::StorageContext as _;

/// Reads rows, never documents.
pub struct Reader<'c> {
    connection: &'c Connection,
}

impl<'c> Reader<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self { connection }
    }

    pub(crate) fn connection(&self) -> &'c Connection {
        self.connection
    }

    /// Runs several queries on one consistent state.
    pub fn consistently<T>(&self, work: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        if !self.connection.is_autocommit() {
            // It is part of a transaction already.
            return work(self);
        }
        let transaction = self.connection.unchecked_transaction().stored()?;
        let result = work(self)?;
        transaction.commit().stored()?;
        Ok(result)
    }
}
