use crate::prelude::*;

use clap::ValueEnum;
use windlass_interchange::{Source, read};

use super::apply::Apply;
use super::place;
use super::report::ImportReport;

pub struct Import;

/// Import the plan of another tool: all of it or nothing. A second import updates what the first one
/// made, and keeps what was edited here since. Try it with dry_run first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Where the plan comes from.
    #[arg(value_enum)]
    pub source: SourceName,
    /// The file or folder that the other tool keeps its data in.
    pub path: String,
    /// Say what would happen, and change nothing.
    #[serde(default)]
    #[arg(long)]
    pub dry_run: bool,
    /// Import the rest even if some records are broken.
    #[serde(default)]
    #[arg(long)]
    pub keep_going: bool,
    /// Let the source win over fields that were edited here.
    #[serde(default)]
    #[arg(long)]
    pub overwrite: bool,
}

/// Where a plan comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceName {
    /// An export of Windlass, as JSON or JSON lines.
    Windlass,
    /// beads: issues.jsonl, or its SQLite database.
    Beads,
    /// GitHub issues: gh issue list --json, or the REST interface.
    Github,
    /// A folder of Backlog.md.
    Backlog,
    /// medulla: loro.db.
    Medulla,
    /// overseer: tasks.db.
    Overseer,
    /// ralph: ralph.db.
    Ralph,
    /// dela: its allowlist, as commands for a person to run.
    Dela,
    /// Checklists in Markdown, in a file or a folder.
    Markdown,
    /// TODO and FIXME comments in the files of a folder.
    Todo,
}

impl SourceName {
    const fn source(self) -> Source {
        match self {
            Self::Windlass => Source::Windlass,
            Self::Beads => Source::Beads,
            Self::Github => Source::GitHub,
            Self::Backlog => Source::Backlog,
            Self::Medulla => Source::Medulla,
            Self::Overseer => Source::Overseer,
            Self::Ralph => Source::Ralph,
            Self::Dela => Source::Dela,
            Self::Markdown => Source::Markdown,
            Self::Todo => Source::Todo,
        }
    }
}

impl Operation for Import {
    type Input = Input;
    type Output = ImportReport;

    const DECLARATION: Declaration = Declaration::write("import", Toolset::Board)
        .sdk("board.import")
        .cli(&["import"])
        .idempotent()
        .long_running()
        .examples(&[Example::new(
            "What the comments of the project would become",
            &["import", "todo", ".", "--dry-run"],
            r#"{"source": "todo", "path": ".", "dry_run": true}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<ImportReport> {
        context
            .offload(move |context| import(context, &input))
            .await
    }
}

fn import(context: &Context, input: &Input) -> Result<ImportReport> {
    let source = input.source.source();
    let path = place::to_read(context, &input.path)?;
    let plan = read(source, &path);
    let mut report = ImportReport {
        source: source.name().to_owned(),
        dry_run: input.dry_run,
        keep_going: input.keep_going,
        records: plan.records,
        allow_commands: plan.allow_commands.clone(),
        ..ImportReport::default()
    };
    for problem in &plan.problems {
        report.problem(problem);
    }
    if plan.items.is_empty() {
        report.imported = !report.stops() && !input.dry_run;
        return Ok(report);
    }
    // All or nothing: what a dry run or a broken record leaves behind is taken back.
    let mut stopped = false;
    context.write(|writer| {
        let done = writer.attempt(|writer| {
            Apply::new(writer, source, input.overwrite, &mut report).plan(&plan)?;
            stopped = input.dry_run || report.stops();
            if stopped {
                return Err(Error::internal("The import was not kept"));
            }
            Ok(())
        })?;
        match done {
            Err(_) if stopped => Ok(()),
            other => other,
        }
    })?;
    report.imported = !stopped;
    Ok(report)
}
