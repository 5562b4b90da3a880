//! `windlass show` and `windlass get`: entities by number, one or several.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::json;
use windlass_core::Result;

use super::several;
use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::own_command::OwnCommand;

pub const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(&["show"], build_show, run_show)
        .operations(&["board_show", "get_task", "work_get"])
        .examples(&[
            ("Task 2 with everything about it", &["show", "2"]),
            ("Two of them, as JSON", &["show", "1", "2", "--json"]),
        ]),
    OwnCommand::new(&["tasks", "show"], build_show_task, run_show),
    OwnCommand::new(&["get"], build_get, run_get)
        .operations(&["entity_get"])
        .examples(&[("By number", &["get", "2"])]),
];

fn build_show_task(command: Command, words: &[OsString]) -> Command {
    build_show(command, words).about("Show a task with everything about it")
}

fn build_show(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Show everything about a task: its fields, who holds it, what blocks it and what it blocks, \
             its parent and children, gates and their results, the review, the open question, comments \
             and learnings. Other entities are shown whole too. The JSON (--json) is the same view.",
        )
        .arg(several::argument())
}

fn run_show(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    several::each(matches, caller, |id| {
        caller.call("board_show", json!({ "id": id }))
    })
}

fn build_get(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation("entity_get") else {
        return command;
    };
    several::in_place_of_one(entry.augment(command))
        .long_about("Read entities as the knowledge tools return them, in their words.")
}

fn run_get(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let entry = operation("entity_get")?;
    several::each(matches, caller, |id| {
        let mut input = entry.input_of_matches(matches)?;
        input["id"] = json!(id);
        caller.call("entity_get", input)
    })
}
