//! Linux.

mod memory;
mod processes;
mod sockets;

use std::io::Stdin;
use std::path::{Path, PathBuf};

pub use memory::{give_memory_back, own_memory};
pub use processes::ancestors;
pub use sockets::{is_real_user, user_of_socket};

/// The program that opens a file in the browser.
pub const OPENER: &str = "xdg-open";
/// Whether windows can be opened whatever the environment says.
pub const ALWAYS_HAS_A_DISPLAY: bool = false;

/// Whether the input is the other end of a pseudoterminal.
pub fn is_other_end(input: &Stdin) -> bool {
    let device = rustix::fs::fstat(input).map_or(0, |found| found.st_rdev);
    (rustix::fs::major(device), rustix::fs::minor(device)) == (5, 2)
}

/// What a client starts and leaves behind stays below this process, so that it is still seen where
/// it came from: it must not pass for a person.
pub fn keep_orphans() {
    let own = rustix::process::getpid();
    // A kernel that cannot do this has no means to tell.
    let _ = rustix::process::set_child_subreaper(Some(own));
}

/// The name of this machine.
pub fn host_name() -> Option<String> {
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    let mut read = files.iter().map(std::fs::read_to_string);
    read.find_map(Result::ok)
}

/// The version of the kernel.
pub fn system_release() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    Some(text.trim().to_owned())
}

/// This very program, even if its file is replaced by a newer one while it runs.
pub fn this_program() -> Option<PathBuf> {
    let by_system = Path::new("/proc/self/exe");
    by_system.exists().then(|| by_system.to_owned())
}

/// Where applications with windows keep their settings, if not where all programs do.
pub fn application_settings(_home: &Path) -> Option<PathBuf> {
    None
}
