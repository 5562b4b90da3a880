//! Restricts what a worker may do, through the kernel.

use std::io;
use std::os::fd::BorrowedFd;

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::limits::Limits;
use crate::os;

/// Restricts the whole process. Returns whether system calls are filtered too.
pub fn close(pipe: BorrowedFd<'_>) -> io::Result<bool> {
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, 0)?;
    // Enough descriptors for those that are open and for polling, and no more.
    limit(Resource::Nofile, 8)?;
    // A last limit, far above what any script is allowed, in case the limits of the engine fail.
    let most = Limits::MAXIMUM.memory_bytes + super::STACK_BYTES + 1024 * 1024 * 1024;
    limit(Resource::As, most as u64)?;
    os::filter_system_calls(pipe)
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let limit = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    setrlimit(resource, limit)?;
    Ok(())
}
