//! What an import did, or would do.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_interchange::{Problem, Severity};

use crate::view::{Column, Render, Span, Style, View};

/// How many changes an output names.
pub const MOST_NAMED: usize = 100;
/// How many problems a person sees.
const MOST_SHOWN: usize = 40;

/// What an import did.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ImportReport {
    pub source: String,
    /// Whether the state was changed. Nothing is imported by half.
    pub imported: bool,
    pub dry_run: bool,
    /// How many records the source has.
    pub records: usize,
    pub created: usize,
    pub updated: usize,
    pub unchanged: usize,
    /// Records with fields that were edited here since: the local values stay, unless overwrite is
    /// given.
    pub kept: usize,
    /// Records that were deleted here since they were imported, and stay so.
    pub deleted_here: usize,
    pub relations: usize,
    pub comments: usize,
    /// How many records cannot be imported.
    pub broken: usize,
    /// The changes, in the order of the source (the first 100).
    pub changes: Vec<RecordChange>,
    pub problems: Vec<ImportProblem>,
    /// Commands by which a person allows what the source allowed. None of them was run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub allow_commands: Vec<String>,
    #[serde(skip)]
    pub keep_going: bool,
}

/// What happens to one record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RecordChange {
    /// create, update, keep or deleted_here.
    pub change: String,
    /// The id in the source.
    pub record: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<i64>,
    pub title: String,
    /// The fields that change, or that keep their local values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub fields: Vec<String>,
}

/// Something that is wrong with the source.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ImportProblem {
    /// Broken records are not imported; a note says what is different from the source.
    pub severity: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    pub message: String,
}

impl ImportReport {
    pub fn problem(&mut self, problem: &Problem) {
        let severity = match problem.severity {
            Severity::Broken => {
                self.broken += 1;
                "broken"
            }
            Severity::Note => "note",
        };
        self.problems.push(ImportProblem {
            severity: severity.to_owned(),
            file: Some(problem.place.file.clone()).filter(|it| !it.is_empty()),
            line: problem.place.line,
            record: problem.record.clone(),
            message: problem.message.clone(),
        });
    }

    pub fn change(&mut self, change: RecordChange) {
        if self.changes.len() < MOST_NAMED {
            self.changes.push(change);
        }
    }

    /// Whether broken records prevent the import.
    pub fn stops(&self) -> bool {
        self.broken > 0 && !self.keep_going
    }

    fn headline(&self) -> (Style, String) {
        let Self {
            created,
            updated,
            unchanged,
            ..
        } = self;
        let counts = format!("{created} new, {updated} changed, {unchanged} unchanged");
        match (self.dry_run, self.stops()) {
            (_, true) => (
                Style::Bad,
                format!(
                    "Nothing was imported: {} broken. Without those: {counts}",
                    self.broken
                ),
            ),
            (true, false) => (
                Style::Plain,
                format!("Would import from {}: {counts}", self.source),
            ),
            (false, false) => (
                Style::Good,
                format!("Imported from {}: {counts}", self.source),
            ),
        }
    }
}

impl ImportReport {
    /// What else there is to say, in one line.
    fn counts(&self) -> Option<String> {
        let counts = [
            (self.relations, "relation", "relations"),
            (self.comments, "comment", "comments"),
            (
                self.kept,
                "record keeps values that were edited here",
                "records keep values that were edited here",
            ),
            (
                self.deleted_here,
                "record was deleted here and stays so",
                "records were deleted here and stay so",
            ),
            (self.broken, "broken record", "broken records"),
        ];
        let counts = counts.iter().filter(|(count, ..)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
            .collect();
        (!counts.is_empty()).then(|| counts.join(", "))
    }

    /// The changes that a person wants to see: all before an import, the surprising ones after it.
    fn changes_view(&self, view: View) -> View {
        let rows: Vec<Vec<Span>> = self
            .changes
            .iter()
            .filter(|it| self.dry_run || it.change == "keep" || it.change == "deleted_here")
            .map(|it| {
                let number = it.number.filter(|_| it.change != "create");
                let number = number.map(|it| format!("#{it}")).unwrap_or_default();
                vec![
                    Span::from(it.change.replace('_', " ")),
                    Span::new(number, Style::Id),
                    Span::from(it.record.clone()),
                    Span::from(it.title.clone()),
                    Span::new(it.fields.join(", "), Style::Dim),
                ]
            })
            .collect();
        if rows.is_empty() {
            return view;
        }
        let columns = vec![
            Column::new(""),
            Column::new("").right(),
            Column::new("RECORD"),
            Column::new("TITLE").shrinking(),
            Column::new("FIELDS"),
        ];
        view.blank().table(columns, rows)
    }

    fn problems_view(&self, view: View) -> View {
        if self.problems.is_empty() {
            return view;
        }
        let rows = self.problems.iter().take(MOST_SHOWN).map(|it| {
            let place = match (&it.file, it.line) {
                (Some(file), Some(line)) => format!("{file}:{line}"),
                (Some(file), None) => file.clone(),
                _ => String::new(),
            };
            let style = if it.severity == "broken" {
                Style::Bad
            } else {
                Style::Dim
            };
            vec![
                Span::new(it.severity.clone(), style),
                Span::from(place),
                Span::from(it.record.clone().unwrap_or_default()),
                Span::from(it.message.clone()),
            ]
        });
        let columns = vec![
            Column::new(""),
            Column::new("WHERE"),
            Column::new("RECORD"),
            Column::new("PROBLEM").shrinking(),
        ];
        let view = view.blank().table(columns, rows.collect());
        match self.problems.len().saturating_sub(MOST_SHOWN) {
            0 => view,
            rest => {
                let text = format!("{rest} more; --json has them all.");
                view.line([Span::new(text, Style::Dim)])
            }
        }
    }
}

impl Render for ImportReport {
    fn view(&self) -> View {
        let (style, text) = self.headline();
        let mut view = View::default().line([Span::new(text, style)]);
        if let Some(counts) = self.counts() {
            view = view.line([Span::new(counts, Style::Dim)]);
        }
        view = self.problems_view(self.changes_view(view));
        if !self.allow_commands.is_empty() {
            view = view.section(
                "A person allows the same here with these commands; none of them was run",
                Some(&self.allow_commands.join("\n")),
            );
        }
        if self.stops() {
            view = view.blank().line([Span::new(
                "Mend these records, or import the rest with --keep-going.",
                Style::Dim,
            )]);
        }
        view
    }

    fn failed(&self) -> bool {
        !self.dry_run && self.stops()
    }

    fn unsuccessful(&self) -> bool {
        self.stops()
    }

    fn rest_of(&self, field: &str, _shown: usize) -> Option<String> {
        (field == "problems").then(|| "Mend the first ones and import again.".to_owned())
    }
}
