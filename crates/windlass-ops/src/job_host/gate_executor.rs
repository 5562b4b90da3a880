//! What a process needs to run gates, created when it is first needed.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use windlass_process::{Limits, ShimCommand, Supervisor};

/// Gates that one process runs at once.
const AT_ONCE: usize = 4;

/// Where gates run.
pub struct GateExecutor {
    pub supervisor: Supervisor,
    /// Cancelled when this process exits: running gates are stopped, and count as not run.
    pub closing: CancellationToken,
    pub places: Semaphore,
    pub tasks: TaskTracker,
    /// The reviews whose gates this process runs.
    tended: Mutex<HashSet<String>>,
}

impl GateExecutor {
    pub fn new(shim: ShimCommand) -> Self {
        let limits = Limits {
            max_jobs: 2 * AT_ONCE,
            ..Limits::default()
        };
        Self {
            supervisor: Supervisor::new(shim, limits),
            closing: CancellationToken::new(),
            places: Semaphore::new(AT_ONCE),
            tasks: TaskTracker::new(),
            tended: Mutex::default(),
        }
    }

    /// Adds a review. Returns whether it is new here.
    pub fn enter(&self, review: &str) -> bool {
        self.lock().insert(review.to_owned())
    }

    pub fn leave(&self, review: &str) {
        self.lock().remove(review);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.tended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops running gates. Their reviews are unchanged, for another process to take over.
    pub async fn close(&self) {
        self.closing.cancel();
        self.tasks.close();
        let _ = tokio::time::timeout(Duration::from_secs(5), self.tasks.wait()).await;
        self.supervisor.shutdown(Duration::from_millis(500)).await;
    }
}
