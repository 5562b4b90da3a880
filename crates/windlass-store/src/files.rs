//! Whether the files that a connection has open are still those of the project.
//!
//! A deleted file can still be written: a process that goes on after `git clean -fdx` would
//! acknowledge changes that nobody ever sees again. So every write looks at the names: the database,
//! its log and the log's index must still be the files that this process opened.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, FileControl};
use windlass_core::Error;

/// A file, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// The file that has that name now.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let known = fs::metadata(path).ok()?;
        Some(Self {
            device: known.dev(),
            inode: known.ino(),
        })
    }
}

/// The files of an open connection.
pub(crate) struct OpenFiles {
    known: Vec<(PathBuf, Identity)>,
}

impl OpenFiles {
    /// The files that have their names now. The connection must have read something: it opens the
    /// log with that. A file system without shared memory has no log.
    pub(crate) fn of(connection: &Connection, database: &Path) -> Result<Self, Lost> {
        let mode = connection.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
        let endings: &[&str] = if mode.is_ok_and(|mode| mode == "wal") {
            &["", "-wal", "-shm"]
        } else {
            &[""]
        };
        let mut known = Vec::new();
        for ending in endings {
            let path = beside(database, ending);
            let file = Identity::of(&path).ok_or_else(|| Lost::of(&path))?;
            known.push((path, file));
        }
        let files = Self { known };
        files.check(connection)?;
        Ok(files)
    }

    /// Takes a few microseconds.
    pub(crate) fn check(&self, connection: &Connection) -> Result<(), Lost> {
        for (path, file) in &self.known {
            if Identity::of(path) != Some(*file) {
                return Err(Lost::of(path));
            }
        }
        // SQLite knows which file it has open, even if the name was given to another one before it
        // was looked up here.
        let mut has_moved = 0;
        let asked = connection.file_control(
            rusqlite::DEFAULT_NAME,
            FileControl::HasMoved(&mut has_moved),
        );
        match self.known.first() {
            Some((path, _)) if asked.is_ok() && has_moved != 0 => Err(Lost::of(path)),
            _ => Ok(()),
        }
    }
}

/// A file of the database has another name now, or none.
#[derive(Debug)]
pub(crate) struct Lost {
    file: String,
}

impl Lost {
    pub(crate) fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default();
        Self {
            file: name.to_string_lossy().into_owned(),
        }
    }

    /// The error for the caller, who is told where the rescued copy is.
    pub(crate) fn into_error(self, rescued: Result<PathBuf, Error>) -> Error {
        let error = Error::storage(format!(
            "{} was removed or replaced while this process had it open, so that changes would be lost; nothing was written",
            self.file
        ));
        match rescued {
            Ok(copy) => error
                .with("rescued", copy.display().to_string())
                .with_hint(format!(
                    "Everything up to now was saved as {}. Stop all windlass processes of the project. To go on with \
                     the saved state, a person then runs: windlass restore {}",
                    copy.display(),
                    copy.file_name().unwrap_or_default().display()
                )),
            Err(problem) => error
                .with("rescue_failed", problem.message())
                .with_hint(format!(
                    "This process still has everything, but could not save it: {}. Keep it running, make room and try \
                     any change again: it then saves a copy and says where.",
                    problem.message()
                )),
        }
    }
}

/// Whether the disk of the database is mounted read-only.
pub(crate) fn is_on_a_read_only_disk(database: &Path) -> bool {
    let disk = rustix::fs::statvfs(database);
    disk.is_ok_and(|disk| disk.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY))
}

/// Whether the database was closed in order: nothing is in its log then.
pub(crate) fn is_closed(database: &Path) -> bool {
    fs::metadata(beside(database, "-wal")).map_or(true, |log| log.len() == 0)
}

pub(crate) fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(database);
    path.push(ending);
    path.into()
}
