//! What each operating system does in its own way. A system is a module with the same functions as
//! the others; nothing else of this crate asks which system it is.
//!
//! - `ancestors`: the processes that led to this one.
//! - `is_other_end`: whether the input is the other end of a pseudoterminal.
//! - `keep_orphans`: keeps what a client leaves behind below this process.
//! - `user_of_socket`, `is_real_user`: whose socket is at the other end of a connection.
//! - `own_memory`, `give_memory_back`: memory that the allocator holds.
//! - `host_name`, `system_release`, `this_program`: the names of the machine, of its kernel and of
//!   this program.
//! - `application_settings`, `ALWAYS_HAS_A_DISPLAY`, `OPENER`: where applications keep their
//!   settings, and how a page is opened in a browser.

#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "macos.rs")]
mod system;

pub use system::{
    ALWAYS_HAS_A_DISPLAY, OPENER, ancestors, application_settings, give_memory_back, host_name,
    is_other_end, is_real_user, keep_orphans, own_memory, system_release, this_program,
    user_of_socket,
};
