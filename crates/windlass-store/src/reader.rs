//! A view of the state for the length of one read. The questions that can be asked are in the
//! modules beside this one, by subject.

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

    /// Runs several questions against one and the same state.
    pub fn consistently<T>(&self, work: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        let transaction = self.connection.unchecked_transaction().stored()?;
        let result = work(self)?;
        transaction.commit().stored()?;
        Ok(result)
    }
}
