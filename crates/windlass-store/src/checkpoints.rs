//! When the write-ahead log is copied into the database. SQLite does so at the end of a write that
//! leaves a long log, and the caller of that write waits for the disk twice more. A server does it
//! beside its writes.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::hooks::Wal;
use windlass_core::{Error, Result};

use crate::error::StorageContext as _;
use crate::readers::Readers;

/// A log of so many pages is copied, as is SQLite's default.
const LONG: i32 = 1_000;
/// One of so many is copied by the write itself, wherever the thread is: most of it was copied before.
const TOO_LONG: i32 = 4_000;

/// Whoever made it long may have more to write to the disk, such as the file of a pack, and should not
/// wait for the copy.
const SETTLE: Duration = Duration::from_millis(10);

/// Copies the log of one store.
#[derive(Default)]
pub(crate) struct Checkpoints {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    has_thread: bool,
    is_wanted: bool,
    is_over: bool,
}

impl Checkpoints {
    /// From now on a thread copies the log.
    pub(crate) fn begin_thread(&self, readers: Arc<Readers>) -> Result<()> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_some() {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let started = std::thread::Builder::new()
            .name("windlass-log".into())
            .spawn(move || shared.serve(&readers));
        let started =
            started.map_err(|problem| Error::internal(format!("cannot start: {problem}")))?;
        *thread = Some(started);
        self.shared.state().has_thread = true;
        Ok(())
    }

    /// Asks for it after every write of this connection that leaves a long log.
    pub(crate) fn follow(&self, connection: &mut Connection) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let committed = move |log: &mut Wal, pages| {
            if pages >= TOO_LONG || pages >= LONG && !shared.ask() {
                // What is not copied now is copied later.
                let _ = log.checkpoint();
            }
            Ok(())
        };
        connection.wal_hook(Some(committed)).stored()
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        self.shared.changed.notify_all();
        let thread = self.thread.get_mut();
        if let Some(thread) = thread.unwrap_or_else(PoisonError::into_inner).take() {
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether there is a thread that will do it.
    fn ask(&self) -> bool {
        let mut state = self.state();
        state.is_wanted = true;
        self.changed.notify_all();
        state.has_thread
    }

    fn serve(&self, readers: &Readers) {
        loop {
            let waiting = |state: &mut State| !state.is_wanted && !state.is_over;
            let state = self.changed.wait_while(self.state(), waiting);
            let mut state = state.unwrap_or_else(PoisonError::into_inner);
            if state.is_over {
                return;
            }
            let settling = self
                .changed
                .wait_timeout_while(state, SETTLE, |state| !state.is_over);
            (state, _) = settling.unwrap_or_else(PoisonError::into_inner);
            state.is_wanted = false;
            drop(state);
            // Whoever writes or reads is not stopped by it, and what is not copied now is copied later.
            let _ = readers.with(None, |connection| {
                connection
                    .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
                    .stored()
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Instant;

    use super::*;
    use crate::connection;
    use crate::migrations::MIGRATIONS;
    use crate::store::Store;

    /// Leaves a log of more pages than are left alone.
    fn write_much(checkpoints: &Checkpoints, path: &Path) -> Connection {
        let mut connection = connection::open(path).expect("opened");
        checkpoints.follow(&mut connection).expect("followed");
        connection
            .execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(6000000));")
            .expect("written");
        connection
    }

    fn length(path: &Path) -> u64 {
        path.metadata().expect("there").len()
    }

    fn database(folder: &tempfile::TempDir) -> std::path::PathBuf {
        let path = folder.path().join("windlass.db");
        drop(Store::open_with(&path, MIGRATIONS).expect("created"));
        path
    }

    #[test]
    fn a_write_copies_a_long_log_where_nobody_else_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = database(&folder);
        let _open = write_much(&Checkpoints::default(), &path);
        assert!(length(&path) > 6_000_000);
    }

    #[test]
    fn a_thread_copies_it_beside_the_writes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = database(&folder);
        let checkpoints = Checkpoints::default();
        let readers = Arc::new(Readers::new(path.clone(), MIGRATIONS));
        // It is asked before it runs.
        checkpoints.shared.state().has_thread = true;
        let _open = write_much(&checkpoints, &path);
        assert!(length(&path) < 6_000_000, "the write did it");
        checkpoints.begin_thread(readers).expect("started");
        let begin = Instant::now();
        while length(&path) < 6_000_000 {
            assert!(begin.elapsed() < Duration::from_secs(20), "nobody did it");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
