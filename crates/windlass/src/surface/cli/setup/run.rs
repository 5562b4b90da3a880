//! Runs `windlass setup`: from the request to the changed files.

use std::path::Path;
use std::process::ExitCode;

use clap::ArgMatches;
use windlass_core::{Error, Result};
use windlass_store::Project;

use super::answer::{SetUp, SetUpFile};
use super::clients::Scope;
use super::command::{Action, Request, build};
use super::parts::{Part, PlannedFile, Planner};
use super::plan::Change;
use super::program::Program;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::confirm;
use crate::surface::cli::output::Output;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::environment::Environment;

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["setup"], build, run).examples(&[
    ("Claude Code, in this project", &["setup", "claude-code"]),
    (
        "Only print what would be written",
        &["setup", "cursor", "--print"],
    ),
    (
        "Only the MCP server, without files for agents",
        &["setup", "codex", "--only", "mcp"],
    ),
    ("Undo it", &["setup", "claude-code", "--remove"]),
])];

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let output = &caller.output;
    let request = Request::of(matches)?;
    let done = set_up(&request, &caller.global.cwd, &caller.environment, output)?;
    let Some(answer) = done else {
        return Ok(caller.declined());
    };
    if request.print && !output.is_json() {
        output.text(&answer.texts())?;
    } else {
        output.answer(&answer)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Sets up the client. Returns nothing if a person declined.
fn set_up(
    request: &Request,
    cwd: &Path,
    environment: &Environment,
    output: &Output,
) -> Result<Option<SetUp>> {
    let project = Project::find(cwd)?;
    let root = project.root();
    let program = Program::of_process();
    let planner = Planner {
        request,
        root,
        user: &environment.folders(),
        program: &program,
    };
    let files = planner.plan()?;
    let mut answer = answer_of(&planner, &files);
    if request.print {
        for (file, planned) in answer.files.iter_mut().zip(files) {
            file.text = Some(planned.plan.after.unwrap_or_default());
        }
        return Ok(Some(answer));
    }
    if matches!(answer.change, Change::Unchanged | Change::Absent) {
        return Ok(Some(answer));
    }
    if !request.yes {
        if confirm::can_ask() {
            output.show(&windlass_ops::diff_view(&answer.diff()));
            answer.diff_was_shown = true;
            if !confirm::ask(&question(request, &files)) {
                return Ok(None);
            }
        } else if let Some(entry) = files.iter().find(|file| needs_a_yes(file)) {
            return Err(refused(request, entry, &answer));
        }
    }
    let within = (request.scope == Scope::Project).then_some(root);
    for file in files.iter().filter(|file| is_change(file.plan.change)) {
        file.write(within)?;
    }
    answer.written = true;
    Ok(Some(answer))
}

fn is_change(change: Change) -> bool {
    !matches!(change, Change::Unchanged | Change::Absent)
}

/// Whether something that may be a person's own would be replaced or removed. Sections and hooks
/// are recognized as ours.
fn needs_a_yes(file: &PlannedFile) -> bool {
    file.part == Part::Mcp && (file.plan.change == Change::Replaced || file.plan.is_foreign)
}

fn answer_of(planner: &Planner<'_>, files: &[PlannedFile]) -> SetUp {
    let request = planner.request;
    let change = overall(files);
    let mut notes = Vec::new();
    if matches!(change, Change::Added | Change::Replaced) {
        notes.push(request.client.next.to_owned());
        if request.scope == Scope::Project && !planner.program.is_on_path() {
            notes.push(
                "This windlass is not on PATH, so its full path was written, which is valid only on \
                 this machine."
                    .to_owned(),
            );
        }
    }
    if matches!(request.action, Action::Remove) && request.parts.contains(&Part::Instructions) {
        for instructions in request.client.instructions {
            if let Some(other) = planner.other_reader(instructions) {
                let (file, title) = (instructions.file, other.title);
                notes.push(format!("{file} stays as it is: {title} reads it too."));
            }
        }
    }
    SetUp {
        client: request.client.name,
        title: request.client.title,
        scope: request.scope,
        name: request.name.clone(),
        change,
        written: false,
        entry: files.iter().find_map(|file| file.plan.entry.clone()),
        files: files.iter().map(SetUpFile::of).collect(),
        notes,
        diff_was_shown: false,
    }
}

/// The change as a whole: that of the entry if it changes, else that of the first file that does.
fn overall(files: &[PlannedFile]) -> Change {
    let mut changes = files.iter().map(|file| file.plan.change);
    let first = changes.clone().next().unwrap_or(Change::Unchanged);
    changes.find(|change| is_change(*change)).unwrap_or(first)
}

fn question(request: &Request, files: &[PlannedFile]) -> String {
    let replaces = |file: &PlannedFile| file.part == Part::Mcp && needs_a_yes(file);
    match request.action {
        Action::Remove => "Remove this? [y/N] ".to_owned(),
        Action::Add { .. } if files.iter().any(replaces) => {
            format!("Replace the entry {}? [y/N] ", request.name)
        }
        Action::Add { .. } => "Write this? [y/N] ".to_owned(),
    }
}

fn refused(request: &Request, entry: &PlannedFile, answer: &SetUp) -> Error {
    let what = match request.action {
        Action::Remove => "does not start windlass",
        Action::Add { .. } => "already exists and differs",
    };
    let file = entry.file.path.display().to_string();
    let message = format!(
        "The entry {} of {file} {what}; nothing was changed\n{}",
        request.name,
        answer.diff().trim_end()
    );
    Error::validation("--name", message)
        .with("file", file)
        .with("diff", answer.diff())
        .with_hint("Add --yes to change it, or use another --name.")
}
