//! Records jobs in the background, without delaying them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;
use windlass_core::{Origin, Result, Timestamp};
use windlass_process::{JobHandle, ReadOptions};
use windlass_store::{JobEnd, NewJob, Store};

use super::guard;
use super::outputs::{JobDetails, exit_code, reason, state_name, timestamp};
use crate::context::Context;
use crate::job_host::CommandJobs;
use crate::job_host::Owner;

/// How much of the end of the output is recorded.
const TAIL_BYTES: usize = 16 * 1024;
const TAIL_LINES: usize = 1000;

/// A job that ends within this time is recorded once, at its end.
const SHORT: Duration = Duration::from_millis(10);

/// Records the start of a job shortly after it, and its end when it happens. The returned receiver is
/// notified when the start is recorded, or cannot be.
pub fn keep(
    context: &Context,
    jobs: &CommandJobs,
    job: &JobHandle,
    details: &JobDetails,
) -> oneshot::Receiver<()> {
    let (on_record, told) = oneshot::channel();
    let new = NewJob {
        pid: job.pid,
        unique_name: job.label.clone(),
        started_at: timestamp(job.started_at),
        owner: json!(Owner::this_process(
            jobs.socket.as_ref().map(|socket| socket.path().to_owned())
        )),
        details: json!(details),
    };
    let (store, origin) = (Arc::clone(&context.store), context.origin.clone());
    let job = job.clone();
    jobs.records.spawn(async move {
        // A short job is recorded in one write.
        let _ = job.wait_exit(Some(SHORT)).await;
        let early = (!job.state().is_running()).then(|| end_of(&job));
        let over = early.is_some();
        let noted = blocking(move || {
            note(&store, &origin, |writer| {
                let id = writer.job_started(&new)?;
                if let Some(end) = &early {
                    writer.job_ended(id, end)?;
                }
                Ok(id)
            })
            .map(|id| (id, store, origin))
        });
        let noted = noted.await;
        // The caller may not be waiting any more.
        let _ = on_record.send(());
        let Some((id, store, origin)) = noted else {
            return;
        };
        if over {
            return;
        }
        job.wait_exit(None).await;
        let end = end_of(&job);
        blocking(move || note(&store, &origin, |writer| writer.job_ended(id, &end))).await;
    });
    told
}

/// A record that cannot be written is lost; the job is not affected.
fn note<T>(
    store: &Store,
    origin: &Origin,
    work: impl FnOnce(&windlass_store::Writer<'_>) -> Result<T>,
) -> Option<T> {
    store.write(origin, work).ok()
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Option<T> + Send + 'static,
) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok().flatten()
}

fn end_of(job: &JobHandle) -> JobEnd {
    let ended_at = job.finished_at().map_or_else(Timestamp::now, timestamp);
    if let Err(error) = guard::confirm_text(job) {
        return JobEnd {
            state: "failed",
            ended_at,
            exit_code: None,
            reason: Some(error.message().to_owned()),
            tail: None,
            total_bytes: None,
        };
    }
    let state = job.state();
    let options = ReadOptions {
        max_bytes: TAIL_BYTES,
        ..ReadOptions::default()
    };
    let tail = job.tail(TAIL_LINES, &options);
    let lines: Vec<String> = tail.lines.into_iter().map(|line| line.text).collect();
    JobEnd {
        state: state_name(&state),
        ended_at,
        exit_code: exit_code(&state),
        reason: reason(&state),
        tail: (!lines.is_empty()).then(|| lines.join("\n")),
        total_bytes: i64::try_from(tail.totals.total_bytes).ok(),
    }
}
