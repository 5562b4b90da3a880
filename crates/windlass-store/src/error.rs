//! Converts errors of SQLite and Loro to the error type of the domain.

use rusqlite::ffi::ErrorCode;
use windlass_core::{Error, ErrorKind, Result};

use crate::damage;

/// Converts a storage error to a domain error with a hint for a person.
pub(crate) fn storage(error: &rusqlite::Error) -> Error {
    let hint = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            "The disk is full: free some space and try again. Nothing was lost."
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "Another process locked the database for too long: try again."
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            "Check the permissions of the .windlass/state folder, and that its disk is not mounted read-only."
        }
        Some(ErrorCode::CannotOpen) => {
            "Check the permissions of the .windlass/state folder, that its disk has free space (df) and free inodes (df -i), and that the process may open more files (ulimit -n)."
        }
        Some(ErrorCode::SystemIoFailure) => {
            "The disk refused to read or write: check that it has free space (df), that files may be as large (ulimit -f), and the system's log. What was answered before is stored."
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            return Error::storage(format!("Database error: {error}"))
                .with(damage::MET, true)
                .with_hint("The database file is damaged. Run windlass doctor --repair, which saves what can be read, or put a copy back: windlass restore.");
        }
        Some(ErrorCode::OperationInterrupted) => {
            return Error::new(
                ErrorKind::RequestTimeout,
                "The request took too long and was stopped",
            )
            .with_hint("Request less at once, or raise WINDLASS_REQUEST_TIMEOUT_MS.");
        }
        _ => return Error::storage(format!("Database error: {error}")),
    };
    Error::storage(format!("Database error: {error}")).with_hint(hint)
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
