//! The output of `windlass setup`: what was changed and where, and what to do next.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value as Json;
use similar::TextDiff;
use windlass_ops::{Render, Span, Style, View};

use super::clients::Scope;
use super::plan::Change;

#[derive(Debug, Serialize)]
pub struct SetUp {
    pub client: &'static str,
    #[serde(skip)]
    pub title: &'static str,
    pub scope: Scope,
    pub file: PathBuf,
    pub name: String,
    pub change: Change,
    /// Whether the file was written.
    pub written: bool,
    /// The entry now, or before it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Json>,
    /// The change as a unified diff; empty if there is none.
    pub diff: String,
    /// The resulting file, with `--print`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Notes, and what to do next.
    pub notes: Vec<String>,
    /// A person has seen the change already.
    #[serde(skip)]
    pub diff_was_shown: bool,
}

/// The change as a unified diff, with the file's name above.
pub fn diff(file: &str, before: Option<&str>, after: Option<&str>) -> String {
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    if old == new {
        return String::new();
    }
    let name = |text: Option<&str>| text.map_or("/dev/null", |_| file).to_owned();
    TextDiff::from_lines(old, new)
        .unified_diff()
        .header(&name(before), &name(after))
        .to_string()
}

/// A diff for people.
pub fn diff_view(diff: &str) -> View {
    diff.lines().fold(View::default(), |view, line| {
        let style = match line.as_bytes() {
            [b'+', b'+', ..] | [b'-', b'-', ..] => Style::Strong,
            [b'+', ..] => Style::Good,
            [b'-', ..] => Style::Bad,
            [b'@', ..] => Style::Dim,
            _ => Style::Plain,
        };
        view.line([Span::new(line.replace('\t', "    "), style)])
    })
}

impl Render for SetUp {
    fn view(&self) -> View {
        let mut view = View::default();
        if !self.diff_was_shown && !self.diff.is_empty() {
            view = diff_view(&self.diff).blank();
        }
        let said = match self.change {
            Change::Added => format!("{} is set up: ", self.title),
            Change::Replaced => format!("{} is set up again: ", self.title),
            Change::Unchanged => format!("{} was already set up: ", self.title),
            Change::Removed => format!("{} no longer starts {}: ", self.title, self.name),
            Change::Absent => format!("{} has no entry {}: ", self.title, self.name),
        };
        let style = if self.written {
            Style::Good
        } else {
            Style::Plain
        };
        view = view.line([
            Span::new(said, style),
            Span::new(self.file.display().to_string(), Style::Strong),
        ]);
        self.notes
            .iter()
            .fold(view, |view, note| view.line([note.as_str().into()]))
    }
}
