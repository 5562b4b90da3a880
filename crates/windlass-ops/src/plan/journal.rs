//! The two state files, `learnings.txt` and `progress.txt`: lines are added, never changed, by any
//! number of writers at once.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use rustix::fs::{FlockOperation, OFlags, flock};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use windlass_core::{Error, EventType, Result, Timestamp};
use windlass_store::Project;

use crate::context::{Context, ReadContext};
use crate::view::{Render, Span, Style, View};

const MAX_TEXT_CHARS: usize = 10_000;
/// More than this is not read: its end is what counts.
const LONGEST_READ: u64 = 16 << 20;

/// A file that grows by a line at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Journal {
    Learnings,
    Progress,
}

impl Journal {
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Learnings => "learnings.txt",
            Self::Progress => "progress.txt",
        }
    }

    fn path(self, project: &Project) -> PathBuf {
        project.folder().join(self.file_name())
    }

    fn failed(self, error: &io::Error) -> Error {
        let error_of = format!(".windlass/{}: {error}", self.file_name());
        let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
        let failure = Error::storage(error_of);
        if is_link {
            return failure.with_hint("Replace the link by a file.");
        }
        failure
    }

    /// Adds one entry with its time. The write is durable and all or nothing.
    pub fn append(self, context: &Context, given: &str) -> Result<Appended> {
        let text = given.trim();
        let count = text.chars().count();
        if !(1..=MAX_TEXT_CHARS).contains(&count) {
            return Err(Error::validation(
                "text",
                format!("has {count} characters, 1 to {MAX_TEXT_CHARS} are allowed"),
            ));
        }
        let at = Timestamp::now();
        let entry = format!("[{}] {}\n", at.as_str(), text.replace('\n', "\n  "));
        let project = context.workspace.project();
        let path = self.path(project);
        add(&path, entry.as_bytes()).map_err(|error| self.failed(&error))?;
        context.write(|writer| {
            let payload = json!({"file": self.file_name()});
            writer.note(EventType::JournalAppended, &payload)
        })?;
        Ok(Appended {
            file: format!(".windlass/{}", self.file_name()),
            at: at.as_str().to_owned(),
            text: text.to_owned(),
        })
    }

    /// The file, or its end if it is too long for an output.
    pub fn read(self, context: &ReadContext) -> Result<JournalText> {
        let path = self.path(context.workspace.project());
        let whole = match open(&path, OpenOptions::new().read(true)) {
            Ok(file) => read_all(file).map_err(|error| self.failed(&error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(self.failed(&error)),
        };
        let (text, omitted) = end_of(&whole, context.output_budget.unwrap_or(usize::MAX));
        Ok(JournalText {
            file: format!(".windlass/{}", self.file_name()),
            text: text.to_owned(),
            omitted_bytes: (omitted > 0).then_some(omitted),
        })
    }
}

/// Whole lines from the end that fit, and how many bytes come before them.
fn end_of(whole: &str, budget: usize) -> (&str, usize) {
    if whole.len() <= budget {
        return (whole, 0);
    }
    let mut from = whole.len() - budget;
    while !whole.is_char_boundary(from) {
        from += 1;
    }
    let start = whole[from..].find('\n').map_or(from, |end| from + end + 1);
    (&whole[start..], start)
}

/// A link is not followed: it could lead out of the project.
fn open(path: &std::path::Path, options: &OpenOptions) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    options.clone().custom_flags(flags).open(path)
}

/// The text of the file, or its last megabytes.
fn read_all(mut file: File) -> io::Result<String> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let skipped = metadata.len().saturating_sub(LONGEST_READ);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(LONGEST_READ).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn add(path: &std::path::Path, entry: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = open(path, options.append(true).read(true).create(true))?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    flock(&file, FlockOperation::LockExclusive)?;
    let end = file.seek(SeekFrom::End(0))?;
    // A last line without a newline, from an editor, gets one.
    let starts_line = end == 0 || {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        last == *b"\n"
    };
    let mut line = Vec::with_capacity(entry.len() + 1);
    if !starts_line {
        line.push(b'\n');
    }
    line.extend_from_slice(entry);
    let written = file.write_all(&line).and_then(|()| file.sync_data());
    if written.is_err() {
        // A full disk must not leave half a line.
        let _ = file.set_len(end);
    }
    written
}

/// What was added.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Appended {
    pub file: String,
    pub at: String,
    pub text: String,
}

impl Render for Appended {
    fn view(&self) -> View {
        View::default().line([
            Span::new("Added ", Style::Good),
            Span::from(format!("to {}: {}", self.file, self.text)),
        ])
    }
}

/// The content of a state file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JournalText {
    pub file: String,
    pub text: String,
    /// How many bytes at its beginning are omitted because the output would be too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted_bytes: Option<usize>,
}

impl Render for JournalText {
    fn view(&self) -> View {
        if self.text.is_empty() {
            return View::nothing(&format!("{} is empty.", self.file));
        }
        View::default().text(self.text.trim_end_matches('\n'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_writers_leave_whole_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("learnings.txt");
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    for line in 0..25 {
                        let text = format!("{writer}/{line} {}\n", "x".repeat(500));
                        add(path, text.as_bytes()).expect("added");
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&path).expect("read");
        assert_eq!(text.lines().count(), 200);
        assert!(text.lines().all(|line| line.ends_with(&"x".repeat(500))));
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = folder.path().join("elsewhere");
        std::fs::write(&elsewhere, "").expect("written");
        let path = folder.path().join("progress.txt");
        std::os::unix::fs::symlink(&elsewhere, &path).expect("linked");
        assert!(add(&path, b"line\n").is_err());
        assert_eq!(std::fs::read_to_string(elsewhere).expect("read"), "");
    }

    #[test]
    fn an_unfinished_line_is_finished_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("progress.txt");
        std::fs::write(&path, "by hand").expect("written");
        add(&path, b"new\n").expect("added");
        assert_eq!(
            std::fs::read_to_string(&path).expect("read"),
            "by hand\nnew\n"
        );
    }

    #[test]
    fn the_end_of_a_long_file() {
        assert_eq!(end_of("aaa\nbbb\nccc\n", 9), ("bbb\nccc\n", 4));
        assert_eq!(end_of("aaa\n", 9), ("aaa\n", 0));
        assert_eq!(end_of("ééééé", 3), ("é", 8));
    }
}
