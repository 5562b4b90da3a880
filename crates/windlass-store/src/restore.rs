//! Putting a copy of the state in the place of the current one.
//!
//! The copy is checked as a whole and brought to this version first, beside the database. Where the
//! current database is sound, SQLite then replaces all of its pages in one transaction: a process that
//! is killed in the middle leaves the old state, and running servers go on with the new one like after
//! any other commit. Where it is damaged, foreign or gone, the file itself is replaced. What was there
//! is kept either way.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use serde_json::json;
use windlass_core::{Error, EventType, Origin, Result};

use crate::backup::{self, Overwrite, StateCopy};
use crate::binding::{Bindings, Foreign, ForeignCopy, Standing};
use crate::connection;
use crate::damage;
use crate::error::StorageContext as _;
use crate::files;
use crate::migrations::MIGRATIONS;
use crate::project::Project;
use crate::reader::Reader;
use crate::servers::ThisProcess;
use crate::store::{Store, fresh_peer};
use crate::trust::fresh_id;
use crate::writer::Writer;

/// How long a restore waits for a writer.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const PREPARED: &str = ".restore-";

/// A copy that was found sound, ready to be put in place.
pub struct Restoring {
    found: StateCopy,
    copy: ForeignCopy,
    /// What does not agree with its documents: `doctor --repair` makes it good.
    differences: Vec<String>,
}

/// What a restore did.
#[derive(Debug, Clone, PartialEq)]
pub struct Restored {
    /// Where the state is that was there before.
    pub kept: Option<PathBuf>,
    /// Whether running processes go on by themselves.
    pub is_seamless: bool,
}

impl Restoring {
    /// Reads a copy as a whole. Nothing of the project is changed.
    pub fn read(file: &Path, origin: &Origin) -> Result<Self> {
        let (copy, found) = backup::checked_copy(file)?;
        // Opened as a store of its own, so that it is brought to this version here and not later.
        let store = Store::open_with(&copy.database(), MIGRATIONS)?;
        store.with_writer(|_| Ok(()))?;
        let differences = store.check(origin)?;
        Ok(Self {
            found,
            copy,
            differences,
        })
    }

    pub fn found(&self) -> &StateCopy {
        &self.found
    }

    pub fn differences(&self) -> &[String] {
        &self.differences
    }

    /// Whether the copy is of this project, as far as that is known.
    pub fn is_of(&self, project: &Project, bindings: &Bindings) -> Result<bool> {
        let known = bindings.id(project)?;
        Ok(known.is_none() || self.found.project.is_none() || known == self.found.project)
    }

    /// Puts the copy in place. Only a person may ask for it.
    pub fn put(self, project: &Project, bindings: &Bindings, origin: &Origin) -> Result<Restored> {
        let _alone = bindings.lock()?;
        let standing = bindings.standing(project)?;
        if let Standing::Foreign(why @ Foreign::Tracked) = standing {
            return Err(why.error(project));
        }
        project.prepare_state()?;
        remove_leftovers(project.state());
        let id = bindings.id(project)?.unwrap_or_else(fresh_id);
        let prepared = Prepared::new(&self, project)?;
        if standing == Standing::Own && is_sound(&project.database()) {
            let kept = prepared.replace_pages(&project.database(), &id, origin)?;
            return Ok(Restored {
                kept: Some(kept),
                is_seamless: true,
            });
        }
        let kept = prepared.replace_file(project, &id, origin)?;
        damage::note(&project.database(), &[]);
        bindings.finish(project, &id)?;
        Ok(Restored {
            kept,
            is_seamless: false,
        })
    }
}

/// Whether a database can be read and passes its check.
fn is_sound(database: &Path) -> bool {
    let Ok(connection) = connection::open_reader(database) else {
        return false;
    };
    Reader::new(&connection)
        .check_file()
        .is_ok_and(|problems| problems.is_empty())
}

/// What restores that were killed left behind.
fn remove_leftovers(state: &Path) {
    for entry in fs::read_dir(state).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREPARED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The copy as one file in the state folder, on the same disk as the database.
struct Prepared {
    // Held so that the folder is removed in the end.
    _folder: tempfile::TempDir,
    path: PathBuf,
    from: String,
}

/// What the restored state must not fall behind.
#[derive(Default)]
struct Passed {
    events: i64,
    rewrites: i64,
    /// The last place in the outbox that was given.
    outbox: i64,
}

impl Passed {
    fn of(connection: &Connection) -> Self {
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get(0)).unwrap_or(0);
        Self {
            events: number("SELECT ifnull(max(seq), 0) FROM events"),
            rewrites: number("SELECT ifnull(max(count), 0) FROM rewrites"),
            outbox: number("SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'outbox'"),
        }
    }
}

impl Prepared {
    fn new(restoring: &Restoring, project: &Project) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(PREPARED)
            .tempdir_in(project.state())
            .map_err(|problem| {
                Error::storage(format!("{}: {problem}", project.state().display()))
            })?;
        let path = folder.path().join("windlass.db");
        let source = Connection::open(restoring.copy.database()).stored()?;
        backup::write(&source, &path, Overwrite::Never)?;
        let from = restoring.found.path.display().to_string();
        Ok(Self {
            _folder: folder,
            path,
            from,
        })
    }

    /// Replaces everything in a sound database in one transaction.
    fn replace_pages(self, database: &Path, id: &str, origin: &Origin) -> Result<PathBuf> {
        let source = Connection::open(&self.path).stored()?;
        let mut target = connection::open(database)?;
        connection::use_write_ahead_log(&target)?;
        let replacing = Backup::new(&source, &mut target).stored()?;
        // The first step takes the write lock, which is held to the end: what is kept is all there is.
        step(&replacing, 1)?;
        let kept = backup::name_for_replaced(database);
        let current = connection::open_reader(database)?;
        backup::write(&current, &kept, Overwrite::Never)?;
        let passed = Passed::of(&current);
        drop(current);
        // Changes of the source go into the copy as well, because they are made by its connection.
        settle(&source, id, &passed, origin, &self.from)?;
        while step(&replacing, -1)? != StepResult::Done {}
        Ok(kept)
    }

    /// Replaces the file of a database that is damaged, foreign or gone.
    fn replace_file(self, project: &Project, id: &str, origin: &Origin) -> Result<Option<PathBuf>> {
        let database = project.database();
        let failed = |problem: std::io::Error| {
            Error::storage(format!("{}: {problem}", project.state().display()))
        };
        let (kept, passed) = set_aside(project)?;
        let source = Connection::open(&self.path).stored()?;
        settle(&source, id, &passed, origin, &self.from)?;
        drop(source);
        let file = fs::File::open(&self.path).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        // A log belongs to the file that it was written for, and would spoil another one.
        for ending in ["-wal", "-shm", "-journal"] {
            match fs::remove_file(files::beside(&database, ending)) {
                Err(problem) if problem.kind() != std::io::ErrorKind::NotFound => {
                    return Err(failed(problem));
                }
                _ => {}
            }
        }
        fs::rename(&self.path, &database).map_err(failed)?;
        backup::sync_folder(project.state());
        Ok(kept)
    }
}

/// Keeps what is in the place of the database. One that can be read becomes one file before its log
/// is removed, so that it is whole at every moment.
fn set_aside(project: &Project) -> Result<(Option<PathBuf>, Passed)> {
    let database = project.database();
    let is_there = fs::metadata(&database).is_ok_and(|it| it.len() > 0);
    if !is_there {
        return Ok((None, Passed::default()));
    }
    let folded = ForeignCopy::of(project).and_then(|copy| {
        let current = Connection::open(copy.database()).stored()?;
        let kept = backup::name_for_replaced(&database);
        backup::write(&current, &kept, Overwrite::Never)?;
        // The same content with an empty log: the log that is there changes nothing in it.
        backup::write(&current, &database, Overwrite::Allowed)?;
        Ok((Some(kept), Passed::of(&current)))
    });
    folded.or_else(|_| {
        let kept = backup::name_for_damaged(&database);
        for ending in ["", "-wal"] {
            let from = files::beside(&database, ending);
            if from.exists() {
                let to = files::beside(&kept, ending);
                copy_bytes(&from, &to)
                    .map_err(|problem| Error::storage(format!("{}: {problem}", to.display())))?;
            }
        }
        backup::sync_folder(project.state());
        Ok((Some(kept), Passed::default()))
    })
}

fn copy_bytes(from: &Path, to: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = fs::OpenOptions::new();
    let mut new = options.write(true).create_new(true).mode(0o600).open(to)?;
    std::io::copy(&mut fs::File::open(from)?, &mut new)?;
    new.sync_all()
}

/// Takes one step, and waits for whoever writes.
fn step(replacing: &Backup<'_, '_>, pages: i32) -> Result<StepResult> {
    let latest = Instant::now() + LONGEST_WAIT;
    loop {
        match replacing.step(pages).stored()? {
            StepResult::Busy | StepResult::Locked if Instant::now() < latest => {
                std::thread::sleep(Duration::from_millis(2));
            }
            StepResult::Busy | StepResult::Locked => {
                return Err(
                    Error::storage("Another process writes to the database all the time")
                        .with_hint("Nothing was changed. Stop the other processes, and try again."),
                );
            }
            stepped => return Ok(stepped),
        }
    }
}

/// Makes an old state the current one: it is this project's, its history goes on after the newest
/// event that anybody has seen, and nobody writes under an id of the time after it.
fn settle(
    source: &Connection,
    id: &str,
    passed: &Passed,
    origin: &Origin,
    from: &str,
) -> Result<()> {
    let transaction = source.unchecked_transaction().stored()?;
    transaction.execute("DELETE FROM project", []).stored()?;
    transaction
        .execute("INSERT INTO project (id) VALUES (?1)", [id])
        .stored()?;
    transaction
        .execute(
            "UPDATE rewrites SET count = max(count, ?1) + 1",
            [passed.rewrites],
        )
        .stored()?;
    let process = ThisProcess::default();
    let writer = Writer::new(&transaction, origin, fresh_peer(), &process);
    // Other clones may have the changes in the outbox by now, so they stay as they are.
    writer.seal()?;
    // Whoever is packing a part of the outbox removes it by its place, so no place is given again.
    for sql in [
        "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'outbox'",
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'outbox', ?1
         WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'outbox')",
    ] {
        transaction.execute(sql, [passed.outbox]).stored()?;
    }
    let seq =
        writer.record_numbered_event(EventType::StateRestored, None, &json!({ "from": from }))?;
    let next = seq.max(passed.events + 1);
    transaction
        .execute(
            "UPDATE events SET seq = ?2, first_event = ?2 WHERE seq = ?1",
            [seq, next],
        )
        .stored()?;
    transaction.commit().stored()
}
