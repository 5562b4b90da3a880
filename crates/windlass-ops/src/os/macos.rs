//! macOS, which has none of these. Nobody has run it yet.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// There is none on this system.
#[derive(Debug)]
pub struct FileEvents(Infallible);

impl FileEvents {
    pub fn new(_root: &Path, _paths: &BTreeSet<String>) -> Option<Self> {
        None
    }

    pub fn watch_again(&mut self, _root: &Path, _paths: &BTreeSet<String>) -> bool {
        match self.0 {}
    }

    pub fn take(&mut self) -> BTreeSet<String> {
        match self.0 {}
    }

    pub fn source(&self) -> Option<OwnedFd> {
        match self.0 {}
    }
}

/// Not looked for on this system.
pub fn boot() -> Option<String> {
    None
}

/// The system has no such paths.
pub fn path_of(_folder: &File) -> Option<PathBuf> {
    None
}
