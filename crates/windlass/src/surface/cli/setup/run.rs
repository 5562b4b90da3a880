//! Runs `windlass setup`: from the request to the changed file.

use std::path::Path;
use std::process::ExitCode;

use clap::ArgMatches;
use windlass_core::{Error, ErrorKind, Result};
use windlass_store::Project;

use super::answer::{self, SetUp};
use super::clients::Scope;
use super::command::{Action, Request, build};
use super::document::Broken;
use super::entry;
use super::file::ConfigFile;
use super::plan::{Change, Plan};
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
])];

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let output = &caller.output;
    let done = set_up(matches, &caller.global.cwd, &caller.environment, output)?;
    let Some(answer) = done else {
        return Ok(caller.declined());
    };
    match &answer.text {
        Some(text) if !output.is_json() => output.text(text)?,
        _ => output.answer(&answer)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Sets up the client. Returns nothing if a person declined.
fn set_up(
    matches: &ArgMatches,
    cwd: &Path,
    environment: &Environment,
    output: &Output,
) -> Result<Option<SetUp>> {
    let request = Request::of(matches)?;
    let project = Project::find(cwd)?;
    let root = project.root();
    let within = (request.scope == Scope::Project).then_some(root);
    let path = request
        .client
        .file(request.scope, Some(root), &environment.folders())
        .ok_or_else(|| Error::internal("the client has no file of that scope"))?;
    let file = ConfigFile::open(&path, within)?;
    let program = Program::of_process();
    let plan = plan(&request, &file, root, &program)?;
    let mut answer = answer_of(&request, &file, &plan, &program);
    if request.print {
        answer.text = Some(plan.after.unwrap_or_default());
        return Ok(Some(answer));
    }
    if matches!(plan.change, Change::Unchanged | Change::Absent) {
        return Ok(Some(answer));
    }
    if !request.yes {
        if confirm::can_ask() {
            output.show(&answer::diff_view(&answer.diff));
            answer.diff_was_shown = true;
            if !confirm::ask(&question(&request, &plan)) {
                return Ok(None);
            }
        } else if plan.change == Change::Replaced || plan.is_foreign {
            return Err(needs_a_yes(&request, &answer));
        }
    }
    match &plan.after {
        Some(text) => file.write(text)?,
        None if file.is_link() => file.write("")?,
        None => file.delete(within)?,
    }
    answer.written = true;
    Ok(Some(answer))
}

fn plan(request: &Request, file: &ConfigFile, root: &Path, program: &Program) -> Result<Plan> {
    let text = file.text.as_deref();
    let plan = match &request.action {
        Action::Remove => Plan::remove(request.client, text, &request.name),
        Action::Add {
            toolsets,
            read_only,
        } => {
            let mut arguments = arguments(request, root)?;
            if !toolsets.is_empty() {
                arguments.extend(["--toolsets".to_owned(), toolsets.join(",")]);
            }
            if *read_only {
                arguments.push("--read-only".to_owned());
            }
            let word = program.word(request.client.needs_absolute_program);
            let entry = entry::entry(request.client.shape, &word, &arguments);
            Plan::add(request.client, text, &request.name, entry)
        }
    };
    plan.map_err(|problem| broken(&file.path, &problem))
}

/// The arguments that start a server on this project.
fn arguments(request: &Request, root: &Path) -> Result<Vec<String>> {
    let mut words = vec!["mcp".to_owned()];
    let folder = match (request.scope, request.client.folder_variable) {
        (Scope::Project, variable) => variable.map(str::to_owned),
        (Scope::User, _) => Some(root.to_str().map(str::to_owned).ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidConfig,
                format!(
                    "{} is not UTF-8, so no settings can name it",
                    root.display()
                ),
            )
        })?),
    };
    if let Some(folder) = folder {
        words.extend(["--cwd".to_owned(), folder]);
    }
    Ok(words)
}

fn answer_of(request: &Request, file: &ConfigFile, plan: &Plan, program: &Program) -> SetUp {
    let mut notes = Vec::new();
    if matches!(plan.change, Change::Added | Change::Replaced) {
        notes.push(request.client.next.to_owned());
        if request.scope == Scope::Project && !program.is_on_path() {
            notes.push(
                "This windlass is not on PATH, so the entry contains its full path, which is valid \
                 only on this machine."
                    .to_owned(),
            );
        }
    }
    let path = file.path.display().to_string();
    SetUp {
        client: request.client.name,
        title: request.client.title,
        scope: request.scope,
        file: file.path.clone(),
        name: request.name.clone(),
        change: plan.change,
        written: false,
        entry: plan.entry.clone(),
        diff: answer::diff(&path, file.text.as_deref(), plan.after.as_deref()),
        text: None,
        notes,
        diff_was_shown: false,
    }
}

fn question(request: &Request, plan: &Plan) -> String {
    match plan.change {
        Change::Replaced => format!("Replace the entry {}? [y/N] ", request.name),
        Change::Removed => format!("Remove the entry {}? [y/N] ", request.name),
        _ => "Write this? [y/N] ".to_owned(),
    }
}

fn needs_a_yes(request: &Request, answer: &SetUp) -> Error {
    let what = match request.action {
        Action::Remove => "does not start windlass",
        Action::Add { .. } => "already exists and differs",
    };
    let message = format!(
        "The entry {} of {} {what}; nothing was changed\n{}",
        request.name,
        answer.file.display(),
        answer.diff.trim_end()
    );
    Error::validation("--name", message)
        .with("file", answer.file.display().to_string())
        .with("diff", answer.diff.clone())
        .with_hint("Add --yes to change it, or use another --name.")
}

fn broken(path: &Path, problem: &Broken) -> Error {
    let path = path.display().to_string();
    Error::new(
        ErrorKind::InvalidConfig,
        format!(
            "{path}, line {}: {}; the file was not changed",
            problem.line, problem.message
        ),
    )
    .with("file", path)
    .with("line", problem.line)
    .with_hint("Fix the file and try again.")
}
