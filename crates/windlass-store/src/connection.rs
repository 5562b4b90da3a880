//! Connections to the database file: how they wait for locks, how deadlines stop them, how they are
//! shared.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::ffi::ErrorCode;
use rusqlite::{Connection, OpenFlags};
use windlass_core::Result;

use crate::error::StorageContext as _;
use crate::migrations;

/// How long a writer waits for the lock. A write takes about a millisecond, so this allows for very
/// many.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// Virtual-machine steps between two checks of the deadline.
const STEPS_BETWEEN_CHECKS: i32 = 4_000;

/// A connection whose running statement is stopped at a deadline.
pub(crate) struct Timed {
    pub(crate) connection: Connection,
    /// Milliseconds since [`START`]; zero for no deadline.
    deadline: Arc<AtomicU64>,
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

fn millis_since_start(moment: Instant) -> u64 {
    u64::try_from(moment.saturating_duration_since(*START).as_millis()).unwrap_or(u64::MAX)
}

impl Timed {
    fn new(mut connection: Connection) -> Result<Self> {
        let deadline = Arc::new(AtomicU64::new(0));
        let watched = Arc::clone(&deadline);
        connection
            .progress_handler(
                STEPS_BETWEEN_CHECKS,
                Some(move || {
                    let deadline = watched.load(Ordering::Relaxed);
                    deadline != 0 && millis_since_start(Instant::now()) >= deadline
                }),
            )
            .stored()?;
        Ok(Self {
            connection,
            deadline,
        })
    }

    fn set_deadline(&self, deadline: Option<Instant>) {
        let millis = deadline.map_or(0, |moment| millis_since_start(moment).max(1));
        self.deadline.store(millis, Ordering::Relaxed);
    }
}

/// Opens the file, creating it where there is none.
pub(crate) fn open(path: &Path) -> Result<Connection> {
    open_with(path, OpenFlags::SQLITE_OPEN_CREATE)
}

/// Opens the file if there is one.
pub(crate) fn open_existing(path: &Path) -> Result<Connection> {
    open_with(path, OpenFlags::empty())
}

/// Sets what SQLite forgets between connections.
fn open_with(path: &Path, more: OpenFlags) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let mut connection = Connection::open_with_flags(path, flags).stored()?;
    connection.busy_handler(Some(wait_for_lock)).stored()?;
    // Otherwise SQLite prepares a statement again each time a value is bound that could change its
    // plan, such as a LIMIT, and the planning takes longer than the reading.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .stored()?;
    connection
        .execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA cache_size = -16384; PRAGMA trusted_schema = OFF;",
        )
        .stored()?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Sleeps briefly: a writer holds the lock for about a millisecond, and with SQLite's own waits of
/// up to 100 ms the database would be idle between writers.
fn wait_for_lock(tries: i32) -> bool {
    let pause = Duration::from_micros(match tries {
        0..=3 => 200,
        4..=15 => 500,
        _ => 2_000,
    });
    std::thread::sleep(pause);
    u128::try_from(tries).unwrap_or(0) * pause.as_micros() < LOCK_TIMEOUT.as_micros()
}

/// Sets the journal mode to WAL, which is stored in the file. SQLite does not wait for other
/// connections here, so this function retries.
pub(crate) fn use_write_ahead_log(connection: &Connection) -> Result<()> {
    let mut tries = 0;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && wait_for_lock(tries) =>
            {
                tries += 1;
            }
            result => return result.stored(),
        }
    }
}

/// The read connections of one process. Each is used by one caller at a time and then returned.
pub(crate) struct Readers {
    path: PathBuf,
    migrations: &'static [&'static str],
    idle: Mutex<Vec<Timed>>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, migrations: &'static [&'static str]) -> Self {
        Self {
            path,
            migrations,
            idle: Mutex::default(),
        }
    }

    pub(crate) fn with<T>(
        &self,
        deadline: Option<Instant>,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let reader = match self.take() {
            Some(reader) => reader,
            None => self.open()?,
        };
        reader.set_deadline(deadline);
        let result = work(&reader.connection);
        reader.set_deadline(None);
        // A migrated copy of an older database is outdated after the next write, so it is not
        // reused.
        if !reader.connection.path().unwrap_or_default().is_empty() {
            self.idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(reader);
        }
        result
    }

    fn take(&self) -> Option<Timed> {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    /// A database older than this binary is read from a migrated copy in memory: reading never
    /// changes the file, so that older binaries can still use it.
    fn open(&self) -> Result<Timed> {
        let connection = open(&self.path)?;
        let version = migrations::version(&connection)?;
        migrations::check_not_newer(version, self.migrations)?;
        if version == migrations::newest(self.migrations) {
            return Timed::new(connection);
        }
        let mut copy = Connection::open_in_memory().stored()?;
        rusqlite::backup::Backup::new(&connection, &mut copy)
            .and_then(|backup| backup.run_to_completion(1_000, Duration::ZERO, None))
            .stored()?;
        // Checked on the copy: another process may have created or upgraded the file meanwhile.
        let copied = migrations::version(&copy)?;
        migrations::check_not_newer(copied, self.migrations)?;
        if copied < migrations::newest(self.migrations) {
            migrations::migrate(&copy, copied, self.migrations)?;
        }
        Timed::new(copy)
    }
}
