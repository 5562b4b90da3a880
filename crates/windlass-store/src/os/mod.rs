//! What each operating system does in its own way: [`FileEvents`] reports writes to the database's
//! files, and [`WaitEnd`] ends a wait for them.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "macos.rs")]
mod system;

pub(crate) use system::{FileEvents, WaitEnd};
