//! Running a process under the supervisor until it ends, takes too long or is cancelled.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use windlass_process::{Error, JobHandle, JobState, Spec, Supervisor};

use super::Outcome;
use crate::record::{Failure, FailureKind};

/// What is attached to the jobs of runs, by which they are told from other jobs of the supervisor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunJob {
    /// The run.
    pub run_id: String,
    /// The step's index.
    pub step: usize,
}

/// When and how to end a process.
pub struct Patience<'a> {
    pub timeout: Option<Duration>,
    pub cancel: &'a CancellationToken,
    /// Between TERM and KILL.
    pub grace: Duration,
}

/// What came first.
enum First {
    Ended(JobState),
    TimedOut(Duration),
    Cancelled,
}

/// Runs `spec` to its end. When this answers, no process of it is left. `before_stop` is run before
/// a process is ended from outside.
pub async fn supervise(
    supervisor: &Supervisor,
    spec: Spec,
    patience: Patience<'_>,
    before_stop: impl AsyncFnOnce(),
) -> Result<Outcome, Error> {
    let job = StopOnDrop {
        job: supervisor.start(spec).await?,
        grace: patience.grace,
    };
    let limit = async {
        match patience.timeout {
            Some(limit) => {
                tokio::time::sleep(limit).await;
                limit
            }
            None => std::future::pending().await,
        }
    };
    let first = tokio::select! {
        biased;
        Some(state) = job.job.wait_exit(None) => First::Ended(state),
        () = patience.cancel.cancelled() => First::Cancelled,
        limit = limit => First::TimedOut(limit),
    };
    if !matches!(first, First::Ended(_)) {
        before_stop().await;
    }
    // Also where it ended by itself: what it left behind must be gone before the next step.
    let stopped = job.job.stop(patience.grace).await;
    drop(job);
    stopped?;
    Ok(match first {
        First::TimedOut(limit) => Outcome::TimedOut(limit),
        First::Cancelled => Outcome::Cancelled,
        First::Ended(JobState::Exited(code)) => Outcome::Ended { code, signal: None },
        First::Ended(JobState::Signaled(signal)) => Outcome::Ended {
            code: 128 + signal,
            signal: Some(signal),
        },
        First::Ended(state) => {
            let message = format!("The process was lost: {state:?}");
            Outcome::Failed(Failure::new(FailureKind::Start, message))
        }
    })
}

/// Ends the job also where nobody waits for it any more, since nobody else would.
struct StopOnDrop {
    job: JobHandle,
    grace: Duration,
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if self.job.state().is_running()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (job, grace) = (self.job.clone(), self.grace);
            runtime.spawn(async move { job.stop(grace).await });
        }
    }
}
