//! All processes of a job.
//!
//! The shim is the subreaper of its descendants: a process that loses its parent becomes its child,
//! so that neither `setsid` nor a double fork nor another group hides a process.

use std::io;

use rustix::process::{Pid, Signal};

/// The descendants of `root`, parents before their children.
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
    descendants(own)
        .into_iter()
        .filter_map(Pid::from_raw)
        .collect()
}

/// Signals one of them. One that has exited meanwhile is ignored.
pub fn signal(_main: Pid, member: Pid, signal: Signal) {
    let _ = rustix::process::kill_process(member, signal);
}
