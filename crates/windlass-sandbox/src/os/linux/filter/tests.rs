//! Each test starts this same executable again, which closes the jail around itself and makes one
//! system call.

#![expect(unsafe_code, reason = "system calls that no safe function makes")]

use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

use super::apply;

const CALL: &str = "WINDLASS_TEST_SYSTEM_CALL";
const PASSED: i32 = 42;

/// The system calls, by name, as the jailed process makes them.
fn make(call: &str, parent: i64) -> i64 {
    let own = i64::from(std::process::id());
    let page = 4096_usize;
    // SAFETY: none of these calls touches memory of this process in use; those that map or protect
    // memory do so at an address of the kernel's choice.
    unsafe {
        let thread = libc::syscall(libc::SYS_gettid);
        let map = |protection: i32| {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), page, protection, flags, -1, 0)
        };
        match call {
            "tgkill self" => libc::syscall(libc::SYS_tgkill, own, thread, 0),
            "tgkill parent" => libc::syscall(libc::SYS_tgkill, parent, parent, 0),
            "tgkill init" => libc::syscall(libc::SYS_tgkill, 1, 1, 0),
            "tgkill any" => libc::syscall(libc::SYS_tgkill, -1, parent, 0),
            "tkill parent" => libc::syscall(libc::SYS_tkill, parent, 0),
            "kill parent" => libc::syscall(libc::SYS_kill, parent, 0),
            "sigqueue" => libc::syscall(libc::SYS_rt_sigqueueinfo, parent, 0, 0),
            "pidfd" => libc::syscall(libc::SYS_pidfd_open, parent, 0),
            "mmap" => i64::from(map(libc::PROT_READ | libc::PROT_WRITE) == libc::MAP_FAILED),
            "mmap code" => i64::from(map(libc::PROT_READ | libc::PROT_EXEC) == libc::MAP_FAILED),
            "mprotect" => {
                let memory = map(libc::PROT_READ | libc::PROT_WRITE);
                i64::from(libc::mprotect(memory, page, libc::PROT_READ))
            }
            "mprotect code" => {
                let memory = map(libc::PROT_READ | libc::PROT_WRITE);
                i64::from(libc::mprotect(
                    memory,
                    page,
                    libc::PROT_READ | libc::PROT_EXEC,
                ))
            }
            "prctl" => libc::syscall(libc::SYS_prctl, libc::PR_GET_DUMPABLE, 0, 0, 0, 0),
            "clone" => libc::syscall(libc::SYS_clone, libc::CLONE_NEWUSER, 0, 0, 0, 0),
            "unshare" => libc::syscall(libc::SYS_unshare, libc::CLONE_NEWUSER),
            "ioctl" => libc::syscall(libc::SYS_ioctl, 0, libc::TIOCSTI, 0),
            "memfd" => libc::syscall(libc::SYS_memfd_create, c"x".as_ptr(), 0),
            "socket" => libc::syscall(libc::SYS_socket, libc::AF_INET, libc::SOCK_STREAM, 0),
            "execve" => libc::syscall(libc::SYS_execve, 0, 0, 0),
            "ptrace" => libc::syscall(libc::SYS_ptrace, libc::PTRACE_TRACEME, 0, 0, 0),
            "read" => libc::syscall(libc::SYS_read, 7, 0, 0),
            // Refused, without an end.
            "openat" => {
                let opened = libc::open(c"/etc/hostname".as_ptr(), libc::O_RDONLY);
                i64::from(opened != -1)
            }
            other => panic!("{other}"),
        }
    }
}

/// The jailed process; an ordinary run of the tests ends here at once.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test is told by its environment which call to make"
)]
fn jailed_process() {
    let Some(call) = std::env::var_os(CALL) else {
        return;
    };
    let parent = i64::from(std::os::unix::process::parent_id());
    let pipe = std::fs::File::open("/dev/null").unwrap();
    assert!(apply(pipe.as_raw_fd()).unwrap());
    let returned = make(call.to_str().unwrap(), parent);
    let code = if returned == 0 { PASSED } else { 1 };
    // SAFETY: nothing of this process is needed any more, and the jail forbids what an ordinary end
    // would do.
    unsafe { libc::_exit(code) }
}

fn jailed(call: &str) -> ExitStatus {
    Command::new(std::env::current_exe().unwrap())
        .args(["os::system::filter::tests::jailed_process", "--exact"])
        .env(CALL, call)
        .status()
        .unwrap()
}

#[test]
fn a_worker_reaches_nothing_but_itself() {
    for call in ["tgkill self", "mmap", "mprotect", "openat"] {
        assert_eq!(jailed(call).code(), Some(PASSED), "{call}");
    }
    for call in [
        "tgkill parent",
        "tgkill init",
        "tgkill any",
        "tkill parent",
        "kill parent",
        "sigqueue",
        "pidfd",
        "mmap code",
        "mprotect code",
        "prctl",
        "clone",
        "unshare",
        "ioctl",
        "memfd",
        "socket",
        "execve",
        "ptrace",
        "read",
    ] {
        assert_eq!(jailed(call).signal(), Some(libc::SIGSYS), "{call}");
    }
}
