//! Linux.

mod file_events;

use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

pub use file_events::FileEvents;

/// The boot of the system, if it can be named.
pub fn boot() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned())
}

/// A short path of an open folder, where the system has one.
pub fn path_of(folder: &File) -> Option<PathBuf> {
    let descriptors = Path::new("/proc/self/fd");
    let path = descriptors.join(folder.as_raw_fd().to_string());
    descriptors.exists().then_some(path)
}
