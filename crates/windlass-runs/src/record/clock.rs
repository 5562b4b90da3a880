//! The clock of one run. It reads the wall clock once and counts from there, so that setting the
//! clock back during a run cannot put its end before its start.

use std::time::Instant;

use windlass_core::Timestamp;

/// A clock that never goes back, started with the run.
#[derive(Debug, Clone)]
pub struct RunClock {
    base: i64,
    started: Instant,
}

impl RunClock {
    /// Starts now, but never before `earliest`, the creation time of the run.
    pub fn start(earliest: &Timestamp) -> Self {
        Self::start_at(Timestamp::now(), earliest)
    }

    fn start_at(now: Timestamp, earliest: &Timestamp) -> Self {
        Self {
            base: now.as_millis().max(earliest.as_millis()),
            started: Instant::now(),
        }
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.base.saturating_add(passed))
    }
}

/// The milliseconds between two times.
pub fn millis_between(from: &Timestamp, to: &Timestamp) -> u64 {
    u64::try_from(to.as_millis().saturating_sub(from.as_millis())).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_the_clock_back_does_not_change_the_order() {
        let created = Timestamp::from_millis(2_000_000_000_000);
        let set_back = Timestamp::from_millis(1_000_000_000_000);
        let clock = RunClock::start_at(set_back, &created);
        let first = clock.now();
        assert!(first >= created);
        assert!(clock.now() >= first);
    }
}
