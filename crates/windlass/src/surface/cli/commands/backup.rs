//! `windlass backup`: a copy of the state in a file.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use serde::Serialize;
use windlass_core::{Error, Result};
use windlass_ops::{Render, Span, Style, View};
use windlass_store::{Overwrite, StateCopy};

use crate::surface::cli::caller::Caller;
use crate::surface::cli::own_command::OwnCommand;

const FILE: &str = "file";
const FORCE: &str = "force";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["backup"], build, run).examples(&[
    ("A copy beside the project", &["backup", "../shop.backup"]),
    (
        "The same every night",
        &["backup", "--force", "../shop.backup"],
    ),
])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Write a copy of the state to a file: entities with their documents, relations, \
             comments, history, reviews, gates, questions, sessions and runs. It is a plain SQLite \
             database that only you can read. Servers and writers go on meanwhile, and the copy is \
             of one moment. It gets its name when it is complete and has been checked. Files are not \
             part of it: settings, journals and artifacts. windlass restore FILE puts it back.",
        )
        .arg(
            Arg::new(FILE)
                .value_name("FILE")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("The file to write"),
        )
        .arg(
            Arg::new(FORCE)
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Replace the file if it is there"),
        )
}

/// A copy, as people and programs see it.
#[derive(Serialize)]
pub struct ShownCopy {
    pub file: String,
    pub entities: u64,
    pub tasks: u64,
    pub events: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_change: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    pub bytes: u64,
    pub version: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

impl From<&StateCopy> for ShownCopy {
    fn from(copy: &StateCopy) -> Self {
        let written = copy
            .written
            .and_then(|it| jiff::Timestamp::try_from(it).ok());
        Self {
            file: copy.path.display().to_string(),
            entities: copy.entities,
            tasks: copy.tasks,
            events: copy.events,
            last_change: copy.last_change.as_ref().map(|it| it.to_seconds()),
            written: written.map(|it| format!("{it:.0}")),
            bytes: copy.bytes,
            version: copy.version,
            project: copy.project.clone(),
        }
    }
}

impl ShownCopy {
    /// `12 entities, 7 tasks, 40 events`.
    pub fn contents(&self) -> String {
        let counted = |count: u64, one: &str, many: &str| {
            format!("{count} {}", if count == 1 { one } else { many })
        };
        format!(
            "{}, {}, {}",
            counted(self.entities, "entity", "entities"),
            counted(self.tasks, "task", "tasks"),
            counted(self.events, "event", "events")
        )
    }
}

impl Render for ShownCopy {
    fn view(&self) -> View {
        View::default().line([
            Span::new("Backed up: ", Style::Good),
            Span::new(self.file.as_str(), Style::Strong),
            Span::from(format!(" ({})", self.contents())),
        ])
    }
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let given = matches
        .get_one::<PathBuf>(FILE)
        .ok_or_else(|| Error::invalid_params("Which file?"))?;
    let overwrite = if matches.get_flag(FORCE) {
        Overwrite::Allowed
    } else {
        Overwrite::Never
    };
    let file = caller.global.cwd.join(given);
    let copy = caller.context()?.store.back_up(&file, overwrite)?;
    caller.answer(&ShownCopy::from(&copy))
}
