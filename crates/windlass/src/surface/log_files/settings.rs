//! What a process logs, and where to.

use std::path::PathBuf;

use super::writer::LogWriter;
use crate::surface::redact::Redactor;

#[derive(Debug, Clone)]
pub struct LogSettings {
    /// What is logged, as `RUST_LOG` says it.
    pub directives: String,
    /// The folder of the log files.
    pub folder: PathBuf,
    /// What kind of process this is.
    pub surface: &'static str,
    /// The folder that it works in.
    pub cwd: PathBuf,
    pub redactor: Redactor,
}

impl LogSettings {
    /// Where the lines of this process are kept; none if nothing is logged.
    pub fn writer(&self) -> Option<LogWriter> {
        (self.directives != "off").then(|| {
            let about = format!(
                "windlass {} {} in {}",
                env!("CARGO_PKG_VERSION"),
                self.surface,
                self.cwd.display()
            );
            LogWriter::new(
                self.folder.clone(),
                self.surface,
                about,
                self.redactor.clone(),
            )
        })
    }
}
