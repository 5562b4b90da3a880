//! All processes of a job.
//!
//! On Linux the shim is the subreaper of its descendants: a process that loses its parent becomes
//! its child, so that neither `setsid` nor a double fork nor another group hides a process. On
//! other systems there is only the process group, which a process can leave.

pub use os::{adopt_orphans, members, signal};

/// The descendants of `root`, parents before their children.
#[cfg(target_os = "linux")]
pub fn descendants(root: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for child in children(parent) {
            found.push(child);
            open.push(child);
        }
    }
    found
}

#[cfg(target_os = "linux")]
fn children(parent: i32) -> Vec<i32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{parent}/task")) else {
        return Vec::new();
    };
    threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|line| {
            line.split_ascii_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(target_os = "linux")]
mod os {
    use std::io;

    use rustix::process::{Pid, Signal};

    /// Makes this process the reaper of all its descendants, and has it woken when its parent dies.
    pub fn adopt_orphans() -> io::Result<()> {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        // The signal is also sent when only the thread that started the shim ends. So it must only
        // wake the shim, which then checks its parent.
        rustix::process::set_parent_process_death_signal(Some(Signal::CHILD))?;
        Ok(())
    }

    /// All descendants of this process.
    pub fn members(_main: Pid) -> Vec<Pid> {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        super::descendants(own)
            .into_iter()
            .filter_map(Pid::from_raw)
            .collect()
    }

    /// Signals one of them. One that has exited meanwhile is ignored.
    pub fn signal(_main: Pid, member: Pid, signal: Signal) {
        let _ = rustix::process::kill_process(member, signal);
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use std::io;

    use rustix::process::{Pid, Signal};

    /// Not available on this system: only the control socket reports the server's exit.
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on Linux")]
    pub fn adopt_orphans() -> io::Result<()> {
        Ok(())
    }

    /// The whole group, represented by its leader.
    pub fn members(main: Pid) -> Vec<Pid> {
        match rustix::process::test_kill_process_group(main) {
            Ok(()) => vec![main],
            Err(_) => Vec::new(),
        }
    }

    /// Signals the whole group.
    pub fn signal(main: Pid, _member: Pid, signal: Signal) {
        let _ = rustix::process::kill_process_group(main, signal);
    }
}
