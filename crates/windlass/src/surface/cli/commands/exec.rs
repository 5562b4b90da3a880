//! `windlass exec` takes its script from a file, and `windlass sdk types` prints what it can call.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, ValueHint};
use serde_json::{Value as Json, json};
use windlass_core::{Error, Result};
use windlass_ops::Entry;

use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::execute::{self, CommandEnd};
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::tree::{self, input_argument};
use crate::surface::cli::{input, output};

const EXECUTE: &str = "execute";
const FILE: &str = "cli-file";
const CODE: &str = "code";
const STANDARD_INPUT: &str = "-";

pub const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(&["exec"], build, run)
        .operations(&[EXECUTE])
        .examples(&[
            (
                "How many tasks are ready",
                &["exec", "-e", "(await tasks.ready({})).tasks.length"],
            ),
            ("A script from a file", &["exec", "report.js"]),
        ]),
    OwnCommand::new(&["sdk", "types"], build_types, run_types),
];

fn build(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation(EXECUTE) else {
        return command;
    };
    let command = entry.augment(command);
    let fields: Vec<_> = command
        .get_arguments()
        .map(|argument| argument.get_id().clone())
        .collect();
    command
        .long_about(
            "Run JavaScript or TypeScript over everything that Windlass can do, in a sandbox. `windlass sdk \
             search` and `windlass sdk types` say what a script can call.",
        )
        .arg(input_argument().conflicts_with_all(fields))
        .arg(
            Arg::new(FILE)
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                // Whoever gives it need not give the code itself.
                .conflicts_with(CODE)
                .help("The file that holds the script, or - for standard input"),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let entry = operation(EXECUTE)?;
    let input = match matches.get_one::<String>(tree::INPUT) {
        Some(value) => entry.complete(input::read(value, &caller.global.cwd)?)?,
        None => script(entry, matches, &caller.global.cwd)?,
    };
    match execute::to_the_end(entry, input, caller.context()?)? {
        CommandEnd::Response(response) => caller.answer(&response),
        CommandEnd::Signal(signal) => Ok(signal.exit_code()),
    }
}

/// The input of the operation: the arguments, with the text of the file where one is given.
fn script(entry: &Entry, matches: &ArgMatches, cwd: &Path) -> Result<Json> {
    let Some(file) = matches.get_one::<String>(FILE) else {
        return entry.input_of_matches(matches);
    };
    let mut input = json!({ CODE: read(file, cwd)? });
    if let Some(timeout) = matches.get_one::<u64>("timeout_ms") {
        input["timeout_ms"] = json!(timeout);
    }
    if let Some(id) = matches.get_one::<String>("correlation_id") {
        input["correlation_id"] = json!(id);
    }
    Ok(input)
}

fn read(file: &str, cwd: &Path) -> Result<String> {
    let mut text = String::new();
    let read = if file == STANDARD_INPUT {
        std::io::stdin().read_to_string(&mut text).map(|_| ())
    } else {
        std::fs::read_to_string(cwd.join(file)).map(|found| text = found)
    };
    read.map_err(|problem| {
        Error::invalid_params(format!("{file}: {problem}"))
            .with_hint("Give a file with a script, - for standard input, or -e CODE.")
    })?;
    Ok(text)
}

fn build_types(command: Command, _: &[OsString]) -> Command {
    command.about("Print the TypeScript declarations of the SDK, for an editor")
}

fn run_types(_: &ArgMatches, _: &Caller) -> Result<ExitCode> {
    output::raw(windlass_ops::sdk_declarations().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
