//! Whether an operation is fast enough to run on the protocol's thread.
//!
//! Most reads take a few microseconds, and moving them to another thread would cost more than they
//! do. A read that has recently been slow is moved, so that no other request waits for it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Above this, other requests would be delayed noticeably.
const SLOW: u32 = 2_000;

/// The recent duration of an operation, in microseconds.
#[derive(Debug)]
pub struct Pace(AtomicU32);

impl Pace {
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    pub fn is_slow(&self) -> bool {
        self.0.load(Ordering::Relaxed) > SLOW
    }

    /// One slow call counts immediately, and is forgotten after some fast ones.
    pub fn record(&self, took: Duration) {
        let took = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        let lately = self.0.load(Ordering::Relaxed);
        self.0
            .store(took.max(lately - lately / 4), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_at_once_and_quick_again_after_a_while() {
        let pace = Pace::new();
        assert!(!pace.is_slow());
        pace.record(Duration::from_micros(30));
        assert!(!pace.is_slow());
        pace.record(Duration::from_millis(60));
        assert!(pace.is_slow());
        let quick = (0..100)
            .take_while(|_| {
                pace.record(Duration::from_micros(30));
                pace.is_slow()
            })
            .count();
        assert!((5..30).contains(&quick), "{quick}");
        pace.record(Duration::from_secs(100_000));
        assert!(pace.is_slow());
    }
}
