//! `windlass allowed`: what agents may run, and how a command differs from what was allowed.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;
use serde_json::Value as Json;
use windlass_core::Result;
use windlass_ops::{AnyOutput as _, Render, View, diff_view};

use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::tree::input_argument;

const LIST: &str = "allowlist_list";
const DIFF: &str = "diff";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["allowed"], build, run)
    .operations(&[LIST])
    .examples(&[
        ("What agents may run in this project", &["allowed"]),
        ("Why build may or may not run", &["allowed", "build"]),
        (
            "How its files differ from what was allowed",
            &["allowed", "build", "--diff"],
        ),
    ])];

fn build(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation(LIST) else {
        return command;
    };
    let command = entry.augment(command);
    let fields: Vec<_> = command
        .get_arguments()
        .map(|argument| argument.get_id().clone())
        .collect();
    command
        .long_about(
            "Show what people allowed and denied in this project; or, for one command, why it may or may not \
             run, the files that it is pinned to and which of them have changed since.",
        )
        .arg(
            Arg::new(DIFF)
                .long(DIFF)
                .action(ArgAction::SetTrue)
                .requires("name")
                .help("Also show how its files differ from what was allowed"),
        )
        .arg(input_argument().conflicts_with_all(fields))
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let entry = operation(LIST)?;
    let input = caller.input(entry, matches)?;
    let response = caller.call(LIST, input)?;
    if caller.output.is_json() || !matches.get_flag(DIFF) {
        return caller.answer(&response);
    }
    let json = response.to_json();
    let why = &json["explanation"];
    let difference = match why["diff"].as_str() {
        Some(diff) => diff_view(diff),
        // Nothing to compare with: it is not pinned.
        None if why["granted_at"] == Json::Null => View::default(),
        None => View::nothing("Nothing differs."),
    };
    let view = response.view().join(difference);
    caller.answer(&WithDifference { view })
}

/// Why a command may run, and below it what changed.
#[derive(Serialize)]
struct WithDifference {
    #[serde(skip)]
    view: View,
}

impl Render for WithDifference {
    fn view(&self) -> View {
        self.view.clone()
    }
}
