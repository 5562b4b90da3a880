//! The project's state: SQLite and Loro behind one door. No other crate names either.

use std::path::{Path, PathBuf};
use windlass_core::{Event, Result};

/// Where a project lies on disk.
#[derive(Debug, Clone)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// Finds the project that `from` lies in.
    pub fn find(from: &Path) -> Result<Self> {
        Ok(Self { root: from.into() })
    }
    /// Makes a project, or completes one. The flag says whether anything was missing.
    pub fn init(root: &Path) -> Result<(Self, bool)> {
        Ok((Self { root: root.into() }, true))
    }
    pub fn root(&self) -> &Path {
        &self.root
    }
}

pub struct Store {}

impl Store {
    pub fn open(_project: &Project) -> Result<Self> {
        Ok(Self {})
    }
    /// The number of the newest event; cheap enough to poll.
    pub fn last_event(&self) -> Result<i64> {
        Ok(0)
    }
    /// Events after `seq`, oldest first.
    pub fn events_after(&self, _seq: i64, _limit: u32) -> Result<Vec<Event>> {
        Ok(vec![])
    }
    /// Calls `hook` after each committed write of this process.
    pub fn on_write(&self, _hook: Box<dyn Fn() + Send + Sync>) {}
}
