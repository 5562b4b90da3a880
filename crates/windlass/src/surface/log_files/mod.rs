//! The log files of this user: where the servers of all projects write what they log, and where it is read.
//!
//! Each process writes files of its own, so that nobody waits for a lock and no two lines mix. A file is
//! begun with the first line, has a bounded size, and the oldest are removed when all of them are too large.
//! Only this user can read them, and no secret is in them.

mod folder;
mod line;
mod settings;
mod writer;

use std::path::{Path, PathBuf};

pub use folder::{LogFile, log_files};
pub use line::{Level, LogLine};
pub use settings::LogSettings;

/// The folder of the log files, in the user's folder for state.
pub fn folder(state_home: &Path) -> PathBuf {
    state_home.join("windlass").join("logs")
}
