//! macOS. Nobody has run it yet; `docs/guide/install.md` says so.
//!
//! What the system does not show, or what is not looked for yet: the other end of a pseudoterminal,
//! whose socket a connection is (so clients send a token), and what a client leaves behind.
#![expect(
    unsafe_code,
    reason = "the system tells about processes by functions of C"
)]

use std::ffi::{OsStr, c_int, c_void};
use std::io::Stdin;
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::surface::person::{Process, names_of};

/// The program that opens a file in the browser.
pub const OPENER: &str = "open";
/// Whether windows can be opened whatever the environment says.
pub const ALWAYS_HAS_A_DISPLAY: bool = true;

/// No person's terminal is deeper in processes than this.
const DEEPEST: usize = 500;

/// From the parent upwards, as far as this user may see.
pub fn ancestors() -> Result<Vec<Process>, String> {
    let mut found = Vec::new();
    let mut pid = std::os::unix::process::parent_id();
    while let Some(info) = info(pid).filter(|_| pid != 0) {
        if found.len() == DEEPEST {
            return Err("too many processes led to this one".to_owned());
        }
        let (words, variables) = arguments(pid).unwrap_or_default();
        found.push(Process {
            pid,
            name: name(&info),
            words,
            program: program(pid),
            variables,
        });
        pid = info.pbi_ppid;
    }
    Ok(found)
}

fn info(pid: u32) -> Option<libc::proc_bsdinfo> {
    let size = size_of::<libc::proc_bsdinfo>();
    // SAFETY: it consists of numbers, all of which may be zero.
    let mut info: libc::proc_bsdinfo = unsafe { std::mem::zeroed() };
    let place = (&raw mut info).cast::<c_void>();
    let (pid, room) = (c_int::try_from(pid).ok()?, c_int::try_from(size).ok()?);
    // SAFETY: at most `room` bytes are written to a place of that size.
    let written = unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, place, room) };
    (written == room).then_some(info)
}

fn name(info: &libc::proc_bsdinfo) -> String {
    let bytes = info.pbi_comm.iter().map(|letter| letter.cast_unsigned());
    let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn program(pid: u32) -> Option<PathBuf> {
    let mut path = vec![0_u8; usize::try_from(libc::PROC_PIDPATHINFO_MAXSIZE).ok()?];
    let room = u32::try_from(path.len()).ok()?;
    let place = path.as_mut_ptr().cast::<c_void>();
    // SAFETY: at most `room` bytes are written to a place of that size.
    let length = unsafe { libc::proc_pidpath(c_int::try_from(pid).ok()?, place, room) };
    let length = usize::try_from(length).ok().filter(|length| *length > 0)?;
    Some(Path::new(OsStr::from_bytes(path.get(..length)?)).to_owned())
}

/// The arguments of a process, and the names of the variables that it was started with.
fn arguments(pid: u32) -> Option<(Vec<String>, Vec<String>)> {
    let mut name = [
        libc::CTL_KERN,
        libc::KERN_PROCARGS2,
        c_int::try_from(pid).ok()?,
    ];
    let mut bytes = vec![0_u8; 1 << 20];
    let mut length = bytes.len();
    let place = bytes.as_mut_ptr().cast::<c_void>();
    // SAFETY: at most `length` bytes are written to a place of that size; nothing is set.
    let result = unsafe {
        libc::sysctl(
            name.as_mut_ptr(),
            3,
            place,
            &raw mut length,
            std::ptr::null_mut(),
            0,
        )
    };
    (result == 0)
        .then(|| arguments_in(bytes.get(..length)?))
        .flatten()
}

/// The number of arguments, the program, zeros, the arguments, the variables.
fn arguments_in(bytes: &[u8]) -> Option<(Vec<String>, Vec<String>)> {
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    let count = usize::try_from(i32::from_ne_bytes(*count)).ok()?;
    let program = rest.iter().position(|byte| *byte == 0)?;
    let rest = rest.get(program..)?;
    let first = rest.iter().position(|byte| *byte != 0)?;
    let mut parts = rest.get(first..)?.splitn(count + 1, |byte| *byte == 0);
    let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
    let words = parts.by_ref().take(count).map(text).collect();
    Some((words, names_of(parts.next().unwrap_or_default())))
}

/// Not looked for on this system.
pub fn is_other_end(_input: &Stdin) -> bool {
    false
}

/// The system has no means for it.
pub fn keep_orphans() {}

/// Not shown by this system.
pub fn user_of_socket(_own: SocketAddr, _other: SocketAddr) -> Option<u32> {
    None
}

/// Whether the number names one user.
pub fn is_real_user(_user: u32) -> bool {
    true
}

/// The allocator of this system gives memory back by itself.
pub fn own_memory() -> Option<u64> {
    None
}

/// Nothing has to be done.
pub fn give_memory_back() {}

/// The name of this machine.
pub fn host_name() -> Option<String> {
    let name = rustix::system::uname();
    Some(name.nodename().to_string_lossy().into_owned())
}

/// The version of the kernel.
pub fn system_release() -> Option<String> {
    let name = rustix::system::uname();
    Some(name.release().to_string_lossy().into_owned())
}

/// The system only knows the path of this program.
pub fn this_program() -> Option<PathBuf> {
    None
}

/// Where applications with windows keep their settings, if not where all programs do.
pub fn application_settings(home: &Path) -> Option<PathBuf> {
    Some(home.join("Library/Application Support"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_variables_are_told_apart() {
        let mut bytes = 2_i32.to_ne_bytes().to_vec();
        bytes.extend(b"/bin/sh\0\0\0\0sh\0-c\0HOME=/h\0EMPTY=\0");
        let (words, variables) = arguments_in(&bytes).expect("read");
        assert_eq!(words, ["sh", "-c"]);
        assert_eq!(variables, ["HOME"]);
        assert_eq!(arguments_in(b"\x01\0"), None);
    }

    #[test]
    fn the_chain_begins_with_the_parent() {
        let found = ancestors().expect("known");
        assert_eq!(found[0].pid, std::os::unix::process::parent_id());
        assert!(!found[0].name.is_empty() && !found[0].words.is_empty());
    }
}
