//! What the kernel keeps a worker from.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::limits::Limits;

/// Closes the jail around the whole process. Says whether system calls are filtered too, which only
/// Linux can do.
pub fn close() -> io::Result<bool> {
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, 0)?;
    // Enough for what is open and for waiting on it, and for nothing more.
    limit(Resource::Nofile, 8)?;
    // A last stop, far above what any script is allowed, for what the limits of the engine miss.
    let most = Limits::CEILING.memory_bytes + super::STACK_BYTES + 1024 * 1024 * 1024;
    limit(Resource::As, most as u64)?;
    filter::apply()
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
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod filter {
    use std::io;

    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

    const ALLOWED: &[i64] = &[
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_close,
        libc::SYS_ppoll,
        libc::SYS_brk,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_futex,
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

    /// Anything else ends the process.
    pub fn apply() -> io::Result<bool> {
        let rules = ALLOWED.iter().chain(ALLOWED_HERE);
        let filter = SeccompFilter::new(
            rules.map(|call| (*call, Vec::new())).collect(),
            SeccompAction::KillProcess,
            SeccompAction::Allow,
            std::env::consts::ARCH.try_into().map_err(io::Error::other)?,
        )
        .map_err(io::Error::other)?;
        let program: BpfProgram = filter.try_into().map_err(io::Error::other)?;
        // Where the kernel has no filters the rest of the jail must do, and the host is told.
        Ok(seccompiler::apply_filter_all_threads(&program).is_ok())
    }
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
)))]
mod filter {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub fn apply() -> std::io::Result<bool> {
        Ok(false)
    }
}
