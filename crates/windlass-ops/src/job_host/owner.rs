//! The owner process of a job, identified even if its pid has been reused.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub pid: u32,
    /// When it was started, in the system's own units, if the system provides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
    /// The path of its job socket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
}

impl Owner {
    pub fn this_process(socket: Option<PathBuf>) -> Self {
        let pid = std::process::id();
        Self {
            pid,
            started: start_of(pid),
            socket,
        }
    }

    pub fn of_pid(pid: u32) -> Self {
        Self {
            pid,
            started: None,
            socket: None,
        }
    }

    pub fn is_alive(&self) -> bool {
        let pid = i32::try_from(self.pid).ok();
        let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) else {
            return false;
        };
        // A process of another user exists too.
        let exists = !matches!(
            rustix::process::test_kill_process(pid),
            Err(rustix::io::Errno::SRCH)
        );
        exists
            && self
                .started
                .is_none_or(|known| start_of(self.pid).is_none_or(|now| now == known))
    }
}

/// The start of a process in clock ticks since boot, from Linux.
fn start_of(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything, so parse after the last parenthesis.
    let rest = stat.rsplit_once(')')?.1;
    rest.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_again() {
        let this = Owner::this_process(None);
        assert!(this.is_alive());
        assert!(Owner::of_pid(this.pid).is_alive());
        let mut later = this.clone();
        later.started = later.started.map(|ticks| ticks + 1);
        assert_eq!(later.is_alive(), later.started.is_none());
        assert!(!Owner::of_pid(u32::MAX).is_alive());
        let json = serde_json::to_value(&this).expect("plain data");
        assert_eq!(serde_json::from_value::<Owner>(json).expect("read"), this);
    }
}
