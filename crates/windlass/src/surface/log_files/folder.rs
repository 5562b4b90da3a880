//! The files in the folder of logs, by their names: `20260130T120000Z-mcp-4711-0.log`.

use std::fs;
use std::path::{Path, PathBuf};

/// How a name ends.
const ENDING: &str = ".log";

/// A file of one process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogFile {
    /// When it was begun, in a form that sorts.
    pub begun: String,
    /// What wrote it: mcp, serve or cli.
    pub surface: String,
    pub process: u32,
    /// Counts the files of one process.
    pub part: u32,
    pub path: PathBuf,
    pub length: u64,
}

impl LogFile {
    pub fn name(begun: &str, surface: &str, process: u32, part: u32) -> String {
        format!("{begun}-{surface}-{process}-{part}{ENDING}")
    }

    fn of(path: PathBuf) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(ENDING)?.to_owned();
        let mut parts = name.split('-');
        let (begun, surface) = (parts.next()?, parts.next()?);
        let (process, part) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let found = fs::symlink_metadata(&path).ok()?;
        (parts.next().is_none() && found.is_file()).then(|| Self {
            begun: begun.to_owned(),
            surface: surface.to_owned(),
            process,
            part,
            length: found.len(),
            path,
        })
    }
}

/// The log files, the oldest first. Nothing else in the folder counts.
pub fn log_files(folder: &Path) -> Vec<LogFile> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<LogFile> = entries
        .filter_map(|entry| LogFile::of(entry.path()))
        .collect();
    files.sort();
    files
}
