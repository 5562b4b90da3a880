//! The read connections of one process: few, shared in turn, and closed when they are not needed.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use windlass_core::{Error, ErrorKind, Result};

use crate::connection::{self, Timed};
use crate::error::StorageContext as _;
use crate::files;
use crate::migrations;
use crate::rescue;
use crate::turns::{Asked, Turn, Turns};

/// Reads take the processor, not the disk, so that more connections than cores would only take
/// memory. A few more than two cores, so that two slow searches do not stop everything else.
const FEWEST: usize = 4;
const MOST: usize = 16;
/// How many unused connections are kept open. The others of a burst are closed after it.
const KEPT: usize = 2;
/// How often the version of the database is looked at again: a newer program may have upgraded it, and
/// what this one reads would then mean something else.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a caller without a deadline waits for its turn.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

thread_local! {
    /// How many connections of any store this thread holds. Who holds one does not wait for another:
    /// a few such callers would wait for each other.
    static HELD: Cell<u32> = const { Cell::new(0) };
}

/// How many connections there may be on this machine. Asking the system takes a dozen calls.
fn most() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    let ask = || std::thread::available_parallelism().map_or(FEWEST, usize::from);
    (*CORES.get_or_init(ask)).clamp(FEWEST, MOST)
}

/// This thread holds a connection as long as this lives.
pub(crate) struct Holding(());

impl Holding {
    pub(crate) fn begin() -> Self {
        HELD.set(HELD.get() + 1);
        Self(())
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        HELD.set(HELD.get().saturating_sub(1));
    }
}

pub(crate) struct Readers {
    path: PathBuf,
    migrations: &'static [&'static str],
    turns: Turns<Timed>,
    /// When a connection that was kept had a version that this program knows.
    looked: Mutex<Instant>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, migrations: &'static [&'static str]) -> Self {
        Self {
            path,
            migrations,
            turns: Turns::new(FEWEST, most, KEPT),
            looked: Mutex::new(Instant::now()),
        }
    }

    pub(crate) fn with<T>(
        &self,
        deadline: Option<Instant>,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        if HELD.get() > 0 {
            let extra = self.open()?;
            extra.set_deadline(deadline);
            let _holding = Holding::begin();
            return work(&extra.connection);
        }
        let mut lent = self.borrow(deadline)?;
        let Some(reader) = &lent.reader else {
            return Err(Error::internal("a lent connection is missing"));
        };
        reader.set_deadline(deadline);
        let result = {
            let _holding = Holding::begin();
            work(&reader.connection)
        };
        reader.set_deadline(None);
        lent.is_intact = true;
        result
    }

    fn borrow(&self, deadline: Option<Instant>) -> Result<Lent<'_>> {
        let turn = self.turn(deadline)?;
        // From here on the place in the pool is given up when `lent` is dropped.
        let mut lent = Lent {
            readers: self,
            reader: None,
            is_intact: false,
        };
        lent.reader = Some(match turn {
            Turn::Use(reader) => {
                self.look_again(&reader.connection)?;
                reader
            }
            Turn::Open => self.open()?,
        });
        Ok(lent)
    }

    /// Refuses a database that was upgraded since its connection was opened.
    fn look_again(&self, connection: &Connection) -> Result<()> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.elapsed() >= LOOK_EVERY {
            migrations::check_not_newer(migrations::version(connection)?, self.migrations)?;
            *looked = Instant::now();
        }
        Ok(())
    }

    fn turn(&self, deadline: Option<Instant>) -> Result<Turn<Timed>> {
        let waiter = match self.turns.ask() {
            Asked::Now(turn) => return Ok(turn),
            Asked::Later(waiter) => waiter,
        };
        let latest = deadline.unwrap_or_else(|| Instant::now() + LONGEST_WAIT);
        let left = latest.saturating_duration_since(Instant::now());
        if let Some(turn) = waiter.wait(left) {
            return Ok(turn);
        }
        self.turns.give_up(&waiter);
        Err(Error::new(
            ErrorKind::RequestTimeout,
            "Too many requests at once: the time was over before it was this one's turn",
        )
        .with_hint("Nothing was read. Try again, with fewer requests at the same time."))
    }

    /// A database older than this binary is read from a migrated copy in memory: reading never
    /// changes the file, so that older binaries can still use it.
    fn open(&self) -> Result<Timed> {
        let Readable {
            connection,
            version,
            is_current,
        } = open_readable(&self.path)?;
        migrations::check_not_newer(version, self.migrations)?;
        if version == migrations::newest(self.migrations) {
            return if is_current {
                Timed::new(connection)
            } else {
                Timed::of_a_moment(connection)
            };
        }
        let mut copy = Connection::open_in_memory().stored()?;
        rescue::copy_into(&connection, &mut copy)?;
        // Checked on the copy: another process may have created or upgraded the file meanwhile.
        let copied = migrations::version(&copy)?;
        migrations::check_not_newer(copied, self.migrations)?;
        if copied < migrations::newest(self.migrations) {
            migrations::migrate(&copy, copied, self.migrations)?;
        }
        Timed::of_a_moment(copy)
    }
}

/// A connection that only reads, and what was found.
pub(crate) struct Readable {
    pub(crate) connection: Connection,
    pub(crate) version: i64,
    /// Whether it sees what is written later.
    is_current: bool,
}

/// Opens a database for reading, also on a disk that cannot be written if it was closed in order.
pub(crate) fn open_readable(path: &Path) -> Result<Readable> {
    let of = |connection: Connection, is_current| {
        let version = migrations::version(&connection)?;
        Ok(Readable {
            connection,
            version,
            is_current,
        })
    };
    match connection::open_reader(path).and_then(|connection| of(connection, true)) {
        Err(_) if files::is_on_a_read_only_disk(path) && files::is_closed(path) => {
            of(connection::open_unchanging(path)?, false)
        }
        opened => opened,
    }
}

/// A connection of the pool while it is used, or its place while it is opened.
struct Lent<'r> {
    readers: &'r Readers,
    reader: Option<Timed>,
    /// Whether the work on it has come to its end. One that panicked may be in any state.
    is_intact: bool,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // A migrated copy of an older database, for example, is outdated after the next write.
        let reader = self.reader.take();
        let reader = reader.filter(|reader| self.is_intact && reader.is_current);
        self.readers.turns.pass_on(reader);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const SCHEMA: &[&str] = &["CREATE TABLE t (x)"];

    fn readers(folder: &tempfile::TempDir) -> Readers {
        let path = folder.path().join("some.db");
        let connection = Connection::open(&path).expect("created");
        migrations::migrate(&connection, 0, SCHEMA).expect("migrated");
        Readers::new(path, SCHEMA)
    }

    fn open(readers: &Readers) -> usize {
        readers.turns.open()
    }

    #[test]
    fn connections_are_bounded_and_most_are_closed_after_a_burst() {
        let folder = tempfile::tempdir().expect("a folder");
        let readers = readers(&folder);
        let (at_once, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..64 {
                scope.spawn(|| {
                    let read = readers.with(None, |_| {
                        most.fetch_max(
                            at_once.fetch_add(1, Ordering::SeqCst) + 1,
                            Ordering::SeqCst,
                        );
                        std::thread::sleep(Duration::from_millis(2));
                        at_once.fetch_sub(1, Ordering::SeqCst);
                        Ok(())
                    });
                    read.expect("read");
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= readers.turns.most());
        assert!(open(&readers) <= KEPT, "{} are open", open(&readers));
    }

    #[test]
    fn a_database_that_was_upgraded_is_soon_not_read_any_more() {
        let folder = tempfile::tempdir().expect("a folder");
        let readers = readers(&folder);
        readers.with(None, |_| Ok(())).expect("read");
        assert_eq!(open(&readers), 1, "the connection is kept");
        let other = Connection::open(&readers.path).expect("opened");
        other
            .pragma_update(None, "user_version", 2)
            .expect("upgraded");
        let begin = Instant::now();
        let refused = loop {
            match readers.with(None, |_| Ok(())) {
                Ok(()) => assert!(begin.elapsed() < Duration::from_secs(20), "still read"),
                Err(error) => break error,
            }
        };
        assert_eq!(refused.kind(), ErrorKind::DatabaseTooNew);
        let again = readers.with(None, |_| Ok(())).unwrap_err();
        assert_eq!(again.kind(), ErrorKind::DatabaseTooNew);
    }

    #[test]
    fn who_holds_a_connection_does_not_wait_for_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let readers = readers(&folder);
        let all = Barrier::new(readers.turns.most());
        std::thread::scope(|scope| {
            for _ in 0..readers.turns.most() {
                scope.spawn(|| {
                    let soon = Some(Instant::now() + Duration::from_secs(30));
                    let read = readers.with(soon, |_| {
                        all.wait();
                        readers.with(soon, |_| Ok(()))
                    });
                    read.expect("read");
                });
            }
        });
    }

    #[test]
    fn who_waits_too_long_is_told_and_the_others_are_served() {
        let folder = tempfile::tempdir().expect("a folder");
        let readers = readers(&folder);
        let (all, done) = (
            Barrier::new(readers.turns.most() + 1),
            Barrier::new(readers.turns.most() + 1),
        );
        std::thread::scope(|scope| {
            for _ in 0..readers.turns.most() {
                scope.spawn(|| {
                    let read = readers.with(None, |_| {
                        all.wait();
                        done.wait();
                        Ok(())
                    });
                    read.expect("read");
                });
            }
            all.wait();
            let soon = Some(Instant::now() + Duration::from_millis(20));
            let late = readers.with(soon, |_| Ok(())).expect_err("too late");
            assert_eq!(late.kind(), ErrorKind::RequestTimeout);
            let patient = scope.spawn(|| readers.with(None, |_| Ok(())));
            done.wait();
            patient.join().expect("ended").expect("read");
        });
        assert_eq!(readers.turns.waiting(), 0);
    }

    #[test]
    fn a_panic_and_a_failed_opening_free_their_places() {
        let folder = tempfile::tempdir().expect("a folder");
        let readers = readers(&folder);
        for _ in 0..=readers.turns.most() {
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                readers.with(None, |_| -> Result<()> { panic!("here") })
            }));
            assert!(panicked.is_err());
        }
        assert_eq!(open(&readers), 0);
        std::fs::remove_file(folder.path().join("some.db")).expect("removed");
        for _ in 0..=readers.turns.most() {
            readers.with(None, |_| Ok(())).expect_err("no file");
        }
        assert_eq!(open(&readers), 0);
    }
}
