//! `windlass call TOOL`: every operation with its own arguments and its own JSON.

mod flags;
mod list;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use windlass_core::{Error, Result};
use windlass_ops::{Effect, OPERATIONS};

use crate::surface::cli::caller::{Caller, call_name, find_operation};
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::{confirm, execute, input, tree};

pub use flags::words_of;

const LIST: &str = "list";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["call"], build, run).examples(&[
    ("All tools", &["call", "--list"]),
    ("What a tool takes", &["call", "entity_list", "--help"]),
    (
        "A tool with its arguments",
        &["call", "entity_list", "--type", "note", "--limit", "5"],
    ),
    (
        "The same as JSON",
        &[
            "call",
            "entity_list",
            "--input",
            r#"{"type": "note", "limit": 5}"#,
        ],
    ),
])];

fn build(command: Command, words: &[OsString]) -> Command {
    let command = command
        .long_about(
            "Call any tool with its own arguments and get its own JSON, as an agent would. Each argument \
             is an option: --due-date or --due_date. Lists are given by repeating the option or as a JSON \
             array, objects as JSON. What only people may do needs a person at a terminal.",
        )
        .override_usage("windlass call TOOL [--ARGUMENT VALUE]... [--input JSON|@FILE|-]\n       windlass call --list")
        .subcommand_value_name("TOOL")
        .arg_required_else_help(true)
        .args_conflicts_with_subcommands(true)
        .allow_external_subcommands(true)
        .arg(
            Arg::new(LIST)
                .long(LIST)
                .action(ArgAction::SetTrue)
                .help("List all tools: name, toolset, what each does"),
        );
    // A tool's arguments come from its schema, so only those of the tools that are named are made.
    let named = words.iter().filter_map(|word| {
        let name = word.to_str()?;
        Some((name, find_operation(name)?))
    });
    let mut tools: Vec<&str> = Vec::new();
    let mut command = command;
    for (name, entry) in named {
        if !tools.contains(&name) {
            tools.push(name);
            command = command.subcommand(flags::command(name, entry));
        }
    }
    command
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let Some((name, matches)) = matches.subcommand() else {
        return caller.answer(&list::Tools::all());
    };
    let entry = find_operation(name).ok_or_else(|| unknown(name))?;
    let given = matches.get_one::<String>(tree::INPUT);
    let base = match given {
        Some(value) => input::read(value, &caller.global.cwd)?,
        None => serde_json::json!({}),
    };
    let input = flags::input(entry, base, matches)?;
    let context = caller.context()?;
    let destructive = entry.declaration.effect == Effect::Destructive;
    if destructive && !confirm::confirm(entry, matches, &caller.words) {
        return Ok(caller.declined());
    }
    let output = caller.output.as_json();
    let response = match execute::with_progress(entry, input, &output, context)? {
        execute::CommandEnd::Response(response) => response,
        execute::CommandEnd::Signal(signal) => return Ok(signal.exit_code()),
    };
    output.answer(&response)?;
    Ok(crate::surface::cli::caller::exit_code(&response))
}

fn unknown(name: &str) -> Error {
    let names: Vec<String> = OPERATIONS.iter().map(call_name).collect();
    let error = Error::invalid_params(format!("There is no tool \"{name}\""));
    let error = match windlass_core::nearest(name, names.iter().map(String::as_str)) {
        Some(near) => error.with("did_you_mean", near),
        None => error,
    };
    error.with_hint("`windlass call --list` names them all.")
}
