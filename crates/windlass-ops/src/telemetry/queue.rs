//! Spans that wait to be sent. It is bounded and never makes anybody wait: what does not fit is
//! counted and dropped.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::span::Span;

/// About a megabyte.
const MOST: usize = 2_048;
/// Spans of one request.
pub const BATCH: usize = 512;
/// How long a span waits for others.
const GATHER: Duration = Duration::from_secs(5);

/// How many spans a process made, by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanCounts {
    pub sent: u64,
    /// Those that did not fit, and those that the collector rejected.
    pub dropped: u64,
    /// Those that are on their way included.
    pub waiting: u64,
}

#[derive(Default)]
pub struct Queue {
    spans: Mutex<VecDeque<Span>>,
    /// Notified of the first span and of a full batch: not of each span, so that a burst wakes the
    /// sender twice.
    changed: Notify,
    made: AtomicU64,
    sent: AtomicU64,
    dropped: AtomicU64,
}

impl Queue {
    pub fn push(&self, span: Span) {
        self.made.fetch_add(1, Ordering::Relaxed);
        let mut spans = self.lock();
        if spans.len() >= MOST {
            drop(spans);
            self.dropped(1);
            return;
        }
        spans.push_back(span);
        let waiting = spans.len();
        drop(spans);
        if waiting == 1 || waiting == BATCH {
            self.changed.notify_one();
        }
    }

    /// Waits for a full batch, or for as much as comes within a few seconds of the first span.
    pub async fn gathered(&self) {
        while self.waiting() == 0 {
            self.changed.notified().await;
        }
        let full = async {
            while self.waiting() < BATCH {
                self.changed.notified().await;
            }
        };
        let _ = tokio::time::timeout(GATHER, full).await;
    }

    /// The oldest, at most one batch.
    pub fn take(&self) -> Vec<Span> {
        let mut spans = self.lock();
        let count = spans.len().min(BATCH);
        spans.drain(..count).collect()
    }

    pub fn sent(&self, count: usize) {
        self.sent.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub fn dropped(&self, count: usize) {
        self.dropped.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub fn counts(&self) -> SpanCounts {
        let (sent, dropped) = (&self.sent, &self.dropped);
        let (sent, dropped) = (
            sent.load(Ordering::Relaxed),
            dropped.load(Ordering::Relaxed),
        );
        let made = self.made.load(Ordering::Relaxed);
        SpanCounts {
            sent,
            dropped,
            waiting: made.saturating_sub(sent + dropped),
        }
    }

    fn waiting(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Span>> {
        self.spans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::scope::Scope;
    use super::super::span::{Attributes, SpanKind};
    use super::*;

    fn filled(count: usize) -> Arc<Queue> {
        let queue = Arc::new(Queue::default());
        let scope = Scope::outermost(Arc::clone(&queue));
        for _ in 0..count {
            let begun = scope.begin();
            begun.end("x", SpanKind::Internal, Attributes::default(), false);
        }
        queue
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let queue = filled(MOST + 3);
        let counts = |sent, dropped, waiting| SpanCounts {
            sent,
            dropped,
            waiting,
        };
        assert_eq!(queue.counts(), counts(0, 3, 2_048));
        assert_eq!(queue.take().len(), BATCH);
        assert_eq!(queue.counts(), counts(0, 3, 2_048));
        queue.sent(BATCH);
        assert_eq!(queue.counts(), counts(512, 3, 1_536));
    }

    #[tokio::test]
    async fn a_full_batch_does_not_wait() {
        let queue = filled(BATCH);
        let soon = tokio::time::timeout(GATHER / 2, queue.gathered()).await;
        assert!(soon.is_ok());
    }
}
