//! The calls of a launched session, one line each, for the launcher that shows them as they come.
//!
//! Calls are not part of the project's history. The launcher makes the file; where it is missing,
//! nobody watches and nothing is written.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedCall {
    pub tool: String,
    pub milliseconds: u64,
    /// How much the agent was given to read.
    pub characters: usize,
    /// Whether the answer was an error.
    pub failed: bool,
}

/// The file of a session, if there is one.
#[derive(Debug, Default)]
pub struct CallLog(Option<Mutex<File>>);

impl CallLog {
    pub fn open(path: &Path) -> Self {
        let file = OpenOptions::new().append(true).open(path);
        Self(file.ok().map(Mutex::new))
    }

    pub fn record(
        &self,
        tool: &str,
        since: Instant,
        characters: impl FnOnce() -> usize,
        failed: bool,
    ) {
        let Some(file) = &self.0 else { return };
        let call = LoggedCall {
            tool: tool.to_owned(),
            milliseconds: u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX),
            characters: characters(),
            failed,
        };
        let mut line = serde_json::to_string(&call).unwrap_or_default();
        line.push('\n');
        // Whoever watches misses a line then; the call itself must not fail by that.
        let _ = file
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write_all(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_written_only_where_someone_watches() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        CallLog::open(&path).record("done", Instant::now(), || 7, false);
        assert!(!path.exists());
        std::fs::write(&path, "").unwrap();
        let log = CallLog::open(&path);
        log.record("ask", Instant::now(), || 7, false);
        log.record("done", Instant::now(), || 9, true);
        let text = std::fs::read_to_string(&path).unwrap();
        let calls: Vec<LoggedCall> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(calls.len(), 2);
        assert_eq!((calls[1].tool.as_str(), calls[1].failed), ("done", true));
    }
}
