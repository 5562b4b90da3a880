//! The output of `windlass setup`: what was changed and where, and what to do next.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value as Json;
use similar::TextDiff;
use windlass_ops::{Render, Span, Style, View};

use super::clients::Scope;
use super::parts::{Part, PlannedFile};
use super::plan::Change;

#[derive(Debug, Serialize)]
pub struct SetUp {
    pub client: &'static str,
    #[serde(skip)]
    pub title: &'static str,
    pub scope: Scope,
    pub name: String,
    /// The change as a whole.
    pub change: Change,
    /// Whether the files were written.
    pub written: bool,
    /// The entry now, or before it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Json>,
    pub files: Vec<SetUpFile>,
    /// Notes, and what to do next.
    pub notes: Vec<String>,
    /// A person has seen the changes already.
    #[serde(skip)]
    pub diff_was_shown: bool,
}

/// One file of a setup.
#[derive(Debug, Serialize)]
pub struct SetUpFile {
    pub part: Part,
    pub file: PathBuf,
    pub change: Change,
    /// The change as a unified diff; empty if there is none.
    pub diff: String,
    /// The resulting file, with `--print`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl SetUpFile {
    pub fn of(planned: &PlannedFile) -> Self {
        let (file, plan) = (&planned.file, &planned.plan);
        let path = file.path.display().to_string();
        Self {
            part: planned.part,
            diff: diff(&path, file.text.as_deref(), plan.after.as_deref()),
            file: file.path.clone(),
            change: plan.change,
            text: None,
        }
    }
}

impl SetUp {
    /// All changes, one after another.
    pub fn diff(&self) -> String {
        self.files.iter().map(|file| file.diff.as_str()).collect()
    }

    /// The resulting files; each under its path if there are several.
    pub fn texts(&self) -> String {
        let mut all = String::new();
        for file in &self.files {
            if self.files.len() > 1 {
                let _ = writeln!(all, "==> {} <==", file.file.display());
            }
            all += file.text.as_deref().unwrap_or_default();
        }
        all
    }
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

impl Change {
    fn word(self) -> &'static str {
        match self {
            Self::Added => "added to",
            Self::Replaced => "updated in",
            Self::Unchanged => "already in",
            Self::Removed => "removed from",
            Self::Absent => "nothing removed from",
        }
    }
}

impl Render for SetUp {
    fn view(&self) -> View {
        let mut view = View::default();
        let diff = self.diff();
        if !self.diff_was_shown && !diff.is_empty() {
            view = windlass_ops::diff_view(&diff).blank();
        }
        let said = match self.change {
            Change::Added => format!("{} is set up:", self.title),
            Change::Replaced => format!("{} is set up again:", self.title),
            Change::Unchanged => format!("{} was already set up:", self.title),
            Change::Removed => format!("{} is no longer set up:", self.title),
            Change::Absent => format!("{} was not set up:", self.title),
        };
        let style = if self.written {
            Style::Good
        } else {
            Style::Plain
        };
        view = view.line([Span::new(said, style)]);
        for file in &self.files {
            view = view.line([
                Span::from(format!("  {} {} ", file.part.name(), file.change.word())),
                Span::new(file.file.display().to_string(), Style::Strong),
            ]);
        }
        self.notes
            .iter()
            .fold(view, |view, note| view.line([note.as_str().into()]))
    }
}
