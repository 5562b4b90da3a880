//! Gives memory back to the system after a burst of calls.
//!
//! The allocator of glibc keeps what was freed, in as many heaps as there were threads, so that a
//! server that once had a thousand calls at the same time would keep their memory for as long as it
//! lives. Elsewhere the allocator gives it back by itself.

use std::time::Duration;

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
    let Some(now) = own_bytes() else {
        return;
    };
    let mut watch = Watch {
        usual: now,
        last: now,
    };
    loop {
        tokio::time::sleep(EVERY).await;
        if own_bytes().is_some_and(|now| watch.look(now)) {
            give_back();
            watch.gave_back(own_bytes().unwrap_or(watch.last));
        }
    }
}

/// The memory of this process that no file backs.
fn own_bytes() -> Option<u64> {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return None;
    }
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("RssAnon:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator is asked by a function of C")]
fn give_back() {
    // SAFETY: it takes the allocator's own locks, and touches only what nobody uses.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}

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

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn a_process_knows_its_own_memory() {
        let before = own_bytes().expect("known");
        let much = std::hint::black_box(vec![1_u8; 64 << 20]);
        let with = own_bytes().expect("known");
        assert!(with > before + (32 << 20), "{before}, {with}");
        drop(much);
        give_back();
    }
}
