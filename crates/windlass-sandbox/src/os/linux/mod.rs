//! Linux: a seccomp filter, where the filter library knows the processor.

use std::io;
use std::os::fd::BorrowedFd;

#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
))]
mod filter;

/// Filters the system calls of the whole process, which may read and write `pipe` only.
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
))]
pub fn filter_system_calls(pipe: BorrowedFd<'_>) -> io::Result<bool> {
    use std::os::fd::AsRawFd as _;

    filter::apply(pipe.as_raw_fd())
}

#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
)))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
pub fn filter_system_calls(_pipe: BorrowedFd<'_>) -> io::Result<bool> {
    Ok(false)
}
