//! The task that sends what is in the queue, and that alone waits for the collector.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::client::{Client, Posted};
use super::destination::Destination;
use super::encoding;
use super::queue::Queue;
pub use super::queue::SpanCounts;
use super::scope::Scope;
use super::span::{Attributes, Span};

/// How long the end of a process waits for the last spans.
const FLUSH_WITHIN: Duration = Duration::from_secs(2);
/// However often a collector failed, it is tried again after this time.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// What a log should have about the export. A collector that is away is reported once.
pub enum ExportNews {
    Failing(String),
    Working,
}

type Report = Box<dyn Fn(ExportNews) + Send + Sync>;

/// The export of one process.
pub struct Exporter {
    queue: Arc<Queue>,
    /// What begins by itself, outside of a call.
    outermost: Arc<Scope>,
    closing: CancellationToken,
    sending: Mutex<Option<JoinHandle<()>>>,
}

impl Exporter {
    /// Needs a runtime.
    pub fn start(destination: Destination, host_name: &str, report: Report) -> Self {
        let queue = Arc::new(Queue::default());
        let closing = CancellationToken::new();
        let sender = Sender {
            queue: Arc::clone(&queue),
            process: this_process(host_name),
            destination,
            closing: closing.clone(),
            report,
        };
        Self {
            outermost: Scope::outermost(Arc::clone(&queue)),
            queue,
            closing,
            sending: Mutex::new(Some(tokio::spawn(sender.run()))),
        }
    }

    pub fn scope(&self) -> &Arc<Scope> {
        &self.outermost
    }

    pub fn counts(&self) -> SpanCounts {
        self.queue.counts()
    }

    /// Sends what is left, as long as that does not take long. Returns how many spans were never sent.
    pub async fn close(&self) -> u64 {
        self.closing.cancel();
        let sending = self.sending.lock();
        let sending = sending.unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut sending) = sending
            && tokio::time::timeout(FLUSH_WITHIN, &mut sending)
                .await
                .is_err()
        {
            sending.abort();
        }
        let counts = self.counts();
        counts.dropped + counts.waiting
    }
}

fn this_process(host_name: &str) -> Attributes {
    let id = Uuid::new_v4().to_string();
    Attributes::default()
        .word("service.name", "windlass")
        .word("service.version", env!("CARGO_PKG_VERSION"))
        .id("service.instance.id", &id)
        .id("host.name", host_name)
        .number("process.pid", std::process::id())
        .word("telemetry.sdk.name", "windlass")
        .word("telemetry.sdk.language", "rust")
        .word("telemetry.sdk.version", env!("CARGO_PKG_VERSION"))
}

struct Sender {
    queue: Arc<Queue>,
    process: Attributes,
    destination: Destination,
    closing: CancellationToken,
    report: Report,
}

impl Sender {
    async fn run(self) {
        let client = match Client::new(self.destination.clone()) {
            Ok(client) => client,
            // Spans then fill the queue and are counted as dropped.
            Err(problem) => return (self.report)(ExportNews::Failing(problem)),
        };
        let mut failures = 0;
        let mut is_failing = false;
        // Spans that a collector did not take are offered again before newer ones.
        let mut batch: Vec<Span> = Vec::new();
        loop {
            if batch.is_empty() {
                tokio::select! {
                    () = self.queue.gathered() => {}
                    () = self.closing.cancelled() => {}
                }
                batch = self.queue.take();
                if batch.is_empty() && self.closing.is_cancelled() {
                    return;
                }
            }
            let is_last = self.closing.is_cancelled();
            let posted = client.post(encoding::request(&self.process, &batch)).await;
            let (problem, wait) = match posted {
                Posted::Taken { rejected } => {
                    let rejected = rejected.min(batch.len());
                    self.queue.sent(batch.len() - rejected);
                    self.queue.dropped(rejected);
                    batch.clear();
                    failures = 0;
                    if std::mem::take(&mut is_failing) {
                        (self.report)(ExportNews::Working);
                    }
                    continue;
                }
                Posted::Refused(problem) => {
                    self.queue.dropped(batch.len());
                    batch.clear();
                    (problem, None)
                }
                Posted::Later { problem, after } => {
                    failures += 1;
                    let asked_for = after.unwrap_or(Duration::ZERO);
                    (problem, Some(asked_for.max(backoff(failures))))
                }
            };
            if !std::mem::replace(&mut is_failing, true) {
                (self.report)(ExportNews::Failing(problem));
            }
            // At the end each batch is offered once.
            if is_last {
                self.queue.dropped(batch.len());
                return;
            }
            if let Some(wait) = wait {
                tokio::select! {
                    () = tokio::time::sleep(wait.min(LONGEST_WAIT)) => {}
                    () = self.closing.cancelled() => {}
                }
            }
        }
    }
}

fn backoff(failures: u32) -> Duration {
    let seconds = 1u64
        .checked_shl(failures.saturating_sub(1))
        .unwrap_or(u64::MAX);
    Duration::from_secs(seconds).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_that_is_away_is_asked_less_and_less() {
        let waits = [1, 2, 3, 6, 7, 40, 70].map(|failures| backoff(failures).as_secs());
        assert_eq!(waits, [1, 2, 4, 32, 60, 60, 60]);
    }
}
