//! The time of one run. The wall clock is asked once; what follows is counted from there, so that a
//! clock that is set back while a run is under way cannot put its end before its beginning.

use std::time::Instant;

use windlass_core::Timestamp;

/// A clock that never goes back, started when the run starts.
#[derive(Debug, Clone)]
pub struct RunClock {
    base: i64,
    started: Instant,
}

impl RunClock {
    /// Starts now, and never before `earliest`, which is when the run was created.
    pub fn start(earliest: &Timestamp) -> Self {
        Self::start_at(Timestamp::now(), earliest)
    }

    fn start_at(now: Timestamp, earliest: &Timestamp) -> Self {
        Self {
            base: now.as_millis().max(earliest.as_millis()),
            started: Instant::now(),
        }
    }

    /// The moment it is.
    pub fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.base.saturating_add(passed))
    }
}

/// Milliseconds from one moment to another.
pub fn millis_between(from: &Timestamp, to: &Timestamp) -> u64 {
    u64::try_from(to.as_millis().saturating_sub(from.as_millis())).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_back_changes_no_order() {
        let created = Timestamp::from_millis(2_000_000_000_000);
        let set_back = Timestamp::from_millis(1_000_000_000_000);
        let clock = RunClock::start_at(set_back, &created);
        let first = clock.now();
        assert!(first >= created);
        assert!(clock.now() >= first);
    }
}
