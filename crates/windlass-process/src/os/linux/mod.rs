//! Linux.

mod processes;
mod sockets;
mod tree;

use std::os::fd::AsFd;

use rustix::net::{RecvFlags, SendFlags};

pub use processes::{environments, namespace, process_stat};
pub use sockets::{holds_any, listening_sockets};
pub use tree::{adopt_orphans, descendants, members, signal};

/// Writing to a shim that has exited is an error, not a signal.
pub const NO_SIGNAL: SendFlags = SendFlags::NOSIGNAL;
/// Descriptors that are received are not inherited.
pub const CLOSE_ON_EXEC: RecvFlags = RecvFlags::CMSG_CLOEXEC;

/// The size of a pipe whose writer had to wait. Not of every pipe from the start: the memory that a
/// user may have in pipes is limited, and beyond that all new pipes of the user are tiny.
const LARGE_PIPE: usize = 1024 * 1024;

/// Gives a pipe more room.
pub fn enlarge(pipe: impl AsFd) {
    // If it is not permitted, the pipe keeps its size.
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, LARGE_PIPE);
}
