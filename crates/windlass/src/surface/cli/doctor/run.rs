//! All checks, in the order of their dependencies.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use windlass_core::Result;
use windlass_ops::{Workspace, folders_of};
use windlass_store::{Bindings, Project};

use super::check::{Check, Report};
use super::{clients, commands, git, leftovers, machine, models, runtimes, settings, state};
use crate::surface::cli::caller::Caller;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::environment::Environment;

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["doctor"], build, run)];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Check everything that a project needs and say how to fix problems: its state, git, \
             settings, allowlists, runners, MCP clients and this machine. Nothing is changed, and \
             nothing from the repository is run. The exit code is 1 if there is an error; warnings \
             do not change it.",
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
    let repair = matches.get_flag("repair");
    let report = examine(&caller.global.cwd, &caller.environment, repair);
    caller.output.answer(&report)?;
    Ok(report.exit_code())
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
