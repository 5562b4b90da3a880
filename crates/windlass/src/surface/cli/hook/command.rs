//! The commands, and who may run them.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use windlass_core::{Actor, Error, ErrorKind, Result};
use windlass_store::Project;

use super::install::{install, look, uninstall};
use super::report::{Done, each};
use super::repository::Repository;
use super::run;
use super::script::{Call, HOOKS};
use crate::surface::cli::caller::Caller;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::setup::Program;

const STRICT: &str = "strict";
const NAME: &str = "name";

pub const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(&["hook", "install"], build_install, run_install).examples(&[
        ("Let git carry the packs", &["hook", "install"]),
        (
            "Stop a commit if its pack cannot be written",
            &["hook", "install", "--strict"],
        ),
    ]),
    OwnCommand::new(&["hook", "uninstall"], build_uninstall, run_uninstall),
    OwnCommand::new(&["hook", "status"], build_status, run_status),
    OwnCommand::new(&["hook", "run"], build_run, run_hook),
];

fn build_install(command: Command, _: &[OsString]) -> Command {
    command
        .about("Install the git hooks")
        .long_about(
            "Install the hooks pre-commit (write a pack and add it to the commit), post-merge, \
             post-checkout and post-rewrite (import packs). Hooks that exist are kept and run after \
             these lines. Where husky, pre-commit, lefthook or core.hooksPath manage a hook, the \
             lines to add are printed instead. A hook takes at most a second, and never fails what \
             git does. Only a person at a terminal can do this.",
        )
        .arg(
            Arg::new(STRICT)
                .long(STRICT)
                .action(ArgAction::SetTrue)
                .help("Stop a commit if its pack cannot be written in time"),
        )
}

fn build_uninstall(command: Command, _: &[OsString]) -> Command {
    command.about("Remove the git hooks").long_about(
        "Remove the lines that windlass hook install added. Hooks that were there before are as \
             they were, byte for byte. Only a person at a terminal can do this.",
    )
}

fn build_status(command: Command, _: &[OsString]) -> Command {
    command
        .about("Show which hooks are installed")
        .long_about("Show which hooks are installed, and which program manages the others.")
}

fn build_run(command: Command, _: &[OsString]) -> Command {
    command
        .about("What git runs")
        .long_about(
            "What the hooks run: writes a pack and adds it to the commit (pre-commit), or imports \
             packs (the others). It ends within a second; what is left is done by the next sync.",
        )
        .arg(
            Arg::new(NAME)
                .value_name("HOOK")
                .required(true)
                .value_parser(PossibleValuesParser::new(HOOKS))
                .help("The hook that git runs"),
        )
        .arg(
            Arg::new(STRICT)
                .long(STRICT)
                .action(ArgAction::SetTrue)
                .help("Fail if the pack cannot be written in time"),
        )
}

fn run_install(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    check_person(caller, "install")?;
    let strict = matches.get_flag(STRICT);
    with_hooks(caller, strict, Done::Installed)
}

fn run_uninstall(_: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    check_person(caller, "uninstall")?;
    with_hooks(caller, false, Done::Uninstalled)
}

fn run_status(_: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    with_hooks(caller, false, Done::Looked)
}

fn with_hooks(caller: &Caller, strict: bool, done: Done) -> Result<ExitCode> {
    let project = Project::find(&caller.global.cwd)?;
    let repository = Repository::of(project.root())?;
    let folder = repository.folder_of(project.root());
    let program = Program::of_process().word(true);
    let call = Call {
        program: Path::new(&program),
        folder: folder.as_deref(),
        strict,
    };
    let report = each(
        |hook| match done {
            Done::Looked => Ok(look(&repository, hook, &call)),
            Done::Installed => install(&repository, hook, &call),
            Done::Uninstalled => uninstall(&repository, hook, &call),
        },
        done,
    )?;
    caller.answer(&report)
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "every command returns a result; a hook reports its problems itself, because it must not fail"
)]
fn run_hook(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let name = matches.get_one::<String>(NAME).map_or("", String::as_str);
    Ok(run::run(name, matches.get_flag(STRICT), caller))
}

/// A hook is code that git runs for a person from then on.
fn check_person(caller: &Caller, word: &str) -> Result<()> {
    if caller.origin()?.actor == Actor::Human {
        return Ok(());
    }
    let message = format!("Only a person at a terminal can do this: windlass hook {word}");
    let why = caller.person().err().map(|why| why.to_string());
    let hint = match why {
        Some(why) => format!("Ask a person to run the command. ({why})"),
        None => "Ask a person to run the command.".to_owned(),
    };
    Err(Error::new(ErrorKind::HumanOnly, message).with_hint(hint))
}
