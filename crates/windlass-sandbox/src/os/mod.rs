//! What each operating system does in its own way: `filter_system_calls` restricts what a worker may
//! ask of the kernel, and returns whether it could.

#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "macos.rs")]
mod system;

pub use system::filter_system_calls;
