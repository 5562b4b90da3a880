//! The jobs that this process started from commands of the repository.

use std::path::Path;
use std::time::Duration;

use tokio_util::task::TaskTracker;
use windlass_process::{Limits, ShimCommand, Supervisor};

use super::socket::JobSocket;

/// The longest grace of a job when its server ends: clients kill a server that takes much longer, and
/// then nothing would record how the job ended.
const LAST_GRACE: Duration = Duration::from_millis(1500);

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

    /// Stops all jobs, and records how they ended.
    pub async fn close(&self) {
        let grace = self.supervisor.limits().grace.min(LAST_GRACE);
        self.supervisor.shutdown(grace).await;
        self.records.close();
        // A disk that does not respond must not keep the process alive.
        let _ = tokio::time::timeout(Duration::from_secs(5), self.records.wait()).await;
        if let Some(socket) = &self.socket {
            socket.close();
        }
    }
}
