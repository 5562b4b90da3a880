//! One check, and the report of all checks.

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;
use windlass_core::Error;
use windlass_ops::{Render, Span, Style, View};

use super::fix::why_not;
use crate::surface::cli::exit_codes::UNWELL;
use crate::surface::cli::text;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Ok,
    /// Works, but with a problem.
    Warning,
    /// Does not work.
    Error,
}

#[derive(Debug, Clone, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub status: Status,
    pub message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Why `--fix` left it, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<&'static str>,
}

/// Something that `--fix` did, or why not.
#[derive(Debug, Serialize)]
pub struct Fixed {
    pub name: &'static str,
    pub about: String,
    pub done: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Check {
    pub fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self::new(name, Status::Ok, message, None)
    }

    pub fn warning(name: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(name, Status::Warning, message, Some(fix.into()))
    }

    pub fn error(name: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(name, Status::Error, message, Some(fix.into()))
    }

    /// A domain error; `otherwise` is the fix if the error has no hint.
    pub fn failed(name: &'static str, error: &Error, otherwise: &str) -> Self {
        let fix = error.hint().map(|hint| text::naming().render(hint));
        Self::error(name, error.message(), fix.unwrap_or(otherwise.to_owned()))
    }

    fn new(
        name: &'static str,
        status: Status,
        message: impl Into<String>,
        fix: Option<String>,
    ) -> Self {
        Self {
            name,
            status,
            message: message.into(),
            fix,
            left: None,
        }
    }
}

/// The output of `windlass doctor`.
#[derive(Debug, Serialize)]
pub struct Report {
    pub version: &'static str,
    /// The project; none outside of one.
    pub project: Option<PathBuf>,
    pub errors: usize,
    pub warnings: usize,
    pub checks: Vec<Check>,
    /// What `--fix` did, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixes: Option<Vec<Fixed>>,
}

impl Report {
    pub fn new(project: Option<PathBuf>, checks: Vec<Check>) -> Self {
        let count = |status| checks.iter().filter(|check| check.status == status).count();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            project,
            errors: count(Status::Error),
            warnings: count(Status::Warning),
            checks,
            fixes: None,
        }
    }

    /// Adds what was fixed, and to each remaining problem why it was not.
    pub fn add_fixes(&mut self, fixes: Vec<Fixed>) {
        for check in &mut self.checks {
            check.left = (check.status != Status::Ok).then(|| why_not(check.name));
        }
        self.fixes = Some(fixes);
    }

    fn fixes_view(&self) -> View {
        let view = View::default();
        let Some(fixes) = &self.fixes else {
            return view;
        };
        if fixes.is_empty() {
            let text = "There is nothing that --fix could fix.";
            return view.line([Span::new(text, Style::Dim)]).blank();
        }
        let view = fixes.iter().fold(view, |view, fix| {
            let about = fix.about.lines().next().unwrap_or_default();
            let (word, style) = if fix.done {
                ("fixed      ", Style::Good)
            } else {
                ("not fixed  ", Style::Warning)
            };
            let view = view.line([Span::new(word, style), about.into()]);
            match &fix.problem {
                None => view,
                Some(problem) => view.line([format!("           {problem}").into()]),
            }
        });
        view.blank()
    }

    pub fn exit_code(&self) -> ExitCode {
        if self.errors > 0 {
            ExitCode::from(UNWELL)
        } else {
            ExitCode::SUCCESS
        }
    }
}

impl Render for Report {
    fn view(&self) -> View {
        let names = self.checks.iter().map(|check| check.name.len());
        let widest = names.max().unwrap_or(0);
        let mut view = self.fixes_view();
        for check in &self.checks {
            let (word, style) = match check.status {
                Status::Ok => ("ok     ", Style::Good),
                Status::Warning => ("warning", Style::Warning),
                Status::Error => ("error  ", Style::Bad),
            };
            view = view.line([
                Span::new(word, style),
                Span::new(format!("  {:widest$}  ", check.name), Style::Dim),
                check.message.as_str().into(),
            ]);
            if let Some(fix) = &check.fix {
                let indent = " ".repeat(word.len() + widest + 4);
                view = view.line([
                    Span::from(indent.as_str()),
                    Span::new(fix.as_str(), Style::Strong),
                ]);
                if let Some(left) = check.left {
                    let text = format!("{indent}(--fix leaves this: {left})");
                    view = view.line([Span::new(text, Style::Dim)]);
                }
            }
        }
        let summary = match (self.errors, self.warnings) {
            (0, 0) => Span::new("No problems found.", Style::Good),
            (0, warnings) => Span::new(counted(warnings, "warning"), Style::Warning),
            (errors, 0) => Span::new(counted(errors, "error"), Style::Bad),
            (errors, warnings) => Span::new(
                format!(
                    "{}, {}",
                    counted(errors, "error"),
                    counted(warnings, "warning")
                ),
                Style::Bad,
            ),
        };
        view.blank().line([summary])
    }
}

/// `1 job`, `2 jobs`.
pub fn counted(number: usize, word: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {word}{plural}")
}
