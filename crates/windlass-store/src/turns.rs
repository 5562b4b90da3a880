//! A few things that many callers use in turn: who asked first gets one first. What is not needed any
//! more is closed, but for a few.
//!
//! The tests of interleavings compile this file a second time with other locks.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::time::Duration;

use super::locks::{Arc, Condvar, Mutex, MutexGuard};

pub(crate) struct Turns<T> {
    fewest: usize,
    most: fn() -> usize,
    kept: usize,
    pool: Mutex<Pool<T>>,
}

struct Pool<T> {
    idle: Vec<T>,
    /// How many there are, lent and idle, and those that are being opened.
    open: usize,
    waiting: VecDeque<Arc<Waiter<T>>>,
}

/// A caller that waits for its turn.
pub(crate) struct Waiter<T> {
    turn: Mutex<Option<Turn<T>>>,
    ready: Condvar,
}

pub(crate) enum Turn<T> {
    Use(T),
    /// There is room for one more.
    Open,
}

pub(crate) enum Asked<T> {
    Now(Turn<T>),
    Later(Arc<Waiter<T>>),
}

impl<T> Turns<T> {
    /// At most so many at once, and so many that stay open without being used. Nobody asks for the
    /// most before `fewest` are open: most processes never have as many.
    pub(crate) fn new(fewest: usize, most: fn() -> usize, kept: usize) -> Self {
        Self {
            fewest,
            most,
            kept,
            pool: Mutex::new(Pool {
                idle: Vec::new(),
                open: 0,
                waiting: VecDeque::new(),
            }),
        }
    }

    /// Whoever gets a turn gives it back by [`Turns::pass_on`].
    pub(crate) fn ask(&self) -> Asked<T> {
        let mut pool = self.pool();
        if pool.waiting.is_empty() {
            if let Some(idle) = pool.idle.pop() {
                return Asked::Now(Turn::Use(idle));
            }
            if pool.open < self.fewest || pool.open < (self.most)() {
                pool.open += 1;
                return Asked::Now(Turn::Open);
            }
        }
        let waiter = Arc::new(Waiter {
            turn: Mutex::new(None),
            ready: Condvar::new(),
        });
        pool.waiting.push_back(Arc::clone(&waiter));
        Asked::Later(waiter)
    }

    /// Whoever has waited too long leaves the queue. Its turn may have come in the meantime: then the
    /// next one gets it.
    pub(crate) fn give_up(&self, waiter: &Arc<Waiter<T>>) {
        self.pool()
            .waiting
            .retain(|other| !Arc::ptr_eq(other, waiter));
        // A turn is given under the lock of the pool, so that none can come from here on.
        match waiter.take() {
            Some(Turn::Use(one)) => self.pass_on(Some(one)),
            Some(Turn::Open) => self.pass_on(None),
            None => {}
        }
    }

    /// Gives one, or the place of one that is gone, to whoever waits longest.
    pub(crate) fn pass_on(&self, one: Option<T>) {
        let mut pool = self.pool();
        if let Some(next) = pool.waiting.pop_front() {
            next.give(one.map_or(Turn::Open, Turn::Use));
            return;
        }
        match one {
            Some(one) if pool.idle.len() < self.kept => pool.idle.push(one),
            closed => {
                pool.open = pool.open.saturating_sub(1);
                // Closing takes longer than the others should wait.
                drop(pool);
                drop(closed);
            }
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool<T>> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl<T> Turns<T> {
    pub(crate) fn most(&self) -> usize {
        (self.most)()
    }

    pub(crate) fn open(&self) -> usize {
        self.pool().open
    }

    pub(crate) fn waiting(&self) -> usize {
        self.pool().waiting.len()
    }
}

impl<T> Waiter<T> {
    fn give(&self, turn: Turn<T>) {
        *self.lock() = Some(turn);
        self.ready.notify_one();
    }

    fn take(&self) -> Option<Turn<T>> {
        self.lock().take()
    }

    /// The turn, if it comes in time.
    pub(crate) fn wait(&self, time: Duration) -> Option<Turn<T>> {
        let (mut turn, _) = self
            .ready
            .wait_timeout_while(self.lock(), time, |turn| turn.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        turn.take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Turn<T>>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
