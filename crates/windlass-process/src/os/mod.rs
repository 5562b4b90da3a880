//! What each operating system does in its own way. A system is a module with the same functions as
//! the others; nothing else of this crate asks which system it is.
//!
//! - `process_stat`, `namespace`, `environments`, `descendants`: what is known about processes.
//! - `adopt_orphans`, `members`, `signal`: all processes of a job.
//! - `listening_sockets`, `holds_any`: who listens on a port.
//! - `enlarge`, `NO_SIGNAL`, `CLOSE_ON_EXEC`: how pipes and sockets are used.

#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "macos.rs")]
mod system;

pub use system::{
    CLOSE_ON_EXEC, NO_SIGNAL, adopt_orphans, descendants, enlarge, environments, holds_any,
    listening_sockets, members, namespace, process_stat, signal,
};
