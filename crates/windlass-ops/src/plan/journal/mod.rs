//! The two journals, `learnings.txt` and `progress.txt`: entries are added, never changed, by any number
//! of writers at once, on any number of clones.
//!
//! The entries are in the state, and travel between clones in packs. The files are written from it, for
//! people and programs that read them; what a person adds to a file by hand is taken in.

mod file;
mod text;

use std::io;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use windlass_core::{Error, EventType, Origin, Result, Timestamp};
use windlass_store::{JournalKind, Project, Reader, Store, Writer};

use crate::context::{Context, ReadContext};
use crate::memory::{ProjectLearning, marked_learnings};
use crate::view::{Render, Span, Style, View};
use text::Line;

const MAX_TEXT_CHARS: usize = 10_000;

/// A journal, and the file that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Journal {
    Learnings,
    Progress,
}

impl Journal {
    pub const ALL: [Self; 2] = [Self::Learnings, Self::Progress];

    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Learnings => "learnings.txt",
            Self::Progress => "progress.txt",
        }
    }

    const fn kind(self) -> JournalKind {
        match self {
            Self::Learnings => JournalKind::Learnings,
            Self::Progress => JournalKind::Progress,
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

    /// Adds one entry with its time. It is durable before this returns.
    pub fn append(self, context: &Context, given: &str) -> Result<Appended> {
        let text = given.trim();
        let count = text.chars().count();
        if !(1..=MAX_TEXT_CHARS).contains(&count) {
            return Err(Error::validation(
                "text",
                format!("has {count} characters, 1 to {MAX_TEXT_CHARS} are allowed"),
            ));
        }
        let project = context.workspace.project();
        // A link or a pipe in the place of the file is refused before anything is stored.
        file::read(&self.path(project)).map_err(|error| self.failed(&error))?;
        let at = Timestamp::now();
        let lines = text.replace("\r\n", "\n").replace('\r', "\n");
        context.write(|writer| {
            writer.append_journal(self.kind(), &lines, &at)?;
            self.note(writer)
        })?;
        self.write_file(&context.store, &context.origin, project)?;
        Ok(Appended {
            file: format!(".windlass/{}", self.file_name()),
            at: at.as_str().to_owned(),
            text: text.to_owned(),
        })
    }

    /// Takes in what people added to the file of this checkout, and writes the file from the state.
    pub fn write_file(self, store: &Store, origin: &Origin, project: &Project) -> Result<()> {
        let path = self.path(project);
        let rewritten = |before: &file::FileText| {
            let known = store.read(None, |reader| self.entries(reader))?;
            let news = if before.is_whole {
                text::news(&known, &before.text)
            } else {
                Vec::new()
            };
            if news.is_empty() {
                return Ok(text::write(&known));
            }
            store.write(origin, |writer| {
                for line in &news {
                    writer.append_journal(self.kind(), &line.text, &line.at)?;
                }
                self.note(writer)
            })?;
            let all = store.read(None, |reader| self.entries(reader))?;
            Ok(text::write(&all))
        };
        file::replace(&path, rewritten, |error| self.failed(error))
    }

    fn note(self, writer: &Writer<'_>) -> Result<()> {
        let payload = json!({"file": self.file_name()});
        writer.note(EventType::JournalAppended, &payload)
    }

    fn entries(self, reader: &Reader<'_>) -> Result<Vec<Line>> {
        let entries = reader.journal(self.kind())?.into_iter();
        let lines = entries.map(|entry| Line {
            at: entry.at,
            text: entry.text,
        });
        Ok(lines.collect())
    }

    /// The learnings among the entries, with what people added to the file, and whether each holds.
    pub fn learnings(self, context: &ReadContext) -> Result<Vec<ProjectLearning>> {
        let file = file::read(&self.path(context.workspace.project()))
            .map_err(|error| self.failed(&error))?;
        let mut all = context.read(|reader| self.entries(reader))?;
        all.extend(text::news(&all, &file.text));
        all.sort_by(|one, other| one.at.cmp(&other.at));
        Ok(marked_learnings(
            all.into_iter().map(|line| (line.at, line.text)),
        ))
    }

    /// The text as the file has it, with what people added and nobody has taken in yet; or its end if
    /// it is too long for an output.
    pub fn read(self, context: &ReadContext) -> Result<JournalText> {
        let file = file::read(&self.path(context.workspace.project()))
            .map_err(|error| self.failed(&error))?;
        let mut all = context.read(|reader| self.entries(reader))?;
        all.extend(text::news(&all, &file.text));
        all.sort_by(|one, other| one.at.cmp(&other.at));
        let whole = text::write(&all);
        let (text, omitted) = end_of(&whole, context.output_budget.unwrap_or(usize::MAX));
        Ok(JournalText {
            file: format!(".windlass/{}", self.file_name()),
            text: text.to_owned(),
            omitted_bytes: (omitted > 0).then_some(omitted),
        })
    }
}

/// Writes the files of this checkout from the state, where that is possible; the next one tries again.
pub fn write_files(store: &Store, origin: &Origin, project: &Project) -> Vec<Error> {
    let written = |journal: Journal| journal.write_file(store, origin, project).err();
    Journal::ALL.into_iter().filter_map(written).collect()
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
    fn the_end_of_a_long_file() {
        assert_eq!(end_of("aaa\nbbb\nccc\n", 9), ("bbb\nccc\n", 4));
        assert_eq!(end_of("aaa\n", 9), ("aaa\n", 0));
        assert_eq!(end_of("ééééé", 3), ("é", 8));
    }
}
