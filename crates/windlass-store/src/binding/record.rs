//! What this user's machine knows about one project: where its state is, and by what it is
//! recognised.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// A file or folder, told from any other, also from a copy in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    /// When it was created, in nanoseconds, if the file system knows: inode numbers are used again.
    born: Option<u128>,
    /// The user whom it belongs to.
    owner: u32,
}

impl Identity {
    pub(super) fn of(metadata: &fs::Metadata) -> Self {
        let born = metadata.created().ok();
        let born = born.and_then(|moment| moment.duration_since(UNIX_EPOCH).ok());
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            born: born.map(|time| time.as_nanos()),
            owner: metadata.uid(),
        }
    }

    pub(super) const fn owner(self) -> u32 {
        self.owner
    }

    /// Whether it is the same one at the same path. The number of a device may change when the
    /// machine starts again.
    pub(super) fn is(self, other: Self) -> bool {
        let same_birth = match (self.born, other.born) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        self.inode == other.inode && self.owner == other.owner && same_birth
    }

    /// Whether it is the same one at another path.
    pub(super) fn has_moved_from(self, other: Self) -> bool {
        self.device == other.device && self.is(other)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub version: u32,
    /// The id that the database has too.
    pub id: String,
    /// The state folder.
    pub state: PathBuf,
    /// The user who uses it.
    pub user: u32,
    pub root: Identity,
    pub folder: Identity,
    /// None while the database is being created.
    pub database: Option<Identity>,
    /// Whether git has tracked it since.
    #[serde(default)]
    pub suspended: bool,
}

impl Record {
    pub(super) const VERSION: u32 = 1;

    /// None if there is none, or if it cannot be understood: then the state counts as unknown.
    pub(super) fn read(file: &Path) -> Option<Self> {
        let text = fs::read_to_string(file).ok()?;
        let record: Self = serde_json::from_str(&text).ok()?;
        (record.version == Self::VERSION).then_some(record)
    }

    /// Replaces the file as a whole, readable by its user only.
    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        let beside = file.with_extension(format!("{}.new", std::process::id()));
        let mut new = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&beside)?;
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        new.write_all(text.as_bytes())?;
        new.sync_data()?;
        fs::rename(&beside, file)
    }
}
