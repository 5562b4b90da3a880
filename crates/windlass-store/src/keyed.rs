//! Calls with an idempotency key: whoever repeats one gets the first result, and nothing is done
//! twice.
//!
//! A call that only changes the state runs as a whole in one transaction, which stores its result too:
//! there is no moment at which the change is stored and the result is not. Whatever the call reads
//! and writes on its thread goes through that transaction. A call that also does something else is put
//! on record before it begins, and its result when it has ended.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use rusqlite::{Connection, OptionalExtension as _};
use windlass_core::{Error, Origin, Result, Timestamp};

use crate::connection;
use crate::damage;
use crate::error::StorageContext as _;
use crate::migrations;
use crate::readers::Holding;
use crate::store::{OpenWriter, Store, too_late};
use crate::writer::Writer;

/// How long results are kept, in milliseconds, and how many at most.
const KEPT_FOR: i64 = 24 * 60 * 60 * 1_000;
const MOST_KEPT: i64 = 10_000;

/// A call with a key.
#[derive(Debug, Clone)]
pub struct KeyedCall {
    /// The kind of caller that may have the result.
    pub caller: String,
    pub key: String,
    pub operation: String,
    /// A digest of the arguments.
    pub arguments: String,
    /// The process that makes the call, as JSON.
    pub owner: String,
}

/// What is known about an earlier call with the same key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EarlierCall {
    /// It has ended, with this result.
    Ended(String),
    /// It has begun, in this process, at this time.
    Begun { owner: String, at: Timestamp },
    /// The key was used for another operation, or for other arguments.
    Other { operation: String },
}

/// The result of a call with a key.
#[derive(Debug)]
pub enum Keyed<T> {
    First(T),
    Earlier(EarlierCall),
}

thread_local! {
    /// The transaction of the call that runs on this thread.
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

struct Current {
    /// The address of its store, to tell it from others.
    store: usize,
    writer: Rc<OpenWriter>,
}

/// The call that runs on this thread, as long as this lives.
struct Running;

impl Running {
    fn begin(store: &Store, writer: Rc<OpenWriter>) -> Self {
        let store = std::ptr::from_ref(store).addr();
        CURRENT.set(Some(Current { store, writer }));
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        CURRENT.set(None);
    }
}

/// Whether this thread runs a call whose parts must stay on it.
pub fn is_in_keyed_call() -> bool {
    CURRENT.with_borrow(Option::is_some)
}

impl Store {
    /// The connection of the call that runs on this thread.
    pub(crate) fn current_call(&self) -> Option<Rc<OpenWriter>> {
        CURRENT.with_borrow(|current| {
            let current = current.as_ref()?;
            let is_here = current.store == std::ptr::from_ref(self).addr();
            is_here.then(|| Rc::clone(&current.writer))
        })
    }

    /// A write that is a part of the call that runs on this thread.
    pub(crate) fn write_part<T>(
        &self,
        writer: &OpenWriter,
        origin: &Origin,
        work: impl FnOnce(&Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        let connection = &writer.connection;
        let peer = self.peer(connection)?;
        let part = Writer::new(connection, origin, peer, &self.process);
        part.attempt(|part| {
            let result = work(part)?;
            part.flush_carried()?;
            Ok(result)
        })?
    }

    /// Runs a call in one transaction with its result. `work` returns the result and its stored form;
    /// it may read and write as often as it needs, on this thread only.
    pub fn keyed<T>(
        &self,
        deadline: Option<Instant>,
        call: &KeyedCall,
        work: impl FnOnce() -> Result<(T, String)>,
    ) -> Result<Keyed<T>> {
        self.check_trusted()?;
        if is_in_keyed_call() {
            return Err(Error::internal("a call with a key within another one"));
        }
        damage::refuse(self.path())?;
        let _waiting = connection::wait_for_locks_until(deadline);
        let _holding = Holding::begin();
        let mut place = self.writer_place();
        self.commit(self.opened(&mut place)?);
        let writer = match place.take() {
            Some(writer) => Rc::new(writer),
            None => Rc::new(self.open_writer()?),
        };
        let running = Running::begin(self, Rc::clone(&writer));
        let result = self.in_one_transaction(deadline, &writer, call, work);
        drop(running);
        // After a panic the connection is closed instead, which takes everything back.
        if let Some(writer) = Rc::into_inner(writer) {
            *place = Some(writer);
        }
        drop(place);
        match &result {
            Ok(_) => self.committed(),
            Err(error) => damage::note_error(self.path(), error),
        }
        result
    }

    fn in_one_transaction<T>(
        &self,
        deadline: Option<Instant>,
        writer: &OpenWriter,
        call: &KeyedCall,
        work: impl FnOnce() -> Result<(T, String)>,
    ) -> Result<Keyed<T>> {
        let connection = &writer.connection;
        let in_time = || match deadline {
            Some(deadline) if Instant::now() >= deadline => Err(too_late()),
            _ => Ok(()),
        };
        if let Err(problem) = connection.execute_batch("BEGIN IMMEDIATE") {
            // Whoever waited for the lock until the end is told that.
            in_time()?;
            return Err(problem).stored();
        }
        let done = (|| {
            in_time()?;
            migrations::check_not_newer(migrations::version(connection)?, self.migrations())?;
            self.check_files(writer)?;
            if let Some(earlier) = earlier_call(connection, call)? {
                return Ok(Keyed::Earlier(earlier));
            }
            let (value, result) = work()?;
            keep(connection, call, Some(&result))?;
            in_time()?;
            Ok(Keyed::First(value))
        })();
        match done {
            Ok(done) => {
                connection.execute_batch("COMMIT").stored()?;
                self.check_files(writer)?;
                Ok(done)
            }
            Err(error) => {
                // SQLite may have taken it back by itself.
                let _ = connection.execute_batch("ROLLBACK");
                Err(error)
            }
        }
    }

    /// Puts a call on record that does more than change the state. Returns what is known about it, if
    /// it is not the first.
    pub fn begin_keyed(&self, origin: &Origin, call: &KeyedCall) -> Result<Option<EarlierCall>> {
        self.write(origin, |writer| {
            let connection = writer.connection();
            let earlier = earlier_call(connection, call)?;
            if earlier.is_none() {
                keep(connection, call, None)?;
            }
            Ok(earlier)
        })
    }

    /// Puts its result on record; without one the key is free again.
    pub fn end_keyed(&self, origin: &Origin, call: &KeyedCall, result: Option<&str>) -> Result<()> {
        self.write(origin, |writer| {
            let connection = writer.connection();
            if let Some(result) = result {
                return keep(connection, call, Some(result));
            }
            connection
                .execute(
                    "DELETE FROM keyed_calls WHERE caller = ?1 AND key = ?2",
                    (&call.caller, &call.key),
                )
                .stored()?;
            Ok(())
        })
    }
}

fn earlier_call(connection: &Connection, call: &KeyedCall) -> Result<Option<EarlierCall>> {
    let oldest = Timestamp::now().as_millis().saturating_sub(KEPT_FOR);
    let found: Option<(String, String, i64, String, Option<String>)> = connection
        .prepare_cached(
            "SELECT operation, arguments, at, owner, result FROM keyed_calls
             WHERE caller = ?1 AND key = ?2 AND at > ?3",
        )
        .and_then(|mut statement| {
            statement
                .query_row((&call.caller, &call.key, oldest), |row| {
                    Ok((
                        row.get(0)?,
                        row.get(1)?,
                        row.get(2)?,
                        row.get(3)?,
                        row.get(4)?,
                    ))
                })
                .optional()
        })
        .stored()?;
    Ok(found.map(|(operation, arguments, at, owner, result)| {
        if operation != call.operation || arguments != call.arguments {
            return EarlierCall::Other { operation };
        }
        match result {
            Some(result) => EarlierCall::Ended(result),
            None => EarlierCall::Begun {
                owner,
                at: Timestamp::from_millis(at),
            },
        }
    }))
}

fn keep(connection: &Connection, call: &KeyedCall, result: Option<&str>) -> Result<()> {
    let now = Timestamp::now().as_millis();
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO keyed_calls (caller, key, operation, arguments, at, owner, result)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )
        .and_then(|mut statement| {
            statement.execute((
                &call.caller,
                &call.key,
                &call.operation,
                &call.arguments,
                now,
                &call.owner,
                result,
            ))
        })
        .stored()?;
    connection
        .prepare_cached(
            "DELETE FROM keyed_calls WHERE at <= ?1
                 OR at < (SELECT at FROM keyed_calls ORDER BY at DESC LIMIT 1 OFFSET ?2)",
        )
        .and_then(|mut statement| statement.execute((now - KEPT_FOR, MOST_KEPT)))
        .stored()?;
    Ok(())
}
