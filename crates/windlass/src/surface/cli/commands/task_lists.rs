//! Lists of tasks that people ask for by one word: `ready`, `next`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::json;
use windlass_core::Result;

use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::own_command::OwnCommand;

const LIST: &str = "board_list";

/// Filters that a list of ready tasks does not need.
const NOT_FOR_READY: &[&str] = &["ready", "blocked", "status"];

pub const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(&["ready"], build_ready, run_ready)
        .operations(&["task_ready", "work_next_ready"])
        .examples(READY),
    OwnCommand::new(&["tasks", "ready"], build_ready, run_ready).examples(READY),
    OwnCommand::new(&["next"], build_next, run_next)
        .operations(&["task_next"])
        .examples(NEXT),
    OwnCommand::new(&["tasks", "next"], build_next, run_next).examples(NEXT),
];

const READY: &[(&str, &[&str])] = &[
    ("Everything that can be worked on", &["ready"]),
    (
        "Urgent ones of a feature",
        &["ready", "--feature", "auth", "--priority", "urgent,high"],
    ),
];

const NEXT: &[(&str, &[&str])] = &[
    ("What to do now", &["next"]),
    ("What to do for a feature", &["next", "--feature", "auth"]),
];

fn build_ready(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation(LIST) else {
        return command;
    };
    let mut command = entry
        .augment(command)
        .about("Tasks that can be worked on now")
        .long_about(
            "Tasks that can be worked on now: not blocked, not in review, and not held by another \
             session. Most important first.",
        );
    for name in NOT_FOR_READY {
        command = command.mut_arg(*name, |argument| argument.hide(true));
    }
    command
}

fn run_ready(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let mut input = operation(LIST)?.input_of_matches(matches)?;
    input["ready"] = json!(true);
    caller.answer_call(LIST, input)
}

fn build_next(command: Command, _: &[OsString]) -> Command {
    match operation("board_next") {
        Ok(entry) => entry
            .augment(command)
            .about("The task to do next")
            .long_about(
                "The task to do next, whole: the most urgent one that nothing blocks, that no other \
                 session holds, and that has no unfinished children.",
            ),
        Err(_) => command,
    }
}

fn run_next(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let input = operation("board_next")?.input_of_matches(matches)?;
    caller.answer_call("board_next", input)
}
