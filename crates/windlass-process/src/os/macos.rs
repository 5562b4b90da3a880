//! macOS. Nobody has run it yet; `docs/guide/install.md` says so.
//!
//! The processes of a job are its process group, which a process can leave. What a killed server and
//! its killed shim leave behind is not found, nor which process listens on a port.

use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::AsFd;

use rustix::net::{RecvFlags, SendFlags};
use rustix::process::{Pid, Signal};

use crate::marks::ProcessStat;

/// The runtime has disabled that signal for the whole process.
pub const NO_SIGNAL: SendFlags = SendFlags::empty();
/// The descriptors are used before anything else is started.
pub const CLOSE_ON_EXEC: RecvFlags = RecvFlags::empty();

/// What the system knows about the process `pid`; `None` if there is none, or nothing is known.
#[expect(
    unsafe_code,
    reason = "the system tells about processes by a function of C"
)]
pub fn process_stat(pid: u32) -> Option<ProcessStat> {
    let size = size_of::<libc::proc_bsdinfo>();
    // SAFETY: it consists of numbers, all of which may be zero.
    let mut info: libc::proc_bsdinfo = unsafe { std::mem::zeroed() };
    let place = (&raw mut info).cast::<c_void>();
    let (pid, room) = (c_int::try_from(pid).ok()?, c_int::try_from(size).ok()?);
    // SAFETY: at most `room` bytes are written to a place of that size.
    let written = unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, place, room) };
    (written == room).then_some(ProcessStat {
        has_exited: info.pbi_status == libc::SZOMB,
        started: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
    })
}

/// The system has no such spaces.
pub fn namespace() -> Option<u64> {
    None
}

/// Not looked for on this system.
pub fn environments() -> impl Iterator<Item = (i32, Vec<u8>)> {
    std::iter::empty()
}

/// Not looked for on this system.
pub fn descendants(_root: i32) -> Vec<i32> {
    Vec::new()
}

/// Cannot be determined on this system.
pub fn listening_sockets(_pid: i32, _port: u16) -> Option<Vec<u64>> {
    None
}

/// Cannot be determined on this system.
pub fn holds_any(_shim: i32, _sockets: &[u64]) -> bool {
    false
}

/// Pipes keep their size.
pub fn enlarge(_pipe: impl AsFd) {}

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
