//! Whole copies of the state: plain SQLite files with the same tables as the database.
//!
//! A copy is made through SQLite, so that it is of one moment, whoever reads and writes meanwhile. It
//! gets its name when it is complete, on the disk and checked; before that nothing has that name.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::Connection;
use windlass_core::{Error, ErrorKind, Result, Timestamp};

use crate::binding::ForeignCopy;
use crate::connection;
use crate::error::StorageContext as _;
use crate::files;
use crate::migrations;
use crate::project::Project;
use crate::reader::Reader;
use crate::readers::open_readable;
use crate::rescue;
use crate::store::Store;

/// Whether a file that has the name already is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    Never,
    Allowed,
}

/// What a copy has in it.
#[derive(Debug, Clone, PartialEq)]
pub struct StateCopy {
    pub path: PathBuf,
    pub bytes: u64,
    /// When the file was written.
    pub written: Option<SystemTime>,
    pub version: i64,
    /// The id of its project; older versions have none.
    pub project: Option<String>,
    /// Entities that are not deleted, and how many of them are tasks.
    pub entities: u64,
    pub tasks: u64,
    pub events: u64,
    /// The time of its last event.
    pub last_change: Option<Timestamp>,
}

/// The beginnings of the names that copies in the state folder have.
const REPLACED: &str = "replaced-";
const DAMAGED: &str = "damaged-";
const RESCUED: &str = "rescued-";
const BEFORE_UPGRADE: &str = "windlass.db.v";

impl Store {
    /// Writes a copy of the state to a file that only this user can read.
    pub fn back_up(&self, to: &Path, overwrite: Overwrite) -> Result<StateCopy> {
        refuse_state_files(self.path(), to)?;
        if overwrite == Overwrite::Never && fs::symlink_metadata(to).is_ok() {
            return Err(exists(to));
        }
        let source = open_readable(self.path())?.connection;
        write(&source, to, overwrite)?;
        examine(to)
    }
}

/// The copy that is made before a database is upgraded. A database that fails its check is not.
pub(crate) fn before_upgrade(database: &Path, version: i64) -> Result<PathBuf> {
    let copy = free_name(database, &format!("{BEFORE_UPGRADE}{version}"), "");
    let source = connection::open_reader(database)?;
    write(&source, &copy, Overwrite::Never)?;
    Ok(copy)
}

/// A name in the folder of the database that no file has.
fn free_name(database: &Path, begin: &str, end: &str) -> PathBuf {
    let plain = database.with_file_name(format!("{begin}{end}"));
    if fs::symlink_metadata(&plain).is_err() {
        return plain;
    }
    let (moment, process) = (rescue::moment(), std::process::id());
    database.with_file_name(format!("{begin}-{moment}-{process}{end}"))
}

/// The name under which a state is kept that a restore replaces.
pub(crate) fn name_for_replaced(database: &Path) -> PathBuf {
    free_name(database, &format!("{REPLACED}{}", rescue::moment()), ".db")
}

/// The same for one that cannot be read.
pub(crate) fn name_for_damaged(database: &Path) -> PathBuf {
    free_name(database, &format!("{DAMAGED}{}", rescue::moment()), ".db")
}

/// Copies everything that a connection sees into a new file, checks it, and gives it its name.
pub(crate) fn write(source: &Connection, to: &Path, overwrite: Overwrite) -> Result<()> {
    let folder = match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let failed = |problem: &std::io::Error| {
        Error::storage(format!("{}: {problem}", to.display())).with_hint(
            "Choose a folder that exists, that this user can write to, and that has space.",
        )
    };
    // Only for this user from the beginning.
    let file = tempfile::Builder::new()
        .prefix(".windlass-")
        .suffix(".partial")
        .tempfile_in(folder)
        .map_err(|problem| failed(&problem))?;
    rescue::copy(source, file.path())?;
    {
        let copy = Connection::open(file.path()).stored()?;
        // One file, without a log beside it.
        copy.pragma_update(None, "journal_mode", "DELETE")
            .stored()?;
        refuse_damage(&copy, to)?;
    }
    file.as_file()
        .sync_all()
        .map_err(|problem| failed(&problem))?;
    match overwrite {
        Overwrite::Allowed => file.persist(to).map(drop),
        Overwrite::Never => file.persist_noclobber(to).map(drop),
    }
    .map_err(|problem| match problem.error.kind() {
        std::io::ErrorKind::AlreadyExists => exists(to),
        _ => failed(&problem.error),
    })?;
    sync_folder(folder);
    Ok(())
}

/// The name of a file is on the disk when its folder is.
pub(crate) fn sync_folder(folder: &Path) {
    // Where that is impossible, the file system does it in its own time.
    let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
}

fn refuse_damage(copy: &Connection, to: &Path) -> Result<()> {
    let problems = Reader::new(copy).check_file()?;
    let Some(first) = problems.first() else {
        return Ok(());
    };
    Err(Error::storage(format!(
        "The database is damaged, so {} was not made: {first}",
        to.display()
    ))
    .with("problems", problems.clone())
    .with_hint("Run windlass doctor --repair, which saves what can be read, or put a copy back: windlass restore."))
}

fn exists(to: &Path) -> Error {
    Error::invalid_params(format!("{} is there already", to.display()))
        .with("field", "file")
        .with_hint("Choose another name, or replace it with --force.")
}

/// A copy over the database itself would be the end of both.
fn refuse_state_files(database: &Path, to: &Path) -> Result<()> {
    let same = |ending: &str| {
        let file = files::beside(database, ending);
        files::Identity::of(&file).is_some_and(|it| files::Identity::of(to) == Some(it))
    };
    if ["", "-wal", "-shm"].into_iter().any(same) {
        return Err(Error::invalid_params(format!(
            "{} is the database of this project",
            to.display()
        ))
        .with("field", "file")
        .with_hint("Choose another name."));
    }
    Ok(())
}

/// Looks at a copy of a state, and checks it as a whole. The file itself is not opened by SQLite, and
/// not changed.
pub fn examine(path: &Path) -> Result<StateCopy> {
    let (_, found) = checked_copy(path)?;
    Ok(found)
}

/// The same, with the copy that was looked at.
pub(crate) fn checked_copy(path: &Path) -> Result<(ForeignCopy, StateCopy)> {
    let metadata = fs::metadata(path).map_err(|problem| {
        Error::new(
            ErrorKind::ResourceNotFound,
            format!("{}: {problem}", path.display()),
        )
        .with_hint("windlass restore without a file lists the copies of this project.")
    })?;
    if !metadata.is_file() || metadata.len() == 0 {
        return Err(not_a_copy(path, "it is not a file with something in it"));
    }
    let copy = ForeignCopy::of_file(path, u64::MAX).map_err(|error| match error.kind() {
        ErrorKind::DatabaseTooNew => error,
        _ => not_a_copy(path, error.message()),
    })?;
    let connection = Connection::open(copy.database()).stored()?;
    let problems = Reader::new(&connection).check_file()?;
    if let Some(first) = problems.first() {
        return Err(not_a_copy(path, &format!("it is damaged: {first}")));
    }
    let count = |sql: &str| -> Result<u64> {
        let count: i64 = connection.query_row(sql, [], |row| row.get(0)).stored()?;
        Ok(u64::try_from(count).unwrap_or(0))
    };
    let version = migrations::version(&connection)?;
    if version == 0 {
        return Err(not_a_copy(path, "it is empty"));
    }
    let found = StateCopy {
        path: path.to_owned(),
        bytes: metadata.len(),
        written: metadata.modified().ok(),
        version,
        project: connection
            .query_row("SELECT id FROM project", [], |row| row.get(0))
            .ok(),
        entities: count("SELECT count(*) FROM entities WHERE deleted = 0")?,
        tasks: count("SELECT count(*) FROM entities WHERE deleted = 0 AND type = 'task'")?,
        events: count("SELECT count(*) FROM events")?,
        last_change: connection
            .query_row(
                "SELECT at FROM events ORDER BY seq DESC LIMIT 1",
                [],
                |row| row.get(0).map(Timestamp::from_stored),
            )
            .ok(),
    };
    drop(connection);
    Ok((copy, found))
}

fn not_a_copy(path: &Path, why: &str) -> Error {
    Error::storage(format!("{} cannot be restored: {why}", path.display()))
        .with("file", path.display().to_string())
        .with_hint("Nothing was changed. windlass restore without a file lists the copies of this project.")
}

/// The copies in the state folder of a project, the newest first; those that cannot be used with the
/// reason.
pub fn copies_of(project: &Project) -> Vec<(PathBuf, Result<StateCopy>)> {
    let Ok(entries) = fs::read_dir(project.state()) else {
        return Vec::new();
    };
    let is_copy = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let aside = [REPLACED, DAMAGED, RESCUED]
            .iter()
            .any(|it| name.starts_with(it));
        let file = path.symlink_metadata().is_ok_and(|it| it.is_file());
        let upgraded = name.starts_with(BEFORE_UPGRADE)
            && !["-wal", "-shm", "-journal"]
                .iter()
                .any(|end| name.ends_with(end));
        file && (upgraded || (aside && name.ends_with(".db")))
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_copy(path))
        .collect();
    let written = |path: &PathBuf| fs::metadata(path).and_then(|it| it.modified()).ok();
    paths.sort_by_key(|path| std::cmp::Reverse(written(path)));
    paths
        .into_iter()
        .map(|path| {
            let found = examine(&path);
            (path, found)
        })
        .collect()
}
