//! The API of the state: short reads and atomic writes, from any thread and any number of
//! processes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};
use windlass_core::{Error, Origin, Result};

use crate::binding::ForeignCopy;
use crate::changes::{Changes, Watcher};
use crate::connection::{self, Readers};
use crate::error::StorageContext as _;
use crate::migrations::{self, MIGRATIONS};
use crate::private_files;
use crate::project::Project;
use crate::reader::Reader;
use crate::servers::ThisProcess;
use crate::writer::Writer;

/// The state of one project.
pub struct Store {
    /// Started with the first who wants to be notified. It is the first field because it is to end,
    /// and to close its connection, before the others do.
    watcher: OnceLock<Watcher>,
    path: PathBuf,
    migrations: &'static [&'static str],
    pub(crate) readers: Readers,
    writer: Mutex<Option<Connection>>,
    /// A fresh random id for the documents that this process changes. It is never stored and never
    /// reused: the same id on two branches would make documents diverge silently.
    peer: u64,
    notices: Mutex<Vec<String>>,
    pub(crate) process: ThisProcess,
    /// Set if the state is not this user's own: the copy that is read, and why nothing is written.
    pub(crate) foreign: Option<(ForeignCopy, Error)>,
}

impl Store {
    /// Opens the state of a project, and creates the database if there is none. The caller knows that
    /// it is this user's own; [`Store::open_bound`] finds out.
    pub fn open(project: &Project) -> Result<Self> {
        project.prepare_state()?;
        Self::open_with(&project.database(), MIGRATIONS)
    }

    pub(crate) fn open_with(path: &Path, migrations: &'static [&'static str]) -> Result<Self> {
        let store = Self {
            watcher: OnceLock::new(),
            path: path.to_owned(),
            migrations,
            readers: Readers::new(path.to_owned(), migrations),
            writer: Mutex::default(),
            peer: fresh_peer(),
            notices: Mutex::default(),
            process: ThisProcess::default(),
            foreign: None,
        };
        if !path.exists() {
            private_files::create_database(path)
                .map_err(|error| Error::storage(format!("{}: {error}", path.display())))?;
            store.with_writer(|_| Ok(()))?;
        }
        // A database that is too new is refused here, before anything is read from it.
        store.readers.with(None, |_| Ok(()))?;
        Ok(store)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn migrations(&self) -> &'static [&'static str] {
        self.migrations
    }

    /// Runs `work` on a reader. The deadline stops a statement that takes too long.
    pub fn read<T>(
        &self,
        deadline: Option<Instant>,
        work: impl FnOnce(&Reader<'_>) -> Result<T>,
    ) -> Result<T> {
        self.readers
            .with(deadline, |connection| work(&Reader::new(connection)))
    }

    /// Runs `work` in one transaction: all of it is stored durably, or none of it.
    pub fn write<T>(
        &self,
        origin: &Origin,
        work: impl FnOnce(&Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        self.check_trusted()?;
        let result = self.with_writer(|connection| {
            let transaction = connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .stored()?;
            // Another process may have migrated the database since it was opened.
            migrations::check_not_newer(migrations::version(&transaction)?, self.migrations)?;
            let result = work(&Writer::new(&transaction, origin, self.peer, &self.process))?;
            transaction.commit().stored()?;
            Ok(result)
        })?;
        if let Some(watcher) = self.watcher.get() {
            watcher.committed();
        }
        Ok(result)
    }

    /// Notifies of commits, of this process and of all others.
    pub fn watch(&self) -> Changes {
        self.watcher
            .get_or_init(|| Watcher::start(&self.path))
            .changes()
    }

    /// Messages for a person, for example that the database was upgraded.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn with_writer<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.is_none() {
            *writer = Some(self.open_writer()?);
        }
        match writer.as_mut() {
            Some(connection) => work(connection),
            None => Err(Error::internal("the writer was not opened")),
        }
    }

    fn open_writer(&self) -> Result<Connection> {
        let mut connection = connection::open(&self.path)?;
        let found = migrations::version(&connection)?;
        migrations::check_not_newer(found, self.migrations)?;
        if found < migrations::newest(self.migrations) {
            self.upgrade(&mut connection)?;
        }
        Ok(connection)
    }

    /// Migrates the file to this binary's version in one transaction, after a backup.
    fn upgrade(&self, connection: &mut Connection) -> Result<()> {
        connection::use_write_ahead_log(connection)?;
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .stored()?;
        // Checked again under the lock: another process may have been faster.
        let found = migrations::version(&transaction)?;
        let newest = migrations::newest(self.migrations);
        if found >= newest {
            return migrations::check_not_newer(found, self.migrations);
        }
        if found > 0 {
            let copy = self.path.with_extension(format!("db.v{found}"));
            back_up(&self.path, &copy)?;
            self.notices
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(format!(
                    "The project's database was upgraded from version {found} to {newest}; a backup of the old one is at {}.",
                    copy.display()
                ));
        }
        migrations::migrate(&transaction, found, self.migrations)?;
        transaction.commit().stored()
    }
}

/// Copies the last committed state of the database. The writer's lock does not block readers.
fn back_up(from: &Path, to: &Path) -> Result<()> {
    let source = connection::open(from)?;
    private_files::create_database(to)
        .map_err(|error| Error::storage(format!("{}: {error}", to.display())))?;
    let mut target = Connection::open(to).stored()?;
    rusqlite::backup::Backup::new(&source, &mut target)
        .and_then(|backup| backup.run_to_completion(1_000, Duration::ZERO, None))
        .stored()
}

/// Read-only access to the state. Cheap to clone.
#[derive(Clone)]
pub struct StateReader {
    store: Arc<Store>,
}

impl StateReader {
    pub fn new(store: Arc<Store>) -> Self {
        Self { store }
    }

    /// Runs `work` on a reader. The deadline stops a statement that takes too long.
    pub fn read<T>(
        &self,
        deadline: Option<Instant>,
        work: impl FnOnce(&Reader<'_>) -> Result<T>,
    ) -> Result<T> {
        self.store.read(deadline, work)
    }

    /// The number of the newest event.
    pub fn last_event(&self) -> Result<i64> {
        self.store.last_event()
    }

    /// Notifies of commits, of this process and of all others.
    pub fn watch(&self) -> Changes {
        self.store.watch()
    }
}

fn fresh_peer() -> u64 {
    let (high, low) = uuid::Uuid::new_v4().as_u64_pair();
    // The version and variant bits of a UUID are fixed; mixing the halves hides them. The topmost
    // id is reserved by Loro.
    (high ^ low.rotate_left(29)).min(u64::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This binary's versions and one more.
    fn next_version() -> &'static [&'static str] {
        const NEXT: &[&str] = &[
            MIGRATIONS[0],
            MIGRATIONS[1],
            MIGRATIONS[2],
            MIGRATIONS[3],
            MIGRATIONS[4],
            MIGRATIONS[5],
            "ALTER TABLE claims ADD COLUMN note TEXT;",
        ];
        assert_eq!(NEXT.len(), MIGRATIONS.len() + 1);
        NEXT
    }

    fn version_on_disk(path: &Path) -> i64 {
        migrations::version(&connection::open(path).expect("opened")).expect("a version")
    }

    fn origin() -> Origin {
        Origin {
            actor: windlass_core::Actor::Agent,
            source: "test",
            session: "test".into(),
            correlation_id: None,
        }
    }

    #[test]
    fn reading_does_not_upgrade_an_older_database_and_writing_does_after_a_backup() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("windlass.db");
        drop(Store::open_with(&path, MIGRATIONS).expect("created"));
        let store = Store::open_with(&path, next_version()).expect("opened");
        let note = |store: &Store| {
            store.read(None, |reader| {
                reader
                    .connection()
                    .query_row("SELECT count(note) FROM claims", [], |row| {
                        row.get::<_, i64>(0)
                    })
                    .stored()
            })
        };
        assert_eq!(note(&store), Ok(0), "the new shape is readable");
        let known = migrations::newest(MIGRATIONS);
        assert_eq!(version_on_disk(&path), known, "reading did not migrate");
        store.write(&origin(), |_| Ok(())).expect("written");
        assert_eq!(version_on_disk(&path), known + 1);
        let copy = folder.path().join(format!("windlass.db.v{known}"));
        assert_eq!(version_on_disk(&copy), known);
        assert_eq!(store.take_notices().len(), 1);
        assert_eq!(note(&store), Ok(0));
    }

    #[test]
    fn each_older_version_is_upgraded() {
        for known in 1..MIGRATIONS.len() {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("windlass.db");
            drop(Store::open_with(&path, &MIGRATIONS[..known]).expect("created"));
            let store = Store::open_with(&path, MIGRATIONS).expect("opened");
            store.write(&origin(), |_| Ok(())).expect("written");
            assert_eq!(version_on_disk(&path), migrations::newest(MIGRATIONS));
            assert_eq!(store.check(&origin()).expect("checked"), [""; 0]);
        }
    }

    #[test]
    fn a_newer_database_is_refused_and_not_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("windlass.db");
        let old = Store::open_with(&path, MIGRATIONS).expect("created");
        let newer = Store::open_with(&path, next_version()).expect("opened");
        newer.write(&origin(), |_| Ok(())).expect("upgraded");
        let before = std::fs::read(&path).expect("read");
        let kind = windlass_core::ErrorKind::DatabaseTooNew;
        assert_eq!(old.write(&origin(), |_| Ok(())).unwrap_err().kind(), kind);
        let error = Store::open_with(&path, MIGRATIONS).err().expect("refused");
        assert_eq!(error.kind(), kind);
        assert_eq!(std::fs::read(&path).expect("read"), before);
    }

    #[test]
    fn peer_ids_are_unique() {
        assert_ne!(fresh_peer(), fresh_peer());
    }
}
