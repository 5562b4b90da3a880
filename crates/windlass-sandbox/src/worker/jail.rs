//! Restricts what a worker may do, through the kernel.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::limits::Limits;

/// Restricts the whole process. Returns whether system calls are filtered too, which only Linux
/// supports.
pub fn close(pipe: BorrowedFd<'_>) -> io::Result<bool> {
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, 0)?;
    // Enough descriptors for those that are open and for polling, and no more.
    limit(Resource::Nofile, 8)?;
    // A last limit, far above what any script is allowed, in case the limits of the engine fail.
    let most = Limits::MAXIMUM.memory_bytes + super::STACK_BYTES + 1024 * 1024 * 1024;
    limit(Resource::As, most as u64)?;
    filter::apply(pipe.as_raw_fd())
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let limit = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    setrlimit(resource, limit)?;
    Ok(())
}

/// A worker may use memory, its pipe and the clock.
#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
mod filter {
    use std::io;

    use std::os::fd::RawFd;

    use seccompiler::{
        BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
        SeccompFilter, SeccompRule,
    };

    const ALLOWED: &[i64] = &[
        libc::SYS_brk,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_futex,
        libc::SYS_ppoll,
        libc::SYS_clock_gettime,
        libc::SYS_gettimeofday,
        libc::SYS_getrandom,
        libc::SYS_sched_yield,
        libc::SYS_restart_syscall,
        libc::SYS_rt_sigreturn,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_sigaltstack,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_tgkill,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    #[cfg(target_arch = "x86_64")]
    const ALLOWED_HERE: &[i64] = &[libc::SYS_poll];
    #[cfg(not(target_arch = "x86_64"))]
    const ALLOWED_HERE: &[i64] = &[];

    /// Calls that fail without killing the process: the C library tries to read a setting when it
    /// frees much memory.
    const REFUSED: &[i64] = &[libc::SYS_openat];

    /// Any other system call kills the process.
    pub fn apply(pipe: RawFd) -> io::Result<bool> {
        let programs = allowing(pipe).and_then(|allowing| Ok([refusing()?, allowing]));
        let [refusing, allowing] = programs.map_err(io::Error::other)?;
        // If the kernel has no filters, the other limits must suffice; the host is informed.
        Ok(seccompiler::apply_filter_all_threads(&refusing).is_ok()
            && seccompiler::apply_filter_all_threads(&allowing).is_ok())
    }

    /// Reading and writing are allowed only on the pipe, even if the host left other descriptors
    /// open; files cannot be mapped into memory.
    fn allowing(pipe: RawFd) -> Result<BpfProgram, Error> {
        let unconditional = ALLOWED.iter().chain(ALLOWED_HERE).chain(REFUSED);
        let mut rules: Vec<_> = unconditional.map(|call| (*call, Vec::new())).collect();
        rules.push((libc::SYS_read, vec![when(0, pipe)?]));
        rules.push((libc::SYS_write, vec![when(0, pipe)?]));
        rules.push((libc::SYS_mmap, vec![when(4, -1)?]));
        let filter = SeccompFilter::new(
            rules.into_iter().collect(),
            SeccompAction::KillProcess,
            SeccompAction::Allow,
            std::env::consts::ARCH.try_into()?,
        )?;
        Ok(filter.try_into()?)
    }

    fn refusing() -> Result<BpfProgram, Error> {
        let refused = u32::try_from(libc::EPERM).unwrap_or_default();
        let filter = SeccompFilter::new(
            REFUSED.iter().map(|call| (*call, Vec::new())).collect(),
            SeccompAction::Allow,
            SeccompAction::Errno(refused),
            std::env::consts::ARCH.try_into()?,
        )?;
        Ok(filter.try_into()?)
    }

    /// The rule that an argument is this descriptor.
    fn when(argument: u8, descriptor: RawFd) -> Result<SeccompRule, Error> {
        let value = u64::from(u32::from_ne_bytes(descriptor.to_ne_bytes()));
        let condition =
            SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)?;
        Ok(SeccompRule::new(vec![condition])?)
    }
}

#[cfg(not(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)))]
mod filter {
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
    pub fn apply(_pipe: std::os::fd::RawFd) -> std::io::Result<bool> {
        Ok(false)
    }
}
