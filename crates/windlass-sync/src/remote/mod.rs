//! Object storage as a meeting place of clones: packs that all of them write and read, and the leases
//! by which they share out tasks.
//!
//! Nothing here runs what it finds there: whoever can write to the bucket can put anything into it, so
//! every object is bounded, checked and skipped with a reason if it is not what its name says.

mod compaction;
mod error;
mod layout;
mod listing;
mod marker;
mod pass;
mod transfer;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use object_store::ObjectStore;
use object_store::path::Path as Key;
use windlass_core::Timestamp;
use windlass_objects::{Location, Opened, Patience};

pub use compaction::{Compacted, PACKS_BEFORE_COMPACTION};
pub use error::RemoteError;
pub use listing::{Listing, RemotePack};
pub use pass::{Pass, PassReport, Skipped, TransferProgress};
pub use worker::Worker;

/// This machine's clock in milliseconds. It names packs and guesses when to look again, and is never
/// compared with what another machine wrote.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Waits for a while.
pub type Timer = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;

/// A place in object storage. Cheap to clone.
#[derive(Clone)]
pub struct Remote {
    name: String,
    store: Arc<dyn ObjectStore>,
    prefix: Key,
    /// The folder, if it is one: it may be on a disk that goes away.
    folder: Option<PathBuf>,
    clock: Clock,
    timer: Timer,
}

impl Remote {
    /// Opens a location. A folder has to exist.
    pub fn open(location: &Location, patience: Patience) -> Result<Self, RemoteError> {
        let opened = location.open_existing(patience)?;
        Ok(Self::of(location, opened))
    }

    /// The same for a person who names the location: a folder is created.
    pub fn create(location: &Location, patience: Patience) -> Result<Self, RemoteError> {
        let opened = location.open(patience)?;
        Ok(Self::of(location, opened))
    }

    fn of(location: &Location, opened: Opened) -> Self {
        let mut remote = Self::over(location.to_string(), opened.store, opened.prefix);
        if let Location::Folder(path) = location {
            remote.folder = Some(path.clone());
        }
        remote
    }

    /// A remote in a store that is already open.
    pub fn over(name: String, store: Arc<dyn ObjectStore>, prefix: Key) -> Self {
        Self {
            name,
            store,
            prefix,
            folder: None,
            clock: Arc::new(|| Timestamp::now().as_millis()),
            timer: Arc::new(|time| Box::pin(tokio::time::sleep(time))),
        }
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// The same with another way to wait: in a simulation no real time passes.
    #[must_use]
    pub fn with_timer(mut self, timer: Timer) -> Self {
        self.timer = timer;
        self
    }

    pub(crate) fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        (self.timer)(time)
    }

    /// Under which name the state keeps what it knows about it.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn store(&self) -> &dyn ObjectStore {
        &*self.store
    }

    pub(crate) fn now(&self) -> i64 {
        (self.clock)()
    }

    /// The key of an object below the prefix. The parts are names that were checked.
    pub(crate) fn key<const N: usize>(&self, parts: [&str; N]) -> Key {
        let mut key = self.prefix.clone();
        for part in parts {
            key = key.join(part);
        }
        key
    }

    /// A folder that is gone is a disk that is not there, and is not made anew.
    pub(crate) fn check_present(&self) -> Result<(), RemoteError> {
        match &self.folder {
            Some(folder) if !folder.is_dir() => Err(RemoteError::Unreachable(format!(
                "the folder {} does not exist",
                folder.display()
            ))),
            _ => Ok(()),
        }
    }
}
