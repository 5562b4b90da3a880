//! A copy of a foreign database, for reading. The files themselves are never opened by SQLite: it
//! would follow links, wait for pipes, and write.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use windlass_core::{Error, Result};

use crate::error::StorageContext as _;
use crate::migrations::{self, MIGRATIONS};
use crate::project::Project;

/// A larger database is not copied.
const LARGEST: u64 = 512 << 20;

/// What beside the database belongs to it.
const SUFFIXES: [&str; 2] = ["", "-wal"];

pub(crate) struct ForeignCopy {
    folder: tempfile::TempDir,
}

impl ForeignCopy {
    /// Copies the database of a project, if there is one.
    pub(crate) fn of(project: &Project) -> Result<Self> {
        Self::of_file(&project.database(), LARGEST)
    }

    /// Copies a database, if there is one, and checks that Windlass made its tables.
    pub(crate) fn of_file(database: &Path, largest: u64) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("windlass-foreign-")
            .tempdir();
        let folder = folder.map_err(|problem| Error::storage(problem.to_string()))?;
        let copy = Self { folder };
        for suffix in SUFFIXES {
            copy_file(
                &with_suffix(database, suffix),
                &with_suffix(&copy.database(), suffix),
                largest,
            )?;
        }
        if copy.database().exists() {
            check_schema(&copy.database())?;
        }
        Ok(copy)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join("windlass.db")
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn copy_file(from: &Path, to: &Path, largest: u64) -> Result<()> {
    let failed = |problem: &str| {
        let message = format!("{}: {problem}", from.display());
        Error::storage(message).with_hint("Remove it, or put a backup in its place.")
    };
    let metadata = match fs::symlink_metadata(from) {
        Ok(metadata) => metadata,
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(problem) => return Err(failed(&problem.to_string())),
    };
    if !metadata.is_file() {
        return Err(failed("it is not a plain file"));
    }
    if metadata.len() > largest {
        let most = largest >> 20;
        return Err(failed(&format!(
            "a state that is not trusted is read up to {most} MB"
        )));
    }
    let copied = fs::OpenOptions::new()
        .read(true)
        .custom_flags(no_surprise())
        .open(from)
        .and_then(|file| {
            let mut new = fs::File::create_new(to)?;
            io::copy(&mut file.take(largest), &mut new)
        });
    copied
        .map(drop)
        .map_err(|problem| failed(&problem.to_string()))
}

/// The file may have been replaced since it was looked at.
fn no_surprise() -> i32 {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    i32::try_from(flags.bits()).unwrap_or(0)
}

/// A view or a trigger in place of a table would decide what a read does. So the database must have
/// exactly the tables that its version has.
fn check_schema(path: &Path) -> Result<()> {
    let found = Connection::open(path).stored()?;
    let version = migrations::version(&found)?;
    migrations::check_not_newer(version, MIGRATIONS)?;
    let known = Connection::open_in_memory().stored()?;
    let count = usize::try_from(version).unwrap_or(0);
    migrations::migrate(&known, 0, &MIGRATIONS[..count])?;
    if schema(&found)? == schema(&known)? {
        return Ok(());
    }
    Err(Error::storage(format!(
        "{} is not a database that windlass made: its tables differ",
        path.file_name().unwrap_or_default().display()
    ))
    .with_hint("Remove .windlass/state to begin without it, or put a backup in its place."))
}

fn schema(connection: &Connection) -> Result<BTreeSet<(String, String, String)>> {
    connection
        .prepare(
            "SELECT type, name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'",
        )
        .and_then(|mut statement| {
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect()
        })
        .stored()
}
