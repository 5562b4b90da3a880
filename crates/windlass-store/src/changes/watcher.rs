//! The one thread of a store that notices the commits of other processes.
//!
//! A write to the write-ahead log wakes it. That comes too early: SQLite writes the log, waits for
//! the disk and only then makes the commit visible, in shared memory, of which the system reports
//! nothing. So the thread asks SQLite again after a write, in growing steps, until it sees the
//! commit: the notification is late by at most half the time that the commit took.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;
use windlass_core::{Error, Result};

use super::Changes;
use super::hub::{Hub, Probe, Unknown};
use crate::connection;
use crate::error::StorageContext as _;
use crate::os::{FileEvents, WaitEnd};

/// How often SQLite is asked where the system reports no writes.
const TICK: Duration = Duration::from_millis(250);
/// How often it is asked although the system reports writes: a few file systems report not all.
const SAFETY_TICK: Duration = Duration::from_secs(1);
/// A commit is several writes. They are gathered for this long.
const GATHER: Duration = Duration::from_micros(200);
/// The first and the longest pause after a write whose commit is not visible yet.
const FIRST_PAUSE: Duration = Duration::from_micros(400);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

pub(crate) struct Watcher {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Ends the thread's wait, where it waits for the system.
    waker: Option<WaitEnd>,
}

impl Watcher {
    /// Starts the thread. Panics where the system gives none, as [`std::thread::spawn`] does.
    pub(crate) fn start(database: &Path) -> Self {
        let shared = Arc::new(Shared::new(database));
        let (events, waker) = FileEvents::of(database).unzip();
        let watching = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("windlass-watch".into())
            .spawn(move || watching.watch(events))
            .unwrap_or_else(|problem| panic!("cannot start a thread: {problem}"));
        Self {
            shared,
            thread: Some(thread),
            waker,
        }
    }

    pub(crate) fn changes(&self) -> Changes {
        Changes::new(Arc::clone(&self.shared.hub.board))
    }

    /// This process has committed: whoever waits is woken now, and not a second time by the thread.
    pub(crate) fn committed(&self) {
        self.shared.hub.look(Unknown::IsAChange);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.stop();
        if let Some(waker) = &self.waker {
            waker.end_wait();
        }
        let Some(thread) = self.thread.take() else {
            return;
        };
        // A task that the thread wakes may hold the last reference to the store.
        if thread.thread().id() != std::thread::current().id() {
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

struct Shared {
    hub: Hub<DataVersion>,
    stopped: Mutex<bool>,
    stopping: Condvar,
}

impl Shared {
    fn new(database: &Path) -> Self {
        Self {
            hub: Hub::new(DataVersion {
                database: database.to_owned(),
                connection: None,
                version: None,
            }),
            stopped: Mutex::new(false),
            stopping: Condvar::new(),
        }
    }

    fn watch(&self, mut events: Option<FileEvents>) {
        let mut pace = Pace::new(if events.is_some() { SAFETY_TICK } else { TICK });
        self.hub.look(Unknown::IsNothing);
        loop {
            let written = if let Some(events) = &mut events {
                events.wait(pace.pause()) && {
                    std::thread::sleep(GATHER);
                    events.take_writes()
                }
            } else {
                self.wait_for_stop(pace.pause());
                false
            };
            if self.is_stopped() {
                return;
            }
            self.hub.look(Unknown::IsNothing);
            pace.looked(written, self.hub.board.generation());
        }
    }

    fn stop(&self) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stopping.notify_all();
    }

    fn is_stopped(&self) -> bool {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for_stop(&self, timeout: Duration) {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        drop(
            self.stopping
                .wait_timeout_while(stopped, timeout, |stopped| !*stopped),
        );
    }
}

/// A connection that is only asked whether others have committed.
struct DataVersion {
    database: PathBuf,
    connection: Option<Connection>,
    /// What SQLite said last. It is comparable on one connection only.
    version: Option<i64>,
}

impl Probe for DataVersion {
    type Error = Error;

    /// The first answer of a connection counts as a change, because nothing is known about the time
    /// before it.
    fn changed(&mut self) -> Result<bool> {
        let version = self.ask().inspect_err(|_| {
            self.connection = None;
            self.version = None;
        })?;
        Ok(self.version.replace(version) != Some(version))
    }
}

impl DataVersion {
    fn ask(&mut self) -> Result<i64> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(connection::open_reader(&self.database)?),
        };
        connection
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .stored()
    }
}

/// How long to wait until SQLite is asked next.
struct Pace {
    idle: Duration,
    /// After a write whose commit may still become visible: the pause, and the generation then.
    expecting: Option<(Duration, u64)>,
}

impl Pace {
    fn new(idle: Duration) -> Self {
        Self {
            idle,
            expecting: None,
        }
    }

    fn pause(&self) -> Duration {
        self.expecting.map_or(self.idle, |(pause, _)| pause)
    }

    /// SQLite was asked, after a write or because the pause was over. There is one writer at a time:
    /// the first commit that becomes visible after a write was noticed is the one of that write.
    fn looked(&mut self, written: bool, generation: u64) {
        self.expecting = match self.expecting {
            _ if written => Some((FIRST_PAUSE, generation)),
            Some((pause, before)) if before == generation && pause < LONGEST_PAUSE => {
                Some((pause * 3 / 2, before))
            }
            _ => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_followed_until_its_commit_is_visible() {
        let mut pace = Pace::new(SAFETY_TICK);
        pace.looked(false, 7);
        assert_eq!(pace.pause(), SAFETY_TICK);
        pace.looked(true, 7);
        assert_eq!(pace.pause(), FIRST_PAUSE);
        pace.looked(false, 7);
        assert_eq!(pace.pause(), FIRST_PAUSE * 3 / 2);
        pace.looked(false, 8);
        assert_eq!(pace.pause(), SAFETY_TICK);
    }

    #[test]
    fn a_write_without_a_commit_is_given_up() {
        let mut pace = Pace::new(SAFETY_TICK);
        pace.looked(true, 7);
        let (mut looks, mut waited) = (0, Duration::ZERO);
        while pace.pause() != SAFETY_TICK {
            waited += pace.pause();
            looks += 1;
            pace.looked(false, 7);
        }
        assert!(waited > SAFETY_TICK, "then the tick is as good: {waited:?}");
        assert!(looks < 25, "{looks} looks");
    }

    /// Without events of the system, as on systems that have none.
    #[test]
    fn the_tick_alone_notices_commits() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("some.db");
        let other = Connection::open(&path).expect("opened");
        other
            .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x);")
            .expect("made");
        let shared = Arc::new(Shared::new(&path));
        let mut changes = Changes::new(Arc::clone(&shared.hub.board));
        let watching = Arc::clone(&shared);
        let thread = std::thread::spawn(move || watching.watch(None));
        while changes.wait(TICK * 2) {}
        other
            .execute_batch("INSERT INTO t VALUES (1)")
            .expect("stored");
        assert!(changes.wait(Duration::from_secs(10)));
        shared.stop();
        thread.join().expect("ended");
    }

    #[test]
    fn a_database_that_cannot_be_asked_is_asked_again_and_counts_as_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("some.db");
        let shared = Shared::new(&path);
        shared.hub.look(Unknown::IsNothing);
        assert_eq!(shared.hub.board.generation(), 0);
        assert!(!path.exists(), "looking makes no database");
        shared.hub.look(Unknown::IsAChange);
        assert_eq!(shared.hub.board.generation(), 1);
        Connection::open(&path)
            .and_then(|it| it.execute_batch("CREATE TABLE t (x)"))
            .expect("made");
        shared.hub.look(Unknown::IsNothing);
        assert_eq!(shared.hub.board.generation(), 2);
        shared.hub.look(Unknown::IsNothing);
        assert_eq!(shared.hub.board.generation(), 2);
    }
}
