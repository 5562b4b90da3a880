//! macOS: no writes are reported, and the watcher asks SQLite in regular steps.

use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

/// There is none on this system.
pub(crate) struct FileEvents(Infallible);

/// Ends a wait that cannot be.
pub(crate) struct WaitEnd(Infallible);

impl FileEvents {
    pub(crate) fn of(_database: &Path) -> Option<(Self, WaitEnd)> {
        None
    }

    pub(crate) fn wait(&self, _timeout: Duration) -> bool {
        match self.0 {}
    }

    pub(crate) fn take_writes(&mut self) -> bool {
        match self.0 {}
    }
}

impl WaitEnd {
    pub(crate) fn end_wait(&self) {
        match self.0 {}
    }
}
