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

#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
mod filter;

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
