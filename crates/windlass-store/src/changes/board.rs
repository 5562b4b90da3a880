//! How many changes were noticed, and who waits for the next.
//!
//! The tests of interleavings compile this file a second time with other locks.

use std::sync::PoisonError;
use std::task::Waker;
use std::time::Duration;

use super::locks::{Condvar, Mutex, MutexGuard};

#[derive(Default)]
pub(super) struct Board {
    state: Mutex<State>,
    advanced: Condvar,
}

#[derive(Default)]
struct State {
    generation: u64,
    entered: u64,
    /// By the id of the handle; there is at most one future of each.
    waiting: Vec<(u64, Waker)>,
}

/// Those who waited for a change. They are woken outside of every lock, because a waker may run
/// code of others, such as the drop of a task.
#[must_use = "whoever waits has to be woken"]
pub(super) struct Waiting(Vec<(u64, Waker)>);

impl Waiting {
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    pub(super) fn wake(self) {
        for (_, waker) in self.0 {
            waker.wake();
        }
    }
}

impl Board {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id for a new handle, and the generation from which on it reports.
    pub(super) fn enter(&self) -> (u64, u64) {
        let mut state = self.state();
        state.entered += 1;
        (state.entered, state.generation)
    }

    pub(super) fn generation(&self) -> u64 {
        self.state().generation
    }

    /// Something was committed.
    pub(super) fn advance(&self) -> Waiting {
        let mut state = self.state();
        state.generation += 1;
        self.advanced.notify_all();
        Waiting(std::mem::take(&mut state.waiting))
    }

    /// The generation, if it is another than `seen`; else the waker is kept for the next.
    pub(super) fn poll(&self, id: u64, seen: u64, waker: &Waker) -> Option<u64> {
        let mut state = self.state();
        if state.generation != seen {
            return Some(state.generation);
        }
        match state.waiting.iter_mut().find(|(of, _)| *of == id) {
            Some((_, known)) => known.clone_from(waker),
            None => state.waiting.push((id, waker.clone())),
        }
        None
    }

    pub(super) fn forget(&self, id: u64) {
        self.state().waiting.retain(|(of, _)| *of != id);
    }

    /// Blocks until the generation is another than `seen`.
    pub(super) fn wait(&self, seen: u64, timeout: Duration) -> Option<u64> {
        let (state, _) = self
            .advanced
            .wait_timeout_while(self.state(), timeout, |state| state.generation == seen)
            .unwrap_or_else(PoisonError::into_inner);
        (state.generation != seen).then_some(state.generation)
    }
}

#[cfg(test)]
impl Board {
    /// How many futures wait.
    pub(super) fn waiting(&self) -> usize {
        self.state().waiting.len()
    }
}
