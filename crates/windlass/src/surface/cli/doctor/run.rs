//! All checks, in the order of their dependencies.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use windlass_core::Result;
use windlass_ops::Workspace;
use windlass_store::Project;

use super::check::{Check, Report};
use super::{clients, commands, git, leftovers, machine, settings, state};
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
    if let Some(project) = &project {
        let workspace = Workspace::new(project.clone(), machine.clone());
        checks.push(state::project(project));
        if repair {
            checks.push(state::repair(project));
        }
        checks.extend(state::checks(project));
        checks.extend(git::checks(project));
        checks.push(settings::config(project));
        checks.extend(commands::checks(&workspace));
        checks.push(leftovers::sockets(project));
    }
    checks.extend(settings::allowlists(&machine));
    let root = project.as_ref().map(Project::root);
    checks.extend(clients::checks(root, &environment.folders()));
    checks.extend(machine::limits());
    Report::new(root.map(Path::to_owned), checks)
}
