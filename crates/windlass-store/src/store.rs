//! The API of the state: short reads and atomic writes, from any thread and any number of
//! processes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use rusqlite::{Connection, TransactionBehavior};
use windlass_core::{Error, ErrorKind, Origin, Result};

use crate::backup;
use crate::binding::ForeignCopy;
use crate::changes::{Changes, Watcher};
use crate::checkpoints::Checkpoints;
use crate::connection;
use crate::damage;
use crate::error::StorageContext as _;
use crate::files::{self, Lost, OpenFiles};
use crate::migrations::{self, MIGRATIONS};
use crate::private_files;
use crate::project::Project;
use crate::reader::Reader;
use crate::readers::{Holding, Readers};
use crate::rescue;
use crate::servers::ThisProcess;
use crate::shared_commit::{OpenTransaction, Turn, Waiting};
use crate::writer::Writer;

/// The state of one project.
pub struct Store {
    /// Started with the first who wants to be notified. It is the first field because it is to end,
    /// and to close its connection, before the others do.
    watcher: OnceLock<Watcher>,
    /// Has a thread that uses the readers.
    checkpoints: Checkpoints,
    path: PathBuf,
    migrations: &'static [&'static str],
    pub(crate) readers: Arc<Readers>,
    writer: Mutex<Option<OpenWriter>>,
    pub(crate) waiting: Waiting,
    peer: Mutex<Peer>,
    notices: Mutex<Notices>,
    /// Where this process saved what it had open, after its files were removed.
    rescued: Mutex<Option<PathBuf>>,
    pub(crate) process: ThisProcess,
    /// Set if the state is not this user's own: the copy that is read, and why nothing is written.
    pub(crate) foreign: Option<(ForeignCopy, Error)>,
}

type Tell = Box<dyn Fn(&str) + Send>;

/// Messages for a person: kept until somebody takes them.
#[derive(Default)]
struct Notices {
    waiting: Vec<String>,
    tell: Option<Tell>,
}

impl Notices {
    fn add(&mut self, notice: String) {
        match &self.tell {
            Some(tell) => tell(&notice),
            None => self.waiting.push(notice),
        }
    }
}

/// The one connection that writes.
pub(crate) struct OpenWriter {
    pub(crate) connection: Connection,
    files: OpenFiles,
    /// The transaction that the next write goes on with.
    pub(crate) open_transaction: Option<OpenTransaction>,
}

/// A fresh random id for the documents that this process changes. It is never stored and never
/// reused: the same id on two branches would make documents diverge silently.
#[derive(Default)]
struct Peer {
    id: u64,
    /// How often changes had been rewritten when the id was made.
    rewrites: Option<i64>,
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
            checkpoints: Checkpoints::default(),
            path: path.to_owned(),
            migrations,
            readers: Arc::new(Readers::new(path.to_owned(), migrations)),
            writer: Mutex::default(),
            waiting: Waiting::default(),
            peer: Mutex::default(),
            notices: Mutex::default(),
            rescued: Mutex::default(),
            process: ThisProcess::default(),
            foreign: None,
        };
        if !path.exists() {
            rescue::refuse_to_begin_anew(path)?;
            private_files::create_database(path)
                .map_err(|error| Error::storage(format!("{}: {error}", path.display())))?;
            store.with_writer(|_| Ok(()))?;
        }
        // A database that is too new is refused here, before anything is read from it.
        let behind = store
            .readers
            .with(None, |connection| rescue::copy_with_more(path, connection))?;
        if let Some(copy) = behind {
            let mut notices = store.notices.lock().unwrap_or_else(PoisonError::into_inner);
            let behind = rescue::is_behind(&copy);
            let hint = behind.hint().unwrap_or_default();
            notices.add(format!("{}. {hint}", behind.message()));
            drop(notices);
        }
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
        if let Some(call) = self.current_call() {
            return work(&Reader::new(&call.connection));
        }
        self.readers
            .with(deadline, |connection| work(&Reader::new(connection)))
    }

    /// Runs `work` in one transaction: all of it is stored durably, or none of it.
    pub fn write<T>(
        &self,
        origin: &Origin,
        work: impl FnOnce(&Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        self.write_until(None, origin, work)
    }

    /// The same for a caller that waits until `deadline`: after that nothing is stored, because the
    /// caller has been told that the request took too long, and may repeat it.
    pub fn write_until<T>(
        &self,
        deadline: Option<Instant>,
        origin: &Origin,
        work: impl FnOnce(&Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        self.check_trusted()?;
        if let Some(call) = self.current_call() {
            return self.write_part(&call, origin, work);
        }
        damage::refuse(&self.path)?;
        let _waiting = connection::wait_for_locks_until(deadline);
        let in_time = || match deadline {
            Some(deadline) if Instant::now() >= deadline => Err(too_late()),
            _ => Ok(()),
        };
        let written = || {
            let mut turn = Turn::take(self);
            let part = turn.begin(in_time)?;
            let connection = part.connection();
            let changing = Writer::new(connection, origin, self.peer(connection)?, &self.process);
            let result = work(&changing)?;
            changing.flush_carried()?;
            in_time()?;
            drop(changing);
            let commit = part.keep()?;
            drop(turn);
            commit.wait()?;
            Ok(result)
        };
        let result = written();
        let result = result.inspect_err(|error| damage::note_error(&self.path, error))?;
        self.committed();
        Ok(result)
    }

    /// Notifies those who wait in this process.
    pub(crate) fn committed(&self) {
        if let Some(watcher) = self.watcher.get() {
            watcher.committed();
        }
    }

    /// Takes back a transaction that has just begun where nothing may be written.
    pub(crate) fn check_begun(&self, writer: &OpenWriter) -> Result<()> {
        // Another process may have migrated the database since it was opened.
        let version = migrations::version(&writer.connection)
            .and_then(|found| migrations::check_not_newer(found, self.migrations));
        let files = writer.files.check(&writer.connection);
        if version.is_err() || files.is_err() {
            let _ = writer.connection.execute_batch("ROLLBACK");
        }
        version?;
        files.map_err(|lost| self.lost(lost, &writer.connection))
    }

    /// Refuses where the files of the writer are not the project's any more.
    pub(crate) fn check_files(&self, writer: &OpenWriter) -> Result<()> {
        let checked = writer.files.check(&writer.connection);
        checked.map_err(|lost| self.lost(lost, &writer.connection))
    }

    pub(crate) fn writer_place(&self) -> MutexGuard<'_, Option<OpenWriter>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Saves everything that this process has open. Works without any file: what is deleted is
    /// still there while a process has it open.
    pub fn rescue_to(&self, path: &Path) -> Result<()> {
        self.with_writer(|writer| rescue::copy(&writer.connection, path))
    }

    /// Saves what the connection still has, once, and says so.
    fn lost(&self, lost: Lost, connection: &Connection) -> Error {
        let mut rescued = self.rescued.lock().unwrap_or_else(PoisonError::into_inner);
        let copy = match rescued.clone().filter(|copy| copy.exists()) {
            Some(copy) => Ok(copy),
            None => rescue::rescue(connection, &self.path),
        };
        rescued.clone_from(&copy.as_ref().ok().cloned());
        lost.into_error(copy)
    }

    /// The id for the documents that this transaction changes.
    pub(crate) fn peer(&self, connection: &Connection) -> Result<u64> {
        let rewrites = connection
            .prepare_cached("SELECT count FROM rewrites")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .stored()?;
        let mut peer = self.peer.lock().unwrap_or_else(PoisonError::into_inner);
        if peer.rewrites != Some(rewrites) {
            *peer = Peer {
                id: fresh_peer(),
                rewrites: Some(rewrites),
            };
        }
        Ok(peer.id)
    }

    /// Notifies of commits, of this process and of all others.
    pub fn watch(&self) -> Changes {
        self.watcher
            .get_or_init(|| Watcher::start(&self.path))
            .changes()
    }

    /// Keeps the copying of the log out of the writes of this process, which lives long.
    pub fn copy_log_beside_writes(&self) -> Result<()> {
        self.checkpoints.begin_thread(Arc::clone(&self.readers))
    }

    /// Passes on messages for a person, for example that the database was upgraded: those there are,
    /// and every one that comes later. An upgrade happens with the first write.
    pub fn tell_notices(&self, tell: impl Fn(&str) + Send + 'static) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        notices.waiting.drain(..).for_each(|notice| tell(&notice));
        notices.tell = Some(Box::new(tell));
    }

    pub(crate) fn with_writer<T>(
        &self,
        work: impl FnOnce(&mut OpenWriter) -> Result<T>,
    ) -> Result<T> {
        let _holding = Holding::begin();
        let mut place = self.writer_place();
        let writer = self.opened(&mut place)?;
        self.commit(writer);
        work(writer)
    }

    /// Opens the writer if it is not open.
    pub(crate) fn opened<'w>(
        &self,
        place: &'w mut Option<OpenWriter>,
    ) -> Result<&'w mut OpenWriter> {
        if place.is_none() {
            *place = Some(self.open_writer()?);
        }
        place
            .as_mut()
            .ok_or_else(|| Error::internal("the writer was not opened"))
    }

    pub(crate) fn open_writer(&self) -> Result<OpenWriter> {
        let opened = connection::open(&self.path);
        // SQLite opens what it cannot write for reading, and stays with that. The next write tries
        // again instead: the disk may be writable then.
        let is_read_only = match &opened {
            Ok(connection) => connection.is_readonly(rusqlite::MAIN_DB).stored()?,
            Err(_) => files::is_on_a_read_only_disk(&self.path),
        };
        if is_read_only {
            return Err(Error::storage("The project's database cannot be written").with_hint(
                "Check the permissions of the .windlass/state folder, and that its disk is not mounted read-only. \
                 It is tried again with the next change.",
            ));
        }
        let mut connection = opened?;
        let found = migrations::version(&connection)?;
        migrations::check_not_newer(found, self.migrations)?;
        if found < migrations::newest(self.migrations) {
            self.upgrade(&mut connection)?;
        }
        if let Some(copy) = rescue::copy_with_more(&self.path, &connection)? {
            return Err(rescue::is_behind(&copy));
        }
        self.checkpoints.follow(&mut connection)?;
        match OpenFiles::of(&connection, &self.path) {
            Ok(files) => Ok(OpenWriter {
                connection,
                files,
                open_transaction: None,
            }),
            Err(lost) => Err(self.lost(lost, &connection)),
        }
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
            let copy = backup::before_upgrade(&self.path, found)?;
            self.notices
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .add(format!(
                    "The project's database was upgraded from version {found} to {newest}; a backup of the old one is at {}.",
                    copy.display()
                ));
        }
        migrations::migrate(&transaction, found, self.migrations)?;
        transaction.commit().stored()
    }
}

pub(crate) fn too_late() -> Error {
    Error::new(
        ErrorKind::RequestTimeout,
        "The time for the request was over before its change could be stored",
    )
    .with_hint("Nothing was changed, so that it can be repeated. Others may be writing a lot at the moment.")
}

/// Read-only access to the state. Cheap to clone.
#[derive(Clone)]
pub struct StateReader {
    pub(crate) store: Arc<Store>,
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

    /// Whether the state is this user's own.
    pub fn is_trusted(&self) -> bool {
        self.store.check_trusted().is_ok()
    }

    /// Notifies of commits, of this process and of all others.
    pub fn watch(&self) -> Changes {
        self.store.watch()
    }
}

pub(crate) fn fresh_peer() -> u64 {
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
        let more = ["ALTER TABLE claims ADD COLUMN note TEXT;"];
        Vec::leak([MIGRATIONS, &more].concat())
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
        let (told, notices) = std::sync::mpsc::channel();
        store.tell_notices(move |notice| told.send(notice.to_owned()).expect("received"));
        assert_eq!(notices.try_iter().count(), 1);
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
        let kind = ErrorKind::DatabaseTooNew;
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
