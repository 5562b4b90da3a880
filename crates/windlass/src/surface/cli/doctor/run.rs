//! All checks, in the order of their dependencies.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value as Json, json};
use windlass_core::Result;
use windlass_ops::{Span, Style, View, Workspace, folders_of};
use windlass_store::{Bindings, Project};

use super::check::{Check, Fixed, Report};
use super::fix::{Fix, Scene, find};
use super::{
    clients, commands, git, leftovers, machine, models, runtimes, settings, state, telemetry,
};
use crate::surface::cli::caller::Caller;
use crate::surface::cli::confirm;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::environment::Environment;

const FIX: &str = "fix";
const YES: &str = "yes";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["doctor"], build, run).examples(&[
    ("Check everything", &["doctor"]),
    (
        "Fix what is safe to fix, after a question",
        &["doctor", "--fix"],
    ),
])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Check everything that a project needs and say how to fix problems: its state, git, \
             settings, allowlists, runners, MCP clients and this machine. Nothing is changed, and \
             nothing from the repository is run. The exit code is 1 if there is an error; warnings \
             do not change it.\n\n\
             --fix fixes what is safe to fix, after showing it and a question: lines that \
             .windlass/.gitignore lacks, modes of the state, leftovers of processes and sessions that \
             ended, git hooks and parts of client files that another version wrote, and what is derived \
             from documents. It allows nothing, installs nothing, and says why it leaves the rest.",
        )
        .arg(
            Arg::new(FIX)
                .long(FIX)
                .action(ArgAction::SetTrue)
                .conflicts_with("repair")
                .help("Fix what is safe to fix; shows it and asks first"),
        )
        .arg(
            Arg::new(YES)
                .long(YES)
                .short('y')
                .action(ArgAction::SetTrue)
                .requires(FIX)
                .help("Do not ask"),
        )
        .arg(
            Arg::new("repair")
                .long("repair")
                .action(ArgAction::SetTrue)
                .help(
                    "First make lists, relations, tags, the queue, the search index and everything \
                     else again that is derived from the entities' documents",
                ),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let fixes = if matches.get_flag(FIX) {
        match fix(matches.get_flag(YES), caller)? {
            Some(fixes) => Some(fixes),
            None => return Ok(caller.declined()),
        }
    } else {
        None
    };
    let repair = matches.get_flag("repair");
    let mut report = examine(&caller.global.cwd, &caller.environment, repair);
    if let Some(fixes) = fixes {
        report.add_fixes(fixes);
    }
    caller.output.answer(&report)?;
    Ok(report.exit_code())
}

/// What every check says, as programs read it.
pub fn report(cwd: &Path, environment: &Environment) -> Json {
    json!(examine(cwd, environment, false))
}

/// Fixes what can be fixed; none if a person declined.
fn fix(yes: bool, caller: &Caller) -> Result<Option<Vec<Fixed>>> {
    let cwd = &caller.global.cwd;
    let scene = Scene {
        project: Project::find(cwd)?,
        bindings: caller.bindings(),
        machine: caller.environment.machine(cwd),
        user: caller.environment.folders(),
    };
    let found = find(&scene);
    let person = caller.person();
    let may = |fix: &Fix| !fix.needs_person || person.is_ok();
    let agreed = yes || !found.iter().any(may) || {
        let asks = confirm::can_ask() && !caller.output.is_json();
        if asks {
            caller.output.show(&proposed(&found));
            if !confirm::ask("Fix this? [y/N] ") {
                return Ok(None);
            }
        }
        asks
    };
    let fixes = found.into_iter().map(|fix| {
        let (name, about) = (fix.name, fix.about.clone());
        let problem = if !may(&fix) {
            Some("Only a person at a terminal can do this.".to_owned())
        } else if !agreed {
            Some("Nothing was changed: add --yes, or run it at a terminal.".to_owned())
        } else {
            (fix.apply)(&scene).err().map(|error| error.full_message())
        };
        Fixed {
            name,
            about,
            done: problem.is_none(),
            problem,
        }
    });
    Ok(Some(fixes.collect()))
}

fn proposed(fixes: &[Fix]) -> View {
    let view = View::default().line([Span::new("To be fixed:", Style::Strong)]);
    fixes.iter().fold(view, |view, fix| {
        let mut lines = fix.about.lines();
        let first = format!("  {}", lines.next().unwrap_or_default());
        let view = view.line([Span::from(first)]);
        let diff: Vec<&str> = lines.collect();
        if diff.is_empty() {
            view
        } else {
            view.join(windlass_ops::diff_view(&diff.join("\n")))
        }
    })
}

fn examine(cwd: &Path, environment: &Environment, repair: bool) -> Report {
    let machine = environment.machine(cwd);
    let mut checks = vec![machine::binary(cwd), machine::environment(environment)];
    checks.extend(machine::search_path(environment));
    let project = match Project::find(cwd) {
        Ok(project) => Some(project),
        Err(error) => {
            let message = format!(
                "No project here ({}), so only this machine was checked",
                error.message().trim_end_matches('.')
            );
            let fix = "Run windlass init in the folder that is to be one.";
            checks.push(Check::warning("project", message, fix));
            None
        }
    };
    let workspace = project
        .as_ref()
        .map(|project| Workspace::new(project.clone(), machine.clone()));
    if let (Some(project), Some(workspace)) = (&project, &workspace) {
        checks.push(state::project(project));
        let bindings = Bindings::new(machine.bindings.clone());
        if repair {
            checks.push(state::repair(project, &bindings));
        }
        checks.extend(state::checks(project, &bindings));
        checks.extend(git::checks(project));
        checks.push(settings::config(project));
        checks.extend(commands::checks(workspace));
        checks.push(leftovers::sockets(project));
        checks.push(models::check(workspace));
        checks.extend(telemetry::check(workspace));
    }
    let folders = project.as_ref().map_or_else(Vec::new, folders_of);
    checks.extend(settings::allowlists(&machine, &folders));
    let root = project.as_ref().map(Project::root);
    checks.extend(clients::checks(root, &environment.folders()));
    checks.push(machine::scripts(&machine, workspace.as_ref()));
    checks.extend(machine::limits());
    checks.extend(workspace.into_iter().flat_map(runtimes::checks));
    Report::new(root.map(Path::to_owned), checks)
}
