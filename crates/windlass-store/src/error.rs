//! From errors of SQLite and Loro to the one error of the domain.

use rusqlite::ffi::ErrorCode;
use windlass_core::{Error, ErrorKind, Result};

/// Turns a storage error into a domain error that says what a person can do about it.
pub(crate) fn storage(error: &rusqlite::Error) -> Error {
    let hint = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            "The disk is full: free some space and try again. Nothing was lost."
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "Another process held the database for too long: try again."
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            "Check the permissions of the .windlass/state folder."
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            "The database file is damaged: move .windlass/state/windlass.db away and restore it from a copy."
        }
        Some(ErrorCode::OperationInterrupted) => {
            return Error::new(
                ErrorKind::RequestTimeout,
                "The request took too long and was stopped",
            )
            .with_hint("Ask for less at once, or raise WINDLASS_REQUEST_TIMEOUT_MS.");
        }
        _ => return Error::storage(format!("The database answered: {error}")),
    };
    Error::storage(format!("The database answered: {error}")).with_hint(hint)
}

pub(crate) trait StorageContext<T> {
    fn stored(self) -> Result<T>;
}

impl<T> StorageContext<T> for rusqlite::Result<T> {
    fn stored(self) -> Result<T> {
        self.map_err(|error| storage(&error))
    }
}

impl<T> StorageContext<T> for Result<T, loro::LoroError> {
    fn stored(self) -> Result<T> {
        self.map_err(|error| Error::storage(format!("A document could not be changed: {error}")))
    }
}

impl<T> StorageContext<T> for Result<T, loro::LoroEncodeError> {
    fn stored(self) -> Result<T> {
        self.map_err(|error| Error::storage(format!("A document could not be stored: {error}")))
    }
}
