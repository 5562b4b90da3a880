//! What a server does by itself: it exchanges packs with the remote now and then.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use windlass_core::{EntityId, Result, Timestamp};
use windlass_sync::remote::{PACKS_BEFORE_COMPACTION, RemoteError, Worker};

use super::exchange::{Exchange, Exchanged};
use super::shared::SharedRemote;
use crate::context::Context;
use crate::pipeline::offload;
use crate::plan::write_journals;

/// The first client does not wait for the first exchange.
const FIRST_AFTER: Duration = Duration::from_millis(1_500);
/// However often it failed, a remote is tried again after this time.
const LONGEST_WAIT: Duration = Duration::from_mins(5);
/// An exchange that takes longer is given up; what was done until then stays done.
const LONGEST: Duration = Duration::from_mins(30);

/// The result of one exchange in the background.
pub enum Synced {
    /// Packs that were received and sent, and objects that were skipped.
    Done {
        received: usize,
        sent: usize,
        skipped: usize,
    },
    /// It failed for the first time since it worked. That it fails again is not reported.
    Failed(String),
}

/// Exchanges packs with the remote of the settings until `closing` is cancelled. Servers of one clone
/// share the work: each exchanges only if no other has done so within the interval.
pub async fn keep_syncing(context: Context, closing: CancellationToken, report: impl Fn(&Synced)) {
    let interval = match context.workspace.config() {
        Ok(config) => config.sync.interval_seconds,
        Err(_) => return,
    };
    let remote = match context.host.remote() {
        Ok(Some(remote)) if interval > 0 && context.may_change() => Arc::clone(remote),
        Ok(_) => return,
        Err(problem) => return report(&Synced::Failed(problem.full_message())),
    };
    // Its own thread: a call that claims a task does not wait for an import.
    let worker = match Worker::start() {
        Ok(worker) => Arc::new(worker),
        Err(problem) => return report(&Synced::Failed(problem.to_string())),
    };
    let interval = Duration::from_secs(interval);
    let (mut wait, mut failures) = (FIRST_AFTER, 0u32);
    loop {
        tokio::select! {
            () = closing.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
        let due = interval.saturating_sub(interval / 4);
        match once(&context, &remote, &worker, due).await {
            Ok(None) => {}
            Ok(Some(done)) => {
                failures = 0;
                if done.report.did_something() {
                    report(&Synced::Done {
                        received: done.report.received,
                        sent: done.report.sent,
                        skipped: done.report.skipped_count,
                    });
                }
            }
            Err(problem) => {
                failures += 1;
                if failures == 1 {
                    report(&Synced::Failed(problem.to_string()));
                }
            }
        }
        wait = jittered(backoff(interval, failures));
    }
}

/// One exchange, unless another server of this clone has just done it.
async fn once(
    context: &Context,
    remote: &Arc<SharedRemote>,
    worker: &Arc<Worker>,
    interval: Duration,
) -> Result<Option<Exchanged>, RemoteError> {
    let (store, mut origin) = (Arc::clone(&context.store), context.origin.clone());
    origin.source = "sync";
    let shared = Arc::clone(remote);
    let work = move || async move {
        let opened = shared.remote();
        let url = shared.name();
        let now = Timestamp::now().as_millis();
        let since = now.saturating_sub(i64::try_from(interval.as_millis()).unwrap_or(i64::MAX));
        if !store.write(&origin, |writer| writer.begin_pass(&url, since))? {
            return Ok(None);
        }
        let opened = match opened {
            Ok(opened) => opened,
            Err(problem) => {
                let text = problem.to_string();
                store.write(&origin, |writer| writer.pass_failed(&url, &text))?;
                return Err(problem);
            }
        };
        let exchange = Exchange {
            store: &store,
            origin: &origin,
            remote: &opened,
            shared: &shared,
            has_claims: true,
        };
        let many = store.read(None, |reader| reader.remote(&url))?.packs;
        let compact = many > PACKS_BEFORE_COMPACTION;
        exchange.run(false, compact, None).await.map(Some)
    };
    let done = worker.run(LONGEST, work).await?;
    if done.as_ref().is_some_and(|done| done.report.journal > 0) {
        let own = context.clone();
        let _ = offload(move || {
            let problems = write_journals(&own.store, &own.origin, own.workspace.project());
            problems.into_iter().next().map_or(Ok(()), Err)
        })
        .await;
    }
    Ok(done)
}

/// Twice as long after each failure.
fn backoff(interval: Duration, failures: u32) -> Duration {
    let factor = 1u32 << failures.min(10);
    let longest = LONGEST_WAIT.max(interval);
    interval.saturating_mul(factor).min(longest)
}

/// Up to a fifth more or less, so that machines that started together do not stay together.
fn jittered(wait: Duration) -> Duration {
    let random = EntityId::random();
    let byte = random.as_str().bytes().fold(0u8, u8::wrapping_add);
    wait.mul_f64(0.8 + 0.4 * f64::from(byte) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_that_fails_is_asked_less_often() {
        let interval = Duration::from_secs(30);
        let waits: Vec<u64> = (0..8)
            .map(|failures| backoff(interval, failures).as_secs())
            .collect();
        assert_eq!(waits, [30, 60, 120, 240, 300, 300, 300, 300]);
        for _ in 0..50 {
            let wait = jittered(interval).as_secs_f64();
            assert!((24.0..=36.0).contains(&wait), "{wait}");
        }
    }
}
