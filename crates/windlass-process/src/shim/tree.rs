//! All processes of a job.
//!
//! On Linux the shim is the reaper of its descendants: whoever loses its parent becomes its child,
//! so that neither `setsid` nor a double fork nor another group hides a process. Elsewhere there is
//! only the process group, which a process can leave.

pub use os::{adopt_orphans, members, signal};

/// The processes below `root`, parents before their children.
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

    /// Makes this process the reaper of all that is started below it, and lets it be woken when
    /// its parent dies.
    pub fn adopt_orphans() -> io::Result<()> {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        // The signal also comes when only the thread ends that started the shim. So it must do
        // nothing but wake, and who the parent is gets looked at.
        rustix::process::set_parent_process_death_signal(Some(Signal::CHILD))?;
        Ok(())
    }

    /// Everyone below this process.
    pub fn members(_main: Pid) -> Vec<Pid> {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        super::descendants(own)
            .into_iter()
            .filter_map(Pid::from_raw)
            .collect()
    }

    /// Tells one of them. One that has gone in the meantime needs no telling.
    pub fn signal(_main: Pid, member: Pid, signal: Signal) {
        let _ = rustix::process::kill_process(member, signal);
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use std::io;

    use rustix::process::{Pid, Signal};

    /// There is no such thing here: the control socket alone tells of the server's end.
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on Linux")]
    pub fn adopt_orphans() -> io::Result<()> {
        Ok(())
    }

    /// The group as a whole, named by its leader.
    pub fn members(main: Pid) -> Vec<Pid> {
        match rustix::process::test_kill_process_group(main) {
            Ok(()) => vec![main],
            Err(_) => Vec::new(),
        }
    }

    /// Tells the whole group.
    pub fn signal(main: Pid, _member: Pid, signal: Signal) {
        let _ = rustix::process::kill_process_group(main, signal);
    }
}
