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
            started: stat_of(pid).map(|stat| stat.started),
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
        let Some(pid) = self.raw_pid() else {
            return false;
        };
        // A process of another user exists too.
        let exists = !matches!(
            rustix::process::test_kill_process(pid),
            Err(rustix::io::Errno::SRCH)
        );
        let known = stat_of(self.pid);
        let is_same = known
            .as_ref()
            .is_none_or(|now| self.started.is_none_or(|started| started == now.started));
        // One that has exited stays in the table until its parent asks how it ended.
        exists && is_same && !known.is_some_and(|now| now.has_exited)
    }

    /// Asks the process to end, if it is still this one.
    pub fn terminate(&self) {
        if let Some(pid) = self.raw_pid().filter(|_| self.is_alive()) {
            // It may have just exited.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
    }

    fn raw_pid(&self) -> Option<rustix::process::Pid> {
        let pid = i32::try_from(self.pid).ok()?;
        rustix::process::Pid::from_raw(pid)
    }
}

/// What Linux knows about a process.
struct Stat {
    has_exited: bool,
    /// In clock ticks since boot.
    started: u64,
}

fn stat_of(pid: u32) -> Option<Stat> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything, so parse after the last parenthesis.
    let rest = stat.rsplit_once(')')?.1;
    let mut fields = rest.split_whitespace();
    Some(Stat {
        has_exited: matches!(fields.next()?, "Z" | "X"),
        started: fields.nth(18)?.parse().ok()?,
    })
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_nobody_has_waited_for_is_not_alive() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .expect("started");
        let owner = Owner::of_pid(child.id());
        assert!(owner.is_alive());
        owner.terminate();
        let begin = std::time::Instant::now();
        while owner.is_alive() {
            assert!(begin.elapsed() < std::time::Duration::from_secs(10));
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        child.wait().expect("ended");
    }
}
