//! The owner process of a job, identified even if its pid has been reused.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use windlass_process::process_stat;

use super::alive;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub pid: u32,
    /// When it was started, in the system's own units, if the system provides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
    /// The boot and the space in which the pid means something, if the system provides them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<u64>,
    /// The file that it holds locked as long as it lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// The path of its job socket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
}

impl Owner {
    pub fn this_process(socket: Option<PathBuf>) -> Self {
        let pid = std::process::id();
        Self {
            pid,
            started: process_stat(pid).map(|stat| stat.started),
            boot: alive::boot().map(str::to_owned),
            namespace: alive::namespace(),
            proof: alive::own_proof(),
            socket,
        }
    }

    pub fn of_pid(pid: u32) -> Self {
        Self {
            pid,
            started: None,
            boot: None,
            namespace: None,
            proof: None,
            socket: None,
        }
    }

    /// Whether this process is the owner.
    pub fn is_this_process(&self) -> bool {
        let this = Self::this_process(None);
        (self.pid, self.started, &self.boot, self.namespace)
            == (this.pid, this.started, &this.boot, this.namespace)
    }

    /// Whether it lives. One that cannot be judged from here counts as alive: what it does must not
    /// be done a second time.
    pub fn is_alive(&self) -> bool {
        if is_known_and_other(self.boot.as_deref(), alive::boot()) {
            return false;
        }
        if self.is_elsewhere() {
            return self
                .proof
                .as_deref()
                .and_then(alive::is_held)
                .unwrap_or(true);
        }
        self.is_in_the_table()
    }

    /// Whether its pid means nothing here.
    fn is_elsewhere(&self) -> bool {
        is_known_and_other(self.namespace, alive::namespace())
    }

    fn is_in_the_table(&self) -> bool {
        let Some(pid) = self.raw_pid() else {
            return false;
        };
        // A process of another user exists too.
        let exists = !matches!(
            rustix::process::test_kill_process(pid),
            Err(rustix::io::Errno::SRCH)
        );
        let known = process_stat(self.pid);
        let is_same = known
            .as_ref()
            .is_none_or(|now| self.started.is_none_or(|started| started == now.started));
        // One that has exited stays in the table until its parent asks how it ended.
        exists && is_same && !known.is_some_and(|now| now.has_exited)
    }

    /// Asks the process to end, if it is still this one and can be reached from here.
    pub fn terminate(&self) {
        let is_here = !self.is_elsewhere() && self.is_alive();
        if let Some(pid) = self.raw_pid().filter(|_| is_here) {
            // It may have just exited.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
    }

    fn raw_pid(&self) -> Option<rustix::process::Pid> {
        let pid = i32::try_from(self.pid).ok()?;
        rustix::process::Pid::from_raw(pid)
    }
}

/// A record of an older version knows less.
fn is_known_and_other<T: PartialEq>(recorded: Option<T>, here: Option<T>) -> bool {
    matches!((recorded, here), (Some(recorded), Some(here)) if recorded != here)
}

#[cfg(test)]
mod tests {
    use std::fs;

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

    /// Its pid is that of another process here, or of none.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_in_another_container_is_judged_by_its_lock() {
        let state = tempfile::tempdir().expect("a folder");
        alive::work_in(state.path());
        let this = Owner::this_process(None);
        assert!(this.is_this_process());
        let mut elsewhere = Owner {
            pid: u32::MAX,
            namespace: this.namespace.map(|space| space + 1),
            ..this.clone()
        };
        assert!(elsewhere.is_alive(), "the lock is held");
        elsewhere.terminate();
        let free = "1-2-3.lock";
        let folder = state.path().join("alive");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(free), "").expect("written");
        elsewhere.proof = Some(free.to_owned());
        elsewhere.pid = this.pid;
        assert!(!elsewhere.is_alive(), "nobody holds the lock");
        elsewhere.proof = Some("unknown.lock".to_owned());
        assert!(elsewhere.is_alive(), "nothing is known");
        let mut before = this.clone();
        before.boot = Some("another".to_owned());
        assert!(!before.is_alive(), "the system was started again");
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
