//! Writes of several threads that wait for each other share one transaction: the disk is waited for
//! once for all of them, and none is answered before that.
//!
//! Whoever has the writer and sees that others wait leaves the transaction open for them. A write that
//! fails is taken back alone. The last one, or the one at which there are enough, commits for all.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use windlass_core::{Error, Result};

use crate::error::StorageContext as _;
use crate::readers::Holding;
use crate::store::{OpenWriter, Store};

/// The most writes that share a transaction, and how long it is left open: other processes wait for it.
const MOST: usize = 64;
const LONGEST: Duration = Duration::from_millis(100);

/// A transaction that is open while its last write has ended.
pub(crate) struct OpenTransaction {
    commit: Arc<Commit>,
    begun: Instant,
    writes: usize,
}

/// What became of a transaction, for all who wrote in it.
#[derive(Default)]
pub(crate) struct Commit {
    outcome: Mutex<Option<Result<()>>>,
    decided: Condvar,
}

impl Commit {
    fn decide(&self, outcome: Result<()>) {
        *self.lock() = Some(outcome);
        self.decided.notify_all();
    }

    /// Waits until the change is durable, or is known not to be.
    pub(crate) fn wait(&self) -> Result<()> {
        let undecided = |outcome: &mut Option<Result<()>>| outcome.is_none();
        let waited = self.decided.wait_while(self.lock(), undecided);
        let outcome = waited.unwrap_or_else(PoisonError::into_inner);
        outcome.clone().unwrap_or(Ok(()))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Result<()>>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many writes wait for the writer.
#[derive(Default)]
pub(crate) struct Waiting(AtomicUsize);

/// The writer, for one write. Dropping it commits, unless somebody else will.
pub(crate) struct Turn<'s> {
    store: &'s Store,
    place: MutexGuard<'s, Option<OpenWriter>>,
    _holding: Holding,
}

impl<'s> Turn<'s> {
    pub(crate) fn take(store: &'s Store) -> Self {
        let holding = Holding::begin();
        store.waiting.0.fetch_add(1, Ordering::SeqCst);
        let place = store.writer_place();
        store.waiting.0.fetch_sub(1, Ordering::SeqCst);
        Self {
            store,
            place,
            _holding: holding,
        }
    }

    /// Begins to write, in a transaction of its own or in one that is open.
    pub(crate) fn begin(&mut self, in_time: impl Fn() -> Result<()>) -> Result<Part<'_>> {
        let writer = self.store.opened(&mut self.place)?;
        in_time()?;
        let joins = writer.open_transaction.is_some();
        let begun = writer.connection.execute_batch(if joins {
            "SAVEPOINT part"
        } else {
            "BEGIN IMMEDIATE"
        });
        if begun.is_err() {
            // Whoever waited for the lock until the end is told that.
            in_time()?;
        }
        begun.stored()?;
        if !joins {
            self.store.check_begun(writer)?;
        }
        let part = Part {
            writer,
            joins,
            is_over: false,
        };
        in_time()?;
        Ok(part)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let Some(writer) = self.place.as_mut() else {
            return;
        };
        let others_come = self.store.waiting.0.load(Ordering::SeqCst) > 0;
        let has_room =
            |open: &OpenTransaction| open.writes < MOST && open.begun.elapsed() < LONGEST;
        if !others_come || !writer.open_transaction.as_ref().is_some_and(has_room) {
            self.store.commit(writer);
        }
    }
}

/// One write within a transaction. Dropping it takes it back.
pub(crate) struct Part<'w> {
    writer: &'w mut OpenWriter,
    joins: bool,
    is_over: bool,
}

impl Part<'_> {
    pub(crate) fn connection(&self) -> &Connection {
        &self.writer.connection
    }

    /// Keeps what was written. It is durable when the commit is.
    pub(crate) fn keep(mut self) -> Result<Arc<Commit>> {
        if self.joins {
            let connection = &self.writer.connection;
            connection.execute_batch("RELEASE part").stored()?;
        }
        self.is_over = true;
        let open = self
            .writer
            .open_transaction
            .get_or_insert_with(|| OpenTransaction {
                commit: Arc::default(),
                begun: Instant::now(),
                writes: 0,
            });
        open.writes += 1;
        Ok(Arc::clone(&open.commit))
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let connection = &self.writer.connection;
        if !self.joins {
            // SQLite may have taken it back by itself.
            let _ = connection.execute_batch("ROLLBACK");
            return;
        }
        let _ = connection.execute_batch("ROLLBACK TO part; RELEASE part");
        // A full disk, for example, takes the whole transaction back.
        if connection.is_autocommit()
            && let Some(open) = self.writer.open_transaction.take()
        {
            open.commit.decide(Err(Error::storage(
                "The database took back the transaction that this change was in",
            )
            .with_hint("Nothing was changed. The disk may be full.")));
        }
    }
}

impl Store {
    /// Commits what is open.
    pub(crate) fn commit(&self, writer: &mut OpenWriter) {
        let Some(open) = writer.open_transaction.take() else {
            return;
        };
        let committed = writer.connection.execute_batch("COMMIT").stored();
        if committed.is_err() {
            let _ = writer.connection.execute_batch("ROLLBACK");
        }
        // Files that were removed meanwhile have taken the change with them.
        let outcome = committed.and_then(|()| self.check_files(writer));
        open.commit.decide(outcome);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::path::Path;

    use windlass_core::{Actor, Origin, Timestamp};

    use super::*;
    use crate::journal::JournalKind;
    use crate::migrations::MIGRATIONS;
    use crate::writer::Writer;

    fn origin() -> Origin {
        Origin {
            actor: Actor::Agent,
            source: "test",
            session: "test".to_owned(),
            correlation_id: None,
        }
    }

    fn store(folder: &Path) -> Store {
        Store::open_with(&folder.join("windlass.db"), MIGRATIONS).expect("created")
    }

    fn note(writer: &Writer<'_>, text: &str) -> Result<()> {
        writer.append_journal(JournalKind::Progress, text, &Timestamp::now())?;
        Ok(())
    }

    fn write(store: &Store, text: &str) -> Result<()> {
        store.write(&origin(), |writer| note(writer, text))
    }

    /// The notes that another connection sees, sorted.
    fn notes(store: &Store) -> Vec<String> {
        let read = store.read(None, |reader| {
            let mut statement = reader
                .connection()
                .prepare("SELECT text FROM journal ORDER BY text")
                .stored()?;
            let rows = statement.query_map([], |row| row.get(0)).stored()?;
            rows.collect::<rusqlite::Result<_>>().stored()
        });
        read.expect("read")
    }

    /// Counts the commits of the writer.
    fn commits(store: &Store) -> Arc<AtomicUsize> {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let hooked = store.with_writer(|writer| {
            let count = move || {
                counted.fetch_add(1, Ordering::SeqCst);
                false
            };
            writer.connection.commit_hook(Some(count)).stored()
        });
        hooked.expect("hooked");
        count
    }

    /// Returns when so many writes wait.
    fn until_waiting(store: &Store, writes: usize) {
        while store.waiting.0.load(Ordering::SeqCst) < writes {
            std::thread::yield_now();
        }
    }

    /// Runs the writes while another one has the writer, so that they go on with its transaction.
    fn together(store: &Store, first: Result<()>, writes: &[&(dyn Fn() + Sync)]) {
        std::thread::scope(|threads| {
            let written = store.write(&origin(), |writer| {
                for write in writes {
                    threads.spawn(*write);
                }
                until_waiting(store, writes.len());
                note(writer, "first")?;
                first.clone()
            });
            assert_eq!(written, first);
        });
    }

    #[test]
    fn writes_that_wait_are_committed_at_once_and_fail_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store(folder.path());
        let commits = commits(&store);
        let refused = || Error::validation("text", "is refused");
        let failing = || {
            let failed = store.write(&origin(), |writer| {
                note(writer, "failed")?;
                Err::<(), _>(refused())
            });
            assert_eq!(failed, Err(refused()));
        };
        let panicking = || {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                store.write(&origin(), |writer| -> Result<()> {
                    note(writer, "panicked")?;
                    panic!("in a write");
                })
            }));
            assert!(panicked.is_err());
        };
        let late = || {
            let until = Some(Instant::now());
            let late = store.write_until(until, &origin(), |writer| note(writer, "late"));
            assert!(late.is_err());
        };
        let second = || {
            assert_eq!(write(&store, "second"), Ok(()));
            assert!(notes(&store).contains(&"second".to_owned()), "not durable");
        };
        let third = || assert_eq!(write(&store, "third"), Ok(()));
        together(
            &store,
            Ok(()),
            &[&failing, &second, &panicking, &late, &third],
        );
        assert_eq!(notes(&store), ["first", "second", "third"]);
        // One, unless the machine was very slow.
        assert!(commits.load(Ordering::SeqCst) < 3, "not shared");
        // A first write that fails leaves nothing open.
        together(
            &store,
            Err(refused()),
            &[&|| {
                assert_eq!(write(&store, "fourth"), Ok(()));
            }],
        );
        assert_eq!(notes(&store), ["first", "fourth", "second", "third"]);
    }

    #[test]
    fn whoever_needs_the_writer_for_something_else_finds_no_open_transaction() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store(folder.path());
        let written = AtomicUsize::new(0);
        let writing = || {
            for _ in 0..50 {
                let number = written.fetch_add(1, Ordering::SeqCst);
                assert_eq!(write(&store, &format!("note {number}")), Ok(()));
            }
        };
        let between = || {
            for _ in 0..50 {
                let is_free = store.with_writer(|writer| Ok(writer.connection.is_autocommit()));
                assert_eq!(is_free, Ok(true));
            }
        };
        together(&store, Ok(()), &[&writing, &writing]);
        std::thread::scope(|threads| {
            for work in [&writing as &(dyn Fn() + Sync), &between, &writing, &between] {
                threads.spawn(work);
            }
        });
        assert_eq!(notes(&store).len(), 201);
    }

    #[test]
    fn a_transaction_that_the_database_takes_back_is_an_error_for_all_in_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store(folder.path());
        let breaking = || {
            let broken = store.write(&origin(), |writer| {
                note(writer, "breaks")?;
                // As a full disk does.
                writer.connection().execute_batch("ROLLBACK").stored()
            });
            assert!(broken.is_err());
        };
        std::thread::scope(|threads| {
            let first = store.write(&origin(), |writer| {
                threads.spawn(breaking);
                until_waiting(&store, 1);
                note(writer, "first")
            });
            assert!(first.is_err(), "{first:?}");
        });
        assert_eq!(notes(&store), [""; 0]);
        assert_eq!(write(&store, "later"), Ok(()));
        assert_eq!(notes(&store), ["later"]);
    }
}
