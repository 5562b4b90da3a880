//! Cleans up after other processes: runs and jobs of processes that died, gates that no process runs,
//! claims whose lease has expired. Each process has one sweeper; operations that only read never do
//! this.

use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use windlass_core::{Result, Timestamp};
use windlass_store::JobEnd;

use crate::commands::{INTERRUPTED_JOB, orphaned_jobs};
use crate::context::Context;
use crate::pipeline::offload;
use crate::runs::recover_interrupted;
use crate::serving::end_dead_servers;
use crate::workflow::take_over_gates;

/// The first client does not wait for the first sweep.
const FIRST_AFTER: Duration = Duration::from_millis(500);
const EVERY: Duration = Duration::from_secs(20);

/// The results of one sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Swept {
    /// Runs recorded as interrupted.
    pub runs: usize,
    /// Jobs recorded as interrupted.
    pub jobs: usize,
    /// Reviews whose gates this process runs from now on.
    pub reviews: usize,
    /// Claims whose server has exited, or whose lease has expired.
    pub claims: usize,
    /// Processes of jobs whose server and supervisor were both killed.
    pub processes: usize,
}

/// Sweeps until `closing` is cancelled, and reports each sweep that found something or failed.
pub async fn keep_sweeping(
    context: Context,
    closing: CancellationToken,
    report: impl Fn(&Result<Swept>),
) {
    let mut wait = FIRST_AFTER;
    loop {
        tokio::select! {
            () = closing.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
        let swept = sweep(&context).await;
        if swept.as_ref().ok() != Some(&Swept::default()) {
            report(&swept);
        }
        wait = EVERY;
    }
}

/// One sweep. A caller that may only read changes nothing, and nothing is taken over from a state
/// that came from elsewhere.
pub async fn sweep(context: &Context) -> Result<Swept> {
    if !context.may_change() {
        return Ok(Swept::default());
    }
    let runs = recover_interrupted(context).await?;
    let own = context.clone();
    let (processes, jobs, claims) = offload(move || {
        let processes = windlass_process::end_abandoned();
        let claims = end_dead_servers(&own)? + end_claims(&own)?;
        Ok((processes, end_orphaned_jobs(&own)?, claims))
    })
    .await?;
    let reviews = take_over_gates(context).await?;
    Ok(Swept {
        runs,
        jobs,
        reviews,
        claims,
        processes,
    })
}

/// Records the end of jobs whose process died.
pub fn end_orphaned_jobs(context: &Context) -> Result<usize> {
    let orphans = orphaned_jobs(&context.store)?;
    if orphans.is_empty() {
        return Ok(0);
    }
    context.write(|writer| {
        let mut ended = 0;
        for job in &orphans {
            let end = JobEnd {
                state: "failed",
                ended_at: Timestamp::now(),
                exit_code: None,
                reason: Some(INTERRUPTED_JOB.to_owned()),
                tail: job.tail.clone(),
                total_bytes: job.total_bytes,
            };
            ended += usize::from(writer.job_ended(job.id, &end)?);
        }
        Ok(ended)
    })
}

fn end_claims(context: &Context) -> Result<usize> {
    if context.read(|reader| reader.expired_claims())? == 0 {
        return Ok(0);
    }
    context.write(|writer| writer.end_expired_claims())
}

impl Swept {
    /// For the log.
    pub fn to_json(&self) -> serde_json::Value {
        json!({
            "runs": self.runs,
            "jobs": self.jobs,
            "reviews": self.reviews,
            "claims": self.claims,
            "processes": self.processes,
        })
    }
}
