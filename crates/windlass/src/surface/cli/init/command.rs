//! The arguments of `windlass init`, and what it does.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use windlass_core::{Actor, Error, ErrorKind, Result};
use windlass_ops::{STACKS, seed_stack};
use windlass_store::{Bindings, Project, Standing};

use super::answer::Initialised;
use super::detect::Detected;
use super::plans::{FoundPlan, Wish};
use super::proposals::proposals;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::own_command::OwnCommand;

const DIR: &str = "dir";
const STACK: &str = "stack";
const NEW_STATE: &str = "new-state";
const IMPORT: &str = "import";
const NO_IMPORT: &str = "no-import";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["init"], build, run).examples(&[
    ("This folder", &["init"]),
    (
        "With the disciplines of a web application",
        &["init", "--stack", "web"],
    ),
    (
        "In a script, with the plan that another tool left here",
        &["init", "--import"],
    ),
])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Make a folder a Windlass project: creates a folder .windlass for its settings and \
             state, looks at what the repository and this machine have (git, commands and their \
             runners, MCP clients, plans of other tools), and says what to do next. A plan that it \
             finds is imported after a question at a terminal, and else only with --import. Nothing \
             outside of .windlass is changed, nothing of the repository is run, and nothing is \
             allowed. In a project, it changes nothing that is there.",
        )
        .arg(
            Arg::new(DIR)
                .value_name("DIR")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::DirPath)
                .help("The folder, by default the current one"),
        )
        .arg(
            Arg::new(STACK)
                .long("stack")
                .value_name("NAME")
                .value_parser(PossibleValuesParser::new(
                    STACKS
                        .iter()
                        .map(|stack| PossibleValue::new(stack.name).help(stack.about)),
                ))
                .help("Disciplines to begin with"),
        )
        .arg(
            Arg::new(NEW_STATE)
                .long("new-state")
                .action(ArgAction::SetTrue)
                .help("Begin with an empty state, where the one that was here is lost"),
        )
        .arg(
            Arg::new(IMPORT)
                .long(IMPORT)
                .visible_alias("yes")
                .short('y')
                .action(ArgAction::SetTrue)
                .conflicts_with(NO_IMPORT)
                .help("Import plans of other tools that are found, without asking"),
        )
        .arg(
            Arg::new(NO_IMPORT)
                .long(NO_IMPORT)
                .action(ArgAction::SetTrue)
                .help("Import no plans, and do not ask"),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    caller.answer(&init(matches, caller)?)
}

fn init(matches: &ArgMatches, caller: &Caller) -> Result<Initialised> {
    let (cwd, origin) = (&caller.global.cwd, caller.origin()?);
    let elsewhere = matches.get_one::<PathBuf>(DIR).cloned();
    let folder = match &elsewhere {
        Some(folder) => cwd.join(folder),
        None => cwd.to_owned(),
    };
    let (project, created) = Project::init(&folder)?;
    let bindings = caller.bindings();
    if matches.get_flag(NEW_STATE) {
        begin_anew(&project, &bindings, origin.actor)?;
    }
    let begins_anew = matches.get_flag(NEW_STATE);
    let context = caller.opening()?.at(project.root()).open()?;
    let store = &context.store;
    caller.output.tell_notices_of(store);
    store.check_trusted()?;
    let imported = windlass_ops::import_new_packs(&context);
    let wanted = matches.get_one::<String>(STACK);
    let stack = STACKS
        .iter()
        .find(|stack| wanted.is_some_and(|name| name == stack.name));
    let disciplines = match stack {
        Some(stack) => seed_stack(store, &origin, stack)?,
        None => Vec::new(),
    };
    let mut plans = FoundPlan::look(&context);
    let wish = wish(matches, caller);
    for plan in plans.iter_mut().filter(|plan| plan.is_waiting()) {
        plan.import_if(wish, &context)?;
    }
    let found = Detected::look(&context, &caller.environment.folders());
    Ok(Initialised {
        next: proposals(&found, &plans),
        found,
        plans,
        root: project.root().to_owned(),
        created,
        disciplines,
        packs: imported.lines(),
        rebuilt: begins_anew && !imported.changes.imported.is_empty(),
        elsewhere,
    })
}

/// Programs that read JSON are not asked.
fn wish(matches: &ArgMatches, caller: &Caller) -> Wish {
    if matches.get_flag(IMPORT) {
        Wish::Import
    } else if matches.get_flag(NO_IMPORT) || caller.output.is_json() {
        Wish::Leave
    } else {
        Wish::Ask
    }
}

/// Lets a project whose state is gone begin with a new one.
fn begin_anew(project: &Project, bindings: &Bindings, actor: Actor) -> Result<()> {
    if bindings.standing(project)? != Standing::Lost {
        let message = "The state of this project is not lost, so it is not replaced";
        return Err(Error::invalid_params(message)
            .with_hint("To begin anew all the same, move .windlass/state away first."));
    }
    if actor != Actor::Human {
        let message = "Only a person at a terminal can do this: windlass init --new-state";
        return Err(
            Error::new(ErrorKind::HumanOnly, message).with_hint("Ask a person to run the command.")
        );
    }
    bindings.forget(project)
}
