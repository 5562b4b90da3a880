//! The mark by which the processes of a job are found when its shim was killed.
//!
//! A shim sees every process of its job because it is their parent or adopts them. If it is killed,
//! they go to the next process above, and those that left the group of the job could no longer be
//! told from others. So each job has a variable in its environment that names its server and its
//! shim. A process that clears its environment is found only while it descends from one that did not.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use crate::os::{self, namespace, process_stat};

/// The variable.
pub const MARK: &str = "WINDLASS_TREE";

/// What the system knows about a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessStat {
    /// Whether it has exited, and its parent has not asked how.
    pub has_exited: bool,
    /// In clock ticks since boot: with the pid it names one process.
    pub started: u64,
}

/// A process by its pid and its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    pid: u32,
    started: u64,
}

impl Identity {
    fn of(pid: u32) -> Option<Self> {
        let started = process_stat(pid)?.started;
        Some(Self { pid, started })
    }

    fn is_alive(self) -> bool {
        process_stat(self.pid).is_some_and(|now| now.started == self.started && !now.has_exited)
    }
}

/// The server and the shim of a job, and the space in which their pids mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    namespace: u64,
    server: Identity,
    shim: Identity,
    /// A shim may have several jobs one after another.
    job: u64,
}

impl fmt::Display for Mark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (server, shim) = (self.server, self.shim);
        write!(
            formatter,
            "{}.{}.{}.{}.{}.{}",
            self.namespace, server.pid, server.started, shim.pid, shim.started, self.job
        )
    }
}

impl Mark {
    /// The mark before the first job of a shim; `None` where the system does not provide what it needs.
    pub fn of_shim(shim: u32) -> Option<Self> {
        /// Neither changes while this process lives.
        static SERVER: LazyLock<Option<(u64, Identity)>> =
            LazyLock::new(|| Some((namespace()?, Identity::of(std::process::id())?)));
        let (namespace, server) = (*SERVER)?;
        Some(Self {
            namespace,
            server,
            shim: Identity::of(shim)?,
            job: 0,
        })
    }

    /// The mark of the shim's next job.
    #[must_use]
    pub fn next(self) -> Self {
        Self {
            job: self.job + 1,
            ..self
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<u64> = text
            .split('.')
            .map(|number| number.parse().ok())
            .collect::<Option<_>>()?;
        let [namespace, server, server_started, shim, shim_started, job] = numbers[..] else {
            return None;
        };
        let identity = |pid: u64, started| {
            let pid = u32::try_from(pid).ok()?;
            Some(Identity { pid, started })
        };
        Some(Self {
            namespace,
            server: identity(server, server_started)?,
            shim: identity(shim, shim_started)?,
            job,
        })
    }

    /// Whether nobody supervises the processes with this mark any more. In another container that
    /// cannot be judged.
    fn is_abandoned(self) -> bool {
        Some(self.namespace) == namespace() && !self.shim.is_alive() && !self.server.is_alive()
    }
}

/// How often the processes are looked for: they may start others while they are being ended.
const PASSES: usize = 100;

/// Ends every process with this mark, and what descends from them. Waits until none is left, a second
/// or so at most.
pub fn end_marked(mark: Mark) -> usize {
    end_all(|found| found == mark)
}

/// Ends what is left of jobs whose server and shim were both killed. Returns how many processes that
/// were.
pub fn end_abandoned() -> usize {
    end_all(Mark::is_abandoned)
}

fn end_all(is_wanted: impl Fn(Mark) -> bool) -> usize {
    let mut ended = BTreeSet::new();
    for _ in 0..PASSES {
        let found = marked(&is_wanted);
        if found.is_empty() {
            break;
        }
        for pid in &found {
            kill(*pid);
        }
        ended.extend(found);
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    ended.len()
}

/// The living processes with a wanted mark, and their descendants.
fn marked(is_wanted: impl Fn(Mark) -> bool) -> BTreeSet<i32> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let prefix = format!("{MARK}=");
    let mut found = BTreeSet::new();
    for (pid, environment) in os::environments() {
        let mark = environment
            .split(|byte| *byte == 0)
            .find_map(|variable| variable.strip_prefix(prefix.as_bytes()))
            .and_then(|value| Mark::parse(std::str::from_utf8(value).ok()?));
        if pid != own && mark.is_some_and(&is_wanted) {
            found.insert(pid);
            found.extend(os::descendants(pid));
        }
    }
    // A server that was itself started by a job of another must not end itself.
    found.remove(&own);
    found
}

fn kill(pid: i32) {
    if let Some(pid) = rustix::process::Pid::from_raw(pid) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        let Some(before) = Mark::of_shim(std::process::id()) else {
            return;
        };
        let mark = before.next();
        assert_ne!(mark, before);
        assert_eq!(Mark::parse(&mark.to_string()), Some(mark));
        assert!(!mark.is_abandoned(), "this process lives");
        for wrong in ["", "1.2.3", "1.2.3.4.5.6.7", "1.2.3.4.5.x", "1.-2.3.4.5.6"] {
            assert_eq!(Mark::parse(wrong), None, "{wrong}");
        }
        let gone = Identity {
            pid: u32::MAX,
            started: 1,
        };
        let dead = Mark {
            server: gone,
            shim: gone,
            ..mark
        };
        assert!(dead.is_abandoned());
        let supervised = Mark {
            server: gone,
            ..mark
        };
        assert!(!supervised.is_abandoned(), "the shim ends it by itself");
        let elsewhere = Mark {
            namespace: mark.namespace + 1,
            ..dead
        };
        assert!(!elsewhere.is_abandoned(), "in another container");
    }
}
