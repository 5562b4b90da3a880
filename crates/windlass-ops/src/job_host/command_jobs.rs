//! The jobs that this process started from commands of the repository.

use std::path::Path;
use std::time::Duration;

use tokio_util::task::TaskTracker;
use windlass_process::{Limits, ShimCommand, Supervisor};

use super::socket::JobSocket;

/// The longest grace of a job when its server ends. A client that kills the server before takes
/// nothing from it: the shim goes on, and only the record of how the job ended is then missing.
pub const LAST_GRACE: Duration = Duration::from_secs(10);

pub struct CommandJobs {
    pub supervisor: Supervisor,
    /// The socket through which other processes reach the jobs of this one.
    pub socket: Option<JobSocket>,
    /// What still has to be recorded.
    pub records: TaskTracker,
}

impl CommandJobs {
    /// To be called within a runtime.
    pub fn new(state: &Path, shim: ShimCommand, limits: Limits) -> Self {
        let supervisor = Supervisor::new(shim, limits);
        Self {
            socket: JobSocket::open(state, supervisor.clone()),
            supervisor,
            records: TaskTracker::new(),
        }
    }

    /// Stops all jobs within their grace, and records how they ended.
    pub async fn close(&self) {
        self.close_within(self.supervisor.limits().grace.min(LAST_GRACE))
            .await;
    }

    /// Stops all jobs, and records how they ended.
    pub async fn close_within(&self, grace: Duration) {
        self.supervisor.shutdown(grace).await;
        self.records.close();
        // A disk that does not respond must not keep the process alive.
        let _ = tokio::time::timeout(Duration::from_secs(5), self.records.wait()).await;
        if let Some(socket) = &self.socket {
            socket.close();
        }
    }
}
