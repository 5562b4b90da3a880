//! What each operating system does in its own way.
//!
//! - [`FileEvents`] reports changes of files: nothing is missed, also what is undone at once. Where
//!   there are none, the states of the files have to do.
//! - [`boot`] names the boot of the system: after another one no process is the same.
//! - [`path_of`] is a short path of an open folder.

#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "macos.rs")]
mod system;

pub use system::{FileEvents, boot, path_of};
