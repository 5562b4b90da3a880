//! Gives memory back to the system after a burst of calls.
//!
//! The allocator of glibc keeps what was freed, in as many heaps as there were threads, so that a
//! server that once had a thousand calls at the same time would keep their memory for as long as it
//! lives. Elsewhere the allocator gives it back by itself.

use std::time::Duration;

use super::os;

/// How often the server looks at itself.
const EVERY: Duration = Duration::from_secs(5);
/// Growth that is worth the effort, in bytes.
const WORTH: u64 = 16 << 20;
/// A server whose memory changes by more than this between two looks is at work.
const CALM: u64 = 2 << 20;

/// What is known from the looks before.
struct Watch {
    /// What the server takes when it does nothing.
    usual: u64,
    last: u64,
}

impl Watch {
    /// Whether memory is to be given back now.
    fn look(&mut self, now: u64) -> bool {
        let is_calm = now.abs_diff(self.last) <= CALM;
        self.last = now;
        self.usual = self.usual.min(now);
        is_calm && now > self.usual + WORTH
    }

    fn gave_back(&mut self, now: u64) {
        // What is left is in use.
        self.usual = now;
        self.last = now;
    }
}

/// Looks at the memory of this process as long as the server runs.
pub async fn give_back_when_calm() {
    let Some(now) = os::own_memory() else {
        return;
    };
    let mut watch = Watch {
        usual: now,
        last: now,
    };
    loop {
        tokio::time::sleep(EVERY).await;
        if os::own_memory().is_some_and(|now| watch.look(now)) {
            os::give_memory_back();
            watch.gave_back(os::own_memory().unwrap_or(watch.last));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_given_back_once_it_is_calm_and_only_if_there_is_more_than_usual() {
        let mut watch = Watch {
            usual: 10 << 20,
            last: 10 << 20,
        };
        assert!(!watch.look(11 << 20), "as usual");
        assert!(!watch.look(90 << 20), "at work");
        assert!(!watch.look(60 << 20), "at work");
        assert!(watch.look(60 << 20));
        watch.gave_back(30 << 20);
        assert!(!watch.look(30 << 20), "the rest is in use");
        assert!(!watch.look(12 << 20));
        assert!(!watch.look(29 << 20), "at work");
        assert!(watch.look(29 << 20));
    }
}
