//! `windlass log`: what changed, by whom and when.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use windlass_core::Result;

use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::own_command::OwnCommand;

const EVENTS: &str = "event_list";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["log"], build, run)
    .operations(&[EVENTS])
    .examples(&[
        ("The latest changes", &["log"]),
        ("What happened to task 2", &["log", "2"]),
        (
            "The same with the values before and after",
            &["log", "2", "--diff"],
        ),
        (
            "The last comment on anything",
            &["log", "--type", "comment.added", "--limit", "1"],
        ),
    ])];

fn build(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation(EVENTS) else {
        return command;
    };
    entry
        .augment(command)
        .long_about("What changed, by whom and when: the newest first, or everything after one event in order.")
        .mut_arg("entity", |argument| {
            argument
                .long(None)
                .value_name("N")
                .help("Only what happened to this entity: its number, or at least 4 hex digits of its id")
        })
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let input = operation(EVENTS)?.input_of_matches(matches)?;
    caller.answer_call(EVENTS, input)
}
