//! Copies of the state: before an upgrade, and of what a process still has open after its files
//! were removed.

use std::fs;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _};
use windlass_core::{Error, ErrorKind, EventType, Result, Timestamp};

use crate::connection;
use crate::error::StorageContext as _;
use crate::project::Project;

const BEGIN: &str = "rescued-";
const END: &str = ".db";

/// Copies everything that a connection sees, even if its files have no names any more.
pub(crate) fn copy(source: &Connection, to: &Path) -> Result<()> {
    let mut target = Connection::open(to).stored()?;
    copy_into(source, &mut target)
}

/// The same into an open database. All of it in one step: the copy is of one moment, and writers are
/// not in its way.
pub(crate) fn copy_into(source: &Connection, target: &mut Connection) -> Result<()> {
    rusqlite::backup::Backup::new(source, target)
        .and_then(|backup| backup.run_to_completion(i32::MAX, Duration::from_millis(5), None))
        .stored()
}

/// Saves what a connection sees beside the place of its database, which is created again if it is
/// gone: git ignores that folder.
pub(crate) fn rescue(connection: &Connection, database: &Path) -> Result<PathBuf> {
    let folder = database.parent().unwrap_or(Path::new("."));
    if folder.is_symlink() {
        return Err(Error::storage(format!("{} is a link", folder.display())));
    }
    let failed = |error: std::io::Error| Error::storage(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    let path = folder.join(format!("{BEGIN}{}-{}{END}", moment(), std::process::id()));
    // Only for this user, and never through a link that somebody put there.
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .map_err(failed)?;
    copy(connection, &path).inspect_err(|_| {
        // Half a copy helps nobody.
        let _ = fs::remove_file(&path);
    })?;
    Ok(path)
}

/// Now, as a part of a file's name that sorts by time.
pub(crate) fn moment() -> String {
    let now = Timestamp::now();
    now.as_str()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect()
}

/// The rescued copies in the folder of a database, the newest last.
pub(crate) fn copies_beside(database: &Path) -> Vec<PathBuf> {
    let Some(entries) = database.parent().and_then(|it| fs::read_dir(it).ok()) else {
        return Vec::new();
    };
    let mut copies: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(BEGIN) && name.ends_with(END)
        })
        .collect();
    copies.sort();
    copies
}

/// The copies that processes saved when the project's database was removed under them.
pub fn rescued_copies(project: &Project) -> Vec<PathBuf> {
    copies_beside(&project.database())
}

/// Where the database is gone but a rescued copy is there, nothing begins anew.
pub(crate) fn refuse_to_begin_anew(database: &Path) -> Result<()> {
    let Some(copy) = copies_beside(database).pop() else {
        return Ok(());
    };
    Err(Error::storage(format!(
        "The project's database is gone, but what it had was saved as {}",
        copy.display()
    ))
    .with("rescued", copy.display().to_string())
    .with_hint(format!(
        "To go on with it, a person runs: windlass restore {} (or remove it to begin anew).",
        copy.file_name().unwrap_or_default().display()
    )))
}

/// A rescued copy that has changes which this database lacks, as after its log was removed. A person
/// who has restored another state since then has decided about it.
pub(crate) fn copy_with_more(database: &Path, connection: &Connection) -> Result<Option<PathBuf>> {
    for copy in copies_beside(database).into_iter().rev() {
        // One that cannot be read has nothing to offer here; the doctor shows it.
        let Ok(Some((seq, id, at))) = last_event(&copy) else {
            continue;
        };
        let lacks: bool = connection
            .query_row(
                "SELECT NOT EXISTS (SELECT 1 FROM events WHERE seq = ?1 AND id = ?2)
                    AND NOT EXISTS (SELECT 1 FROM events WHERE type = ?3 AND at >= ?4)",
                (seq, &id, EventType::StateRestored.name(), &at),
                |row| row.get(0),
            )
            .stored()?;
        if lacks {
            return Ok(Some(copy));
        }
    }
    Ok(None)
}

fn last_event(copy: &Path) -> Result<Option<(i64, String, String)>> {
    connection::open_unchanging(copy)?
        .query_row(
            "SELECT seq, id, at FROM events ORDER BY seq DESC LIMIT 1",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .optional()
        .stored()
}

/// The error for writes to a database that lacks what a rescued copy has.
pub(crate) fn is_behind(copy: &Path) -> Error {
    let name = copy.file_name().unwrap_or_default().display().to_string();
    Error::new(
        ErrorKind::StateLost,
        format!(
            "Changes of this project are missing from its database: they were saved as {}",
            copy.display()
        ),
    )
    .with("rescued", copy.display().to_string())
    .with_hint(format!(
        "A person puts them back: windlass restore {name}. To go on without them, remove that file."
    ))
}
