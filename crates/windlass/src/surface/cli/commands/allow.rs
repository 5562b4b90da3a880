//! `windlass allow`: everything that is about to be allowed is shown, and a person is asked.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use windlass_core::{Error, ErrorKind, Result};
use windlass_ops::{AllowInput, GrantPlan};

use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::confirm;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::tree::{self, input_argument, yes_argument};

const ALLOW: &str = "allowlist_allow";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["allow"], build, run)
    .operations(&[ALLOW])
    .examples(&[
        (
            "One command, with everything that decides what it runs",
            &["allow", "build"],
        ),
        (
            "Every command that a file has now",
            &["allow", "./Makefile"],
        ),
        ("Without looking at it first", &["allow", "build", "--yes"]),
    ])];

fn build(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation(ALLOW) else {
        return command;
    };
    let command = entry.augment(command);
    let fields: Vec<_> = command
        .get_arguments()
        .map(|argument| argument.get_id().clone())
        .collect();
    command
        .long_about(
            "Allow agents to run a command, all commands that a file has now, or all of a folder. Everything \
             that decides what a command runs is shown first, or what changed in it since you allowed it \
             last. Permission for a command or a file holds for exactly that: if it changes, and for \
             commands that are added, it must be given again. A folder is allowed whatever its files say. \
             Only a person at a terminal can do this.",
        )
        .arg(input_argument().conflicts_with_all(fields))
        .arg(yes_argument().help("Do not show it and do not ask"))
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let entry = operation(ALLOW)?;
    let input = caller.input(entry, matches)?;
    let input: AllowInput = serde_json::from_value(input)
        .map_err(|problem| Error::invalid_params(problem.to_string()))?;
    let plan = GrantPlan::prepare(caller.context()?, &input)?;
    if !matches.get_flag(tree::YES) && !shown_and_agreed(&plan, caller)? {
        return Ok(caller.declined());
    }
    caller.answer(&plan.carry_out()?)
}

/// Shows what a grant covers, and asks.
pub fn shown_and_agreed(plan: &GrantPlan, caller: &Caller) -> Result<bool> {
    if !confirm::can_ask() {
        return Err(Error::new(
            ErrorKind::HumanOnly,
            "The question cannot be asked: standard error is not a terminal",
        )
        .with_hint("Run it without redirection, or with --yes if you have seen what it allows."));
    }
    caller.output.show_in_full(&plan.view());
    Ok(confirm::ask(&format!("{} [y/N] ", plan.question())))
}
