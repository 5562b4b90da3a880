//! The jobs of a supervisor, and how many of them are running.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::job::{Job, JobId};

/// The common state of all jobs.
#[derive(Default)]
pub struct Table {
    pub jobs: BTreeMap<JobId, Arc<Job>>,
    pub running: usize,
    pub last: u64,
    pub closed: bool,
}

/// A slot among the running jobs; dropping it frees the slot.
pub struct Slot(Arc<Mutex<Table>>);

impl Slot {
    /// One of the slots that `table` counts; the caller has counted it.
    pub fn new(table: &Arc<Mutex<Table>>) -> Self {
        Self(Arc::clone(table))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        lock(&self.0).running -= 1;
    }
}

/// A panic of another thread does not make its changes wrong.
pub fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Table {
    /// Removes the oldest finished jobs if there are more than `most`.
    pub fn remove_beyond(&mut self, most: usize) {
        let finished: Vec<JobId> = self
            .jobs
            .values()
            .filter(|job| !job.state().is_running())
            .map(|job| job.id)
            .collect();
        for id in finished.iter().take(finished.len().saturating_sub(most)) {
            self.jobs.remove(id);
        }
    }
}
