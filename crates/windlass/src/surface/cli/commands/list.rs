//! `windlass commands`: the commands of the repository, and what changes among them while a person
//! looks on.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value as Json, json};
use windlass_core::Result;
use windlass_ops::AnyOutput as _;

use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::output;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::render::escape;
use crate::surface::cli::tree::input_argument;

const LIST: &str = "commands_list_tasks";
const ROOT: &str = "root";
const WATCH: &str = "watch";
/// How often `--watch` looks at the files.
const INTERVAL: Duration = Duration::from_millis(500);

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["commands"], build, run)
    .operations(&[LIST])
    .examples(&[
        ("All commands", &["commands"]),
        (
            "Make targets about tests",
            &["commands", "--runner", "make", "--search", "test"],
        ),
        (
            "Everything of that name, wherever it is",
            &["commands", "build"],
        ),
        (
            "Those of a folder, and those of the root alone",
            &["commands", "--folder", "web"],
        ),
        ("What agents may run", &["commands", "--allowed"]),
        ("Everything about one", &["commands", "show", "build"]),
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
            "List the commands that the files of the repository define: the ones agents may run, then \
             those of the root, of the folder you are in, and the rest. Those of tests, fixtures and \
             examples are counted; --all lists them too. `windlass commands show NAME` shows one with \
             its definition and all that decides what it runs.",
        )
        .arg(input_argument().conflicts_with_all(fields))
        .arg(
            Arg::new(ROOT)
                .long(ROOT)
                .action(ArgAction::SetTrue)
                .conflicts_with("folder")
                .help("Only those of the root"),
        )
        .arg(
            Arg::new(WATCH)
                .long(WATCH)
                .action(ArgAction::SetTrue)
                .help("Go on and print what is added, removed and changed"),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let entry = operation(LIST)?;
    let mut input = caller.input(entry, matches)?;
    if matches.get_flag(ROOT) {
        input["folder"] = json!(".");
    }
    if !matches.get_flag(WATCH) {
        return caller.answer_call(LIST, input);
    }
    // Before anything is printed, so that no change after it is missed.
    let before = listed(caller, &input)?;
    let response = caller.call(LIST, input.clone())?;
    caller.output.answer(&response)?;
    follow(caller, &input, before)
}

/// Prints changes until the process is ended.
fn follow(caller: &Caller, input: &Json, mut before: Listed) -> Result<ExitCode> {
    loop {
        std::thread::sleep(INTERVAL);
        let now = listed(caller, input)?;
        if Arc::ptr_eq(&before, &now) || before == now {
            continue;
        }
        for (event, task) in changes(&before, &now) {
            let line = if caller.output.is_json() {
                json!({"event": event, "task": task}).to_string()
            } else {
                let name = task["unique_name"].as_str().unwrap_or_default();
                let about = task["command"].as_str().unwrap_or_default();
                let line = format!("{event}: {name}  {about}");
                escape::one_line(&line).into_owned()
            };
            // Whoever closed the pipe has seen enough.
            let line = format!("{line}\n");
            if output::pass_on(&mut std::io::stdout(), line.as_bytes()).is_err() {
                return Ok(ExitCode::SUCCESS);
            }
        }
        before = now;
    }
}

type Listed = Arc<BTreeMap<String, (String, Json)>>;

/// The commands by name, each with what tells whether it changed.
fn listed(caller: &Caller, input: &Json) -> Result<Listed> {
    let response = caller.call(LIST, input.clone())?;
    let listing = response.to_json();
    let context = caller.context()?;
    let commands = context.workspace.discovery()?.discover();
    let tasks = listing["tasks"].as_array().cloned().unwrap_or_default();
    let all = tasks.into_iter().map(|task| {
        let name = task["unique_name"].as_str().unwrap_or_default().to_owned();
        let print = commands.get(&name).map(|it| it.fingerprint.clone());
        (name, (print.unwrap_or_default(), task))
    });
    Ok(Arc::new(all.collect()))
}

fn changes(before: &Listed, now: &Listed) -> Vec<(&'static str, Json)> {
    let mut found = Vec::new();
    for (name, (_, task)) in before.iter() {
        if !now.contains_key(name) {
            found.push(("removed", task.clone()));
        }
    }
    for (name, (print, task)) in now.iter() {
        match before.get(name) {
            None => found.push(("added", task.clone())),
            Some((known, old)) if known != print || old != task => {
                found.push(("changed", task.clone()));
            }
            Some(_) => {}
        }
    }
    found
}
