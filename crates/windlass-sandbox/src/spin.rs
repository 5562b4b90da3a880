//! Waiting for the other end of a pipe without going to sleep.
//!
//! Waking a thread takes longer than most calls of a script do. So host and worker, which wait for
//! each other all the time, first look at the pipe for some microseconds, as long as that has paid
//! off lately and processors are left for the other end.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How many threads of this process look at a pipe right now.
static SPINNING: AtomicUsize = AtomicUsize::new(0);

/// As many look at the same time, so that the other processors are free for the other ends.
static MOST_SPINNING: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(0, |all| all.get() / 2));

/// The most waits in a row that go to sleep at once after some that had looked in vain.
const MOST_SKIPPED: u32 = 31;

/// Counts the processors, which a worker cannot do later.
pub fn prepare() {
    LazyLock::force(&MOST_SPINNING);
}

/// Whether looking has paid off lately.
#[derive(Debug, Default)]
pub struct Spin {
    /// How many waits go to sleep at once after the next failure.
    penalty: AtomicU32,
    /// How many are left of them.
    skipped: AtomicU32,
}

impl Spin {
    /// Calls `look` until it returns something, for `most` at most.
    pub fn until<T>(&self, most: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
        if self.is_skipped() {
            return None;
        }
        let _turn = Turn::take()?;
        let began = Instant::now();
        loop {
            let found = look();
            // On a busy machine this thread may have been stopped meanwhile, and one that sleeps is
            // woken sooner than one that spins gets its turn.
            let is_late = began.elapsed() >= most;
            if is_late {
                self.failed();
            } else if found.is_some() {
                self.succeeded();
            }
            if is_late || found.is_some() {
                return found;
            }
            // Not a yield: that would give the processor to any other program for milliseconds.
            std::hint::spin_loop();
        }
    }

    fn is_skipped(&self) -> bool {
        let skipped = self.skipped.load(Ordering::Relaxed);
        self.skipped
            .store(skipped.saturating_sub(1), Ordering::Relaxed);
        skipped > 0
    }

    fn succeeded(&self) {
        self.penalty.store(0, Ordering::Relaxed);
    }

    fn failed(&self) {
        let penalty = self.penalty.load(Ordering::Relaxed);
        self.skipped.store(penalty, Ordering::Relaxed);
        self.penalty
            .store((penalty * 2 + 1).min(MOST_SKIPPED), Ordering::Relaxed);
    }
}

/// The right to look.
struct Turn;

impl Turn {
    fn take() -> Option<Self> {
        let others = SPINNING.fetch_add(1, Ordering::Relaxed);
        let turn = Self;
        (others < *MOST_SPINNING).then_some(turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        SPINNING.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::Spin;

    #[test]
    fn who_looks_in_vain_looks_less_and_less() {
        let spin = Spin::default();
        let look = |spin: &Spin| {
            let looks = !spin.is_skipped();
            if looks {
                spin.failed();
            }
            looks
        };
        let looked = (0..100).filter(|_| look(&spin)).count();
        assert_eq!(looked, 8);
        // One success is enough.
        while spin.is_skipped() {}
        spin.succeeded();
        assert_eq!([look(&spin), look(&spin), look(&spin)], [true, true, false]);
    }
}
