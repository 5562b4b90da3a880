//! Runs a process under the supervisor until it ends, times out or is cancelled.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use windlass_process::{Error, JobHandle, JobState, Spec, Supervisor};

use super::Outcome;
use crate::record::{Failure, FailureKind};

/// Attached to the jobs of runs, to distinguish them from other jobs of the supervisor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunJob {
    /// The run.
    pub run_id: String,
    /// The step's index.
    pub step: usize,
}

/// When to stop a process, and how.
pub struct StopConditions<'a> {
    pub timeout: Option<Duration>,
    pub cancel: &'a CancellationToken,
    /// The time between TERM and KILL.
    pub grace: Duration,
}

/// What happened first.
enum FirstEvent {
    Ended(JobState),
    TimedOut(Duration),
    Cancelled,
}

/// Runs `spec` until it ends. When this returns, none of its processes is left. `before_stop` runs
/// before a process is stopped from outside.
pub async fn supervise(
    supervisor: &Supervisor,
    spec: Spec,
    stop_when: StopConditions<'_>,
    before_stop: impl AsyncFnOnce(),
) -> Result<Outcome, Error> {
    let job = StopOnDrop {
        job: supervisor.start(spec).await?,
        grace: stop_when.grace,
    };
    let limit = async {
        match stop_when.timeout {
            Some(limit) => {
                tokio::time::sleep(limit).await;
                limit
            }
            None => std::future::pending().await,
        }
    };
    let first = tokio::select! {
        biased;
        Some(state) = job.job.wait_exit(None) => FirstEvent::Ended(state),
        () = stop_when.cancel.cancelled() => FirstEvent::Cancelled,
        limit = limit => FirstEvent::TimedOut(limit),
    };
    if !matches!(first, FirstEvent::Ended(_)) {
        before_stop().await;
    }
    // Also if it exited by itself: its background processes must be stopped before the next step.
    let stopped = job.job.stop(stop_when.grace).await;
    drop(job);
    stopped?;
    Ok(match first {
        FirstEvent::TimedOut(limit) => Outcome::TimedOut(limit),
        FirstEvent::Cancelled => Outcome::Cancelled,
        FirstEvent::Ended(JobState::Exited(code)) => Outcome::Ended { code, signal: None },
        FirstEvent::Ended(JobState::Signaled(signal)) => Outcome::Ended {
            code: 128 + signal,
            signal: Some(signal),
        },
        FirstEvent::Ended(state) => {
            let message = format!("The process was lost: {state:?}");
            Outcome::Failed(Failure::new(FailureKind::Start, message))
        }
    })
}

/// Stops the job even if the future that waits for it is dropped.
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
