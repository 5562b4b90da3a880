//! Notices commits and puts them on the board, whether the watching thread looks or a process has just
//! committed.
//!
//! The tests of interleavings compile this file a second time with other locks.

use std::sync::PoisonError;

use super::board::{Board, Waiting};
use super::locks::{Arc, Mutex};

/// Says whether something was committed since it was last asked.
pub(super) trait Probe {
    type Error;

    fn changed(&mut self) -> Result<bool, Self::Error>;
}

/// What it means that the probe could not be asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    IsAChange,
    IsNothing,
}

pub(super) struct Hub<P> {
    pub(super) board: Arc<Board>,
    probe: Mutex<P>,
}

impl<P: Probe> Hub<P> {
    pub(super) fn new(probe: P) -> Self {
        Self {
            board: Arc::default(),
            probe: Mutex::new(probe),
        }
    }

    /// Asks whether something was committed, and wakes those who wait for it.
    pub(super) fn look(&self, unknown: Unknown) {
        let waiting = {
            let mut probe = self.probe.lock().unwrap_or_else(PoisonError::into_inner);
            let changed = probe.changed().unwrap_or(unknown == Unknown::IsAChange);
            // Still under the lock: else a commit of this process could find its change taken by
            // the thread, and return before it is on the board.
            if changed {
                self.board.advance()
            } else {
                Waiting::none()
            }
        };
        waiting.wake();
    }
}
