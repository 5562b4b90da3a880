//! Connections to the database file: how they wait for locks, and how deadlines stop them.

use std::cell::Cell;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::ffi::ErrorCode;
use rusqlite::{Connection, OpenFlags};
use windlass_core::Result;

use crate::error::StorageContext as _;

/// How long a writer waits for the lock. A write takes about a millisecond, so this allows for very
/// many.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// Virtual-machine steps between two checks of the deadline.
const STEPS_BETWEEN_CHECKS: i32 = 4_000;

/// A connection whose running statement is stopped at a deadline.
pub(crate) struct Timed {
    pub(crate) connection: Connection,
    /// Whether it sees what is written later.
    pub(crate) is_current: bool,
    /// Milliseconds since [`START`]; zero for no deadline.
    deadline: Arc<AtomicU64>,
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

fn millis_since_start(moment: Instant) -> u64 {
    u64::try_from(moment.saturating_duration_since(*START).as_millis()).unwrap_or(u64::MAX)
}

impl Timed {
    pub(crate) fn new(mut connection: Connection) -> Result<Self> {
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
            is_current: true,
            deadline,
        })
    }

    /// A connection that does not see what is written later.
    pub(crate) fn of_a_moment(connection: Connection) -> Result<Self> {
        let mut timed = Self::new(connection)?;
        timed.is_current = false;
        Ok(timed)
    }

    pub(crate) fn set_deadline(&self, deadline: Option<Instant>) {
        let millis = deadline.map_or(0, |moment| millis_since_start(moment).max(1));
        self.deadline.store(millis, Ordering::Relaxed);
    }
}

/// How much of the file a connection keeps in memory, in KiB. The system keeps it too, for all
/// processes, so that a small cache costs little. The file is not mapped into memory: a process that
/// reads a mapped file is killed when another one cuts it off.
const WRITER_CACHE: u32 = 8_192;
const READER_CACHE: u32 = 8_192;

/// Opens the file for writing, creating it where there is none.
pub(crate) fn open(path: &Path) -> Result<Connection> {
    open_with(path, OpenFlags::SQLITE_OPEN_CREATE, WRITER_CACHE)
}

/// Opens the file for reading if there is one.
pub(crate) fn open_reader(path: &Path) -> Result<Connection> {
    open_with(path, OpenFlags::empty(), READER_CACHE)
}

/// Opens a file on a disk that cannot be written, where SQLite has no place for the index of its log.
/// Only for a database that was closed in order: what is in the log is not seen.
pub(crate) fn open_unchanging(path: &Path) -> Result<Connection> {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            // Everything else may have a meaning in an address.
            byte => {
                let _ = write!(uri, "%{byte:02x}");
            }
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri, flags).stored()?;
    prepare(&connection, READER_CACHE)?;
    Ok(connection)
}

/// Opens the file.
fn open_with(path: &Path, more: OpenFlags, cache: u32) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let mut connection = Connection::open_with_flags(path, flags).stored()?;
    connection.busy_handler(Some(wait_for_lock)).stored()?;
    prepare(&connection, cache)?;
    Ok(connection)
}

/// Sets what SQLite forgets between connections.
fn prepare(connection: &Connection, cache: u32) -> Result<()> {
    // Otherwise SQLite prepares a statement again each time a value is bound that could change its
    // plan, such as a LIMIT, and the planning takes longer than the reading.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .stored()?;
    connection
        .execute_batch(&format!(
            "PRAGMA synchronous = FULL; PRAGMA cache_size = -{cache}; PRAGMA trusted_schema = OFF;"
        ))
        .stored()?;
    connection.set_prepared_statement_cache_capacity(256);
    Ok(())
}

thread_local! {
    /// Until when this thread waits for locks, if a caller waits for it.
    static WAIT_UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Shortens the wait for locks on this thread while it lives.
pub(crate) struct Waiting {
    before: Option<Instant>,
}

pub(crate) fn wait_for_locks_until(deadline: Option<Instant>) -> Waiting {
    let before = WAIT_UNTIL.get();
    WAIT_UNTIL.set([before, deadline].into_iter().flatten().min());
    Waiting { before }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAIT_UNTIL.set(self.before);
    }
}

/// Sleeps briefly: a writer holds the lock for about a millisecond, and with SQLite's own waits of
/// up to 100 ms the database would be idle between writers.
fn wait_for_lock(tries: i32) -> bool {
    let pause = Duration::from_micros(match tries {
        0..=3 => 200,
        4..=15 => 500,
        _ => 2_000,
    });
    if WAIT_UNTIL
        .get()
        .is_some_and(|latest| Instant::now() >= latest)
    {
        return false;
    }
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
