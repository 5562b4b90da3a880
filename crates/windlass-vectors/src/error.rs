//! What can be wrong with a file of weights or vectors.

use std::io;
use std::path::{Path, PathBuf};

/// A problem with a file. The message names it, and no other.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// The content is not what was written: cut off, overwritten, or of another format.
    #[error("{} is damaged: {problem}", path.display())]
    Damaged { path: PathBuf, problem: String },
    #[error("{} is not the package {name}: {problem}", path.display())]
    NotThePackage {
        path: PathBuf,
        name: &'static str,
        problem: String,
    },
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn damaged(path: &Path, problem: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            problem: problem.into(),
        }
    }

    /// For `map_err` on anything that reads or writes the file.
    pub(crate) fn of(path: &Path) -> impl Fn(io::Error) -> Self + use<'_> {
        |source| Self::File {
            path: path.to_owned(),
            source,
        }
    }

    /// Whether the disk has no room for the file.
    pub fn is_full_disk(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::File { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded))
    }

    /// Whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::File { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
