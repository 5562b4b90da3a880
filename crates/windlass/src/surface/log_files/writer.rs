//! Writes the lines of one process.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use super::folder::{LogFile, log_files};
use super::line::Level;
use crate::surface::redact::Redactor;

/// The largest file, and all of them together.
const LARGEST: u64 = 1 << 20;
const MOST: u64 = 16 << 20;
/// Servers that log little leave small files.
const MOST_FILES: usize = 200;

/// Where lines of this process go. A disk that cannot be written costs lines and nothing else.
pub struct LogWriter {
    folder: PathBuf,
    surface: &'static str,
    /// The first line of each file: what this process is.
    about: String,
    redactor: Redactor,
    file: Option<(File, u64)>,
    parts: u32,
    largest: u64,
    most: u64,
}

impl LogWriter {
    pub fn new(folder: PathBuf, surface: &'static str, about: String, redactor: Redactor) -> Self {
        Self {
            folder,
            surface,
            about,
            redactor,
            file: None,
            parts: 0,
            largest: LARGEST,
            most: MOST,
        }
    }

    /// Writes one line.
    pub fn line(&mut self, level: Level, target: &str, message: &str) -> io::Result<()> {
        self.write_all(line(level, target, message).as_bytes())
    }

    fn begin(&mut self) -> io::Result<(File, u64)> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)?;
        self.make_room();
        let begun = jiff::Timestamp::now()
            .strftime("%Y%m%dT%H%M%SZ")
            .to_string();
        let name = LogFile::name(&begun, self.surface, std::process::id(), self.parts);
        self.parts += 1;
        let mut file = OpenOptions::new()
            .create_new(true)
            .append(true)
            .mode(0o600)
            .open(self.folder.join(name))?;
        let head = line(Level::Info, "windlass::log", &self.about);
        let head = self.redactor.text(&head);
        file.write_all(head.as_bytes())?;
        Ok((file, head.len() as u64))
    }

    /// Removes the oldest files, until there is room for one more.
    fn make_room(&self) {
        let files = log_files(&self.folder);
        let mut total: u64 = files.iter().map(|file| file.length).sum();
        let mut count = files.len();
        for file in files {
            if total + self.largest <= self.most && count < MOST_FILES {
                return;
            }
            // Another process may have removed it.
            let _ = fs::remove_file(&file.path);
            total -= file.length;
            count -= 1;
        }
    }
}

impl Write for LogWriter {
    /// Whole lines, which stay together.
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let text = self.redactor.text(&String::from_utf8_lossy(lines));
        let (mut file, mut length) = match self.file.take() {
            Some((file, length)) if length + text.len() as u64 <= self.largest => (file, length),
            _ => self.begin()?,
        };
        file.write_all(text.as_bytes())?;
        length += text.len() as u64;
        self.file = Some((file, length));
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A line in the form of all others; what could begin another one is escaped.
fn line(level: Level, target: &str, message: &str) -> String {
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ");
    let level = level.name().to_uppercase();
    let message = message.replace('\n', "\\n").replace('\r', "\\r");
    format!("{now} {level} {target} {message}\n")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn writer(folder: &std::path::Path) -> LogWriter {
        let redactor = Redactor::new(["hunter2hunter2".to_owned()]);
        LogWriter {
            largest: 300,
            most: 1000,
            ..LogWriter::new(
                folder.join("logs"),
                "mcp",
                "windlass 1".to_owned(),
                redactor,
            )
        }
    }

    #[test]
    fn nothing_is_made_before_the_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = writer(folder.path());
        assert!(!folder.path().join("logs").exists());
        writer.write_all(b"a hunter2hunter2 b\n").unwrap();
        let files = log_files(&folder.path().join("logs"));
        assert_eq!(files.len(), 1);
        let text = fs::read_to_string(&files[0].path).unwrap();
        assert!(
            text.ends_with("INFO windlass::log windlass 1\na *** b\n"),
            "{text}"
        );
        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&files[0].path), 0o600);
        assert_eq!(mode(&folder.path().join("logs")), 0o700);
    }

    #[test]
    fn files_and_all_of_them_stay_small() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = writer(folder.path());
        let line = format!("{}\n", "x".repeat(99));
        for _ in 0..50 {
            writer.write_all(line.as_bytes()).unwrap();
        }
        let files = log_files(&folder.path().join("logs"));
        assert!(files.len() >= 2, "{files:?}");
        assert!(files.iter().all(|file| file.length <= 300), "{files:?}");
        let total: u64 = files.iter().map(|file| file.length).sum();
        assert!(total <= 1000, "{total}");
        assert_eq!(files.last().map(|file| file.part), Some(writer.parts - 1));
    }
}
