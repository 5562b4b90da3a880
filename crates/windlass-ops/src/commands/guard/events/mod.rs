//! Changes of files as the system reports them: nothing is missed, also what is undone at once.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod os;

#[cfg(not(target_os = "linux"))]
#[path = "none.rs"]
mod os;

pub use os::FileEvents;
