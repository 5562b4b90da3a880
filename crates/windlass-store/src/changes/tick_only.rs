//! Systems without inotify: no writes are reported, and the watcher asks SQLite in regular steps.

use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

/// There is none on this system.
pub(super) struct FileEvents(Infallible);

/// Ends a wait that cannot be.
pub(super) struct WaitEnd(Infallible);

impl FileEvents {
    pub(super) fn of(_database: &Path) -> Option<(Self, WaitEnd)> {
        None
    }

    pub(super) fn wait(&self, _timeout: Duration) -> bool {
        match self.0 {}
    }

    pub(super) fn take_writes(&mut self) -> bool {
        match self.0 {}
    }
}

impl WaitEnd {
    pub(super) fn end_wait(&self) {
        match self.0 {}
    }
}
