//! Small changes of a task: `block`, `unblock`, `comment`, `status`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::json;
use windlass_core::Result;

use super::task_steps::Step;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::long_text;
use crate::surface::cli::own_command::OwnCommand;

const TASK: &str = "id";
const BLOCKERS: &str = "blocker";
const TEXT: &str = "body";
const AUTHOR: &str = "author";
const STATUS: &str = "status";

pub const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(&["tasks", "block"], build_block, run_block)
        .operations(&["work_block"])
        .examples(&[("Task 3 waits for task 2", &["tasks", "block", "3", "2"])]),
    OwnCommand::new(&["tasks", "unblock"], build_unblock, run_unblock)
        .operations(&["work_unblock"])
        .examples(&[(
            "Task 3 does not wait for task 2 any more",
            &["tasks", "unblock", "3", "2"],
        )]),
    OwnCommand::new(&["tasks", "comment"], build_comment, run_comment)
        .operations(&["add_task_comment"])
        .examples(&[(
            "A comment on task 2",
            &["tasks", "comment", "2", "The old sessions must end too"],
        )]),
    OwnCommand::new(&["tasks", "status"], build_status, run_status)
        .operations(&["set_task_status", "work_set_status"])
        .examples(&[("Reopen task 2", &["tasks", "status", "2", "pending"])]),
];

fn task() -> Arg {
    Arg::new(TASK)
        .value_name("N")
        .required(true)
        .help("The task: its number, or at least 4 hex digits of its id")
}

fn build_block(command: Command, _: &[OsString]) -> Command {
    command
        .about("Make a task wait for others")
        .arg(task())
        .arg(blockers())
}

fn build_unblock(command: Command, _: &[OsString]) -> Command {
    command
        .about("Let a task no longer wait for others")
        .arg(task())
        .arg(blockers())
}

fn blockers() -> Arg {
    Arg::new(BLOCKERS)
        .value_name("BLOCKER")
        .num_args(1..)
        .action(ArgAction::Append)
        .required(true)
        .help("The tasks that must be done first")
}

fn run_block(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    for_each_blocker(matches, caller, "work_block", "Blocked")
}

fn run_unblock(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    for_each_blocker(matches, caller, "work_unblock", "Unblocked")
}

fn for_each_blocker(
    matches: &ArgMatches,
    caller: &Caller,
    name: &str,
    word: &'static str,
) -> Result<ExitCode> {
    let id = text(matches, TASK);
    for blocker in matches.get_many::<String>(BLOCKERS).into_iter().flatten() {
        caller.call(name, json!({ "id": id, "blocked_by": blocker }))?;
    }
    caller.answer(&Step::of(&id, word, caller)?)
}

fn build_comment(command: Command, _: &[OsString]) -> Command {
    command
        .about("Comment on a task")
        .arg(task())
        .arg(
            Arg::new(TEXT)
                .value_name("TEXT")
                .required(true)
                .help("What there is to say, or - for standard input"),
        )
        .arg(
            Arg::new(AUTHOR)
                .long(AUTHOR)
                .value_name("NAME")
                .help("Who says it; you if absent"),
        )
}

fn run_comment(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let id = text(matches, TASK);
    let body = long_text::message(TEXT, &text(matches, TEXT), &caller.global.cwd)?;
    let author = match matches.get_one::<String>(AUTHOR) {
        Some(author) => author.clone(),
        None => caller.environment.user_name(),
    };
    let input = json!({ "task_id": id, "author": author, "body": body });
    caller.call("add_task_comment", input)?;
    caller.answer(&Step::of(&id, "Commented on", caller)?)
}

fn build_status(command: Command, _: &[OsString]) -> Command {
    command
        .about("Set the status of a task")
        .long_about(
            "Set the status of a task: draft, pending, in_progress, blocked, done, skipped or cancelled. The \
             words of every tool are understood. What a review decides is not set by hand.",
        )
        .arg(task())
        .arg(
            Arg::new(STATUS)
                .value_name("STATUS")
                .required(true)
                .help("The new status"),
        )
}

fn run_status(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let id = text(matches, TASK);
    let input = json!({ "id": id, "status": text(matches, STATUS) });
    caller.call("board_update", input)?;
    caller.answer(&Step::of(&id, "Changed", caller)?)
}

fn text(matches: &ArgMatches, name: &str) -> String {
    matches.get_one::<String>(name).cloned().unwrap_or_default()
}
