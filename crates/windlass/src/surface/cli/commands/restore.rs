//! `windlass restore`: a deleted entity comes back, or a copy of the whole state.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;
use serde_json::json;
use windlass_core::{Actor, Error, ErrorKind, Result};
use windlass_ops::{Column, Render, Span, Style, View};
use windlass_store::{Project, Restoring, copies_of};

use super::backup::ShownCopy;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::confirm;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::tree::{YES, yes_argument};

const WHAT: &str = "what";
const FORCE: &str = "force";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["restore"], build, run)
    .operations(&["entity_restore"])
    .examples(&[
        (
            "A deleted entity, with its relations and comments",
            &["restore", "16"],
        ),
        ("The copies of the state that are here", &["restore"]),
        ("A backup", &["restore", "../shop.backup"]),
    ])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Bring a deleted entity back by its number, with its relations, comments and learnings. Or \
             put a copy of the whole state in place: a file of windlass backup, or one of the copies \
             that Windlass keeps, which restore without an argument lists (from before an upgrade, \
             saved by a process whose files were removed, replaced by an earlier restore). The file is \
             checked as a whole first; the current state is kept as a copy; running servers go on with \
             the restored state. What other clones have beyond it comes back with the next sync. Only a \
             person can put a whole state in place.",
        )
        .arg(
            Arg::new(WHAT)
                .value_name("N|FILE")
                .help("The number of a deleted entity (16 or #16), or a file"),
        )
        .arg(
            Arg::new(FORCE)
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Also a copy of another project"),
        )
        .arg(yes_argument())
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let Some(what) = matches.get_one::<String>(WHAT) else {
        return caller.answer(&listed(caller)?);
    };
    let digits = what.strip_prefix('#').unwrap_or(what);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return caller.answer_call("entity_restore", json!({ "id": what }));
    }
    restore(what, matches, caller)
}

/// The copies in the state folder.
#[derive(Serialize)]
struct Copies {
    copies: Vec<ShownCopy>,
    /// Files that cannot be restored, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unusable: Vec<String>,
}

fn listed(caller: &Caller) -> Result<Copies> {
    let project = Project::find(&caller.global.cwd)?;
    let mut copies = Copies {
        copies: Vec::new(),
        unusable: Vec::new(),
    };
    for (path, found) in copies_of(&project) {
        match found {
            Ok(copy) => {
                let mut shown = ShownCopy::from(&copy);
                // As it is typed.
                shown.file = path.file_name().unwrap_or_default().display().to_string();
                copies.copies.push(shown);
            }
            Err(error) => copies.unusable.push(error.message().to_owned()),
        }
    }
    Ok(copies)
}

impl Render for Copies {
    fn view(&self) -> View {
        let mut view = View::default();
        if self.copies.is_empty() {
            view =
                view.line(["No copies of the state here. windlass backup FILE makes one.".into()]);
        } else {
            let columns = vec![
                Column::new("FILE"),
                Column::new("WRITTEN"),
                Column::new("LAST CHANGE"),
                Column::new("VERSION").right(),
                Column::new("ENTITIES").right(),
                Column::new("TASKS").right(),
                Column::new("EVENTS").right(),
            ];
            let rows = self.copies.iter().map(|copy| {
                vec![
                    Span::new(copy.file.as_str(), Style::Strong),
                    Span::new(copy.written.clone().unwrap_or_default(), Style::Time),
                    Span::new(copy.last_change.clone().unwrap_or_default(), Style::Time),
                    Span::from(copy.version.to_string()),
                    Span::from(copy.entities.to_string()),
                    Span::from(copy.tasks.to_string()),
                    Span::from(copy.events.to_string()),
                ]
            });
            view = view.table(columns, rows.collect());
            view = view.line([Span::new(
                "windlass restore FILE puts one in place; the current state is kept.",
                Style::Dim,
            )]);
        }
        self.unusable.iter().fold(view, |view, problem| {
            view.line([Span::new(problem.as_str(), Style::Bad)])
        })
    }
}

/// What a restore did.
#[derive(Serialize)]
struct RestoredState {
    #[serde(flatten)]
    copy: ShownCopy,
    /// Where the state is that was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
    /// Whether running servers go on by themselves.
    seamless: bool,
    /// What does not agree with its documents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<String>,
}

fn restore(what: &str, matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let project = Project::find(&caller.global.cwd)?;
    let origin = caller.origin()?;
    if origin.actor != Actor::Human {
        let why = caller.person().err().map(|why| why.to_string());
        let why = why.unwrap_or_default();
        return Err(Error::new(
            ErrorKind::HumanOnly,
            "Only a person at a terminal can do this: windlass restore FILE",
        )
        .with("not_a_person", why.as_str())
        .with_hint(format!(
            "This caller counts as an agent: {why}. A person does it in a terminal of their own, one \
             that no agent started."
        )));
    }
    let bindings = caller.bindings();
    let restoring = Restoring::read(&file(what, &project, caller), &origin)?;
    let copy = ShownCopy::from(restoring.found());
    let is_of_this = restoring.is_of(&project, &bindings)?;
    let force = matches.get_flag(FORCE);
    if !is_of_this && !force && !confirm::can_ask() {
        return Err(
            Error::invalid_params(format!("{} is a copy of another project", copy.file))
                .with("field", FORCE)
                .with_hint("Nothing was changed. If that is meant, add --force."),
        );
    }
    let is_agreed = force || (is_of_this && matches.get_flag(YES));
    if confirm::can_ask() && !is_agreed {
        caller.output.show(&about(&copy, is_of_this));
        if !confirm::ask("Put it in place? The current state is kept as a copy. [y/N] ") {
            return Ok(caller.declined());
        }
    }
    let differences = restoring.differences().to_vec();
    let done = restoring.put(&project, &bindings, &origin)?;
    caller.answer(&RestoredState {
        copy,
        kept: done.kept.map(|path| path.display().to_string()),
        seamless: done.is_seamless,
        differences,
    })
}

/// A path, or the name of a copy in the state folder.
fn file(what: &str, project: &Project, caller: &Caller) -> PathBuf {
    let path = caller.global.cwd.join(what);
    let named = project.state().join(what);
    if !path.exists() && !what.contains('/') && named.exists() {
        return named;
    }
    path
}

fn about(copy: &ShownCopy, is_of_this: bool) -> View {
    let mut view = View::default().line([
        Span::new(copy.file.as_str(), Style::Strong),
        Span::from(format!(": {}", copy.contents())),
    ]);
    if let Some(moment) = &copy.last_change {
        view = view.line([
            "Its last change: ".into(),
            Span::new(moment.as_str(), Style::Moment),
        ]);
    }
    if !is_of_this {
        view = view.line([Span::new(
            "It is a copy of another project, or of this one at another place: its gates, sessions \
             and settings of agents come with it.",
            Style::Warning,
        )]);
    }
    view
}

impl Render for RestoredState {
    fn view(&self) -> View {
        let mut view = View::default().line([
            Span::new("Restored: ", Style::Good),
            Span::new(self.copy.file.as_str(), Style::Strong),
            Span::from(format!(" ({})", self.copy.contents())),
        ]);
        if let Some(kept) = &self.kept {
            view = view.line([
                "The state before is kept: ".into(),
                Span::from(kept.as_str()),
            ]);
        }
        if !self.seamless {
            view = view.line(["Restart servers that are running.".into()]);
        }
        if let Some(first) = self.differences.first() {
            view = view.line([Span::new(
                format!(
                    "{} in it do not agree with their documents ({first}): run windlass doctor --repair.",
                    self.differences.len()
                ),
                Style::Warning,
            )]);
        }
        view
    }
}
