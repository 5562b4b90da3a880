//! `windlass exec` takes its script from a file, and `windlass sdk types` prints what it can call.

use std::io::Read as _;
use std::path::Path;

use clap::{Arg, ArgMatches, Command, ValueHint};
use serde_json::{Value as Json, json};
use windlass_core::{Error, Result};
use windlass_ops::{Effect, Entry};

/// The command that prints the declarations of the SDK.
pub const TYPES: &str = "types";

const FILE: &str = "cli-file";
const CODE: &str = "code";
const STANDARD_INPUT: &str = "-";

/// Whether the operation runs a script.
pub fn is_script(entry: &Entry) -> bool {
    entry.declaration.effect == Effect::Script
}

/// The file that holds the script.
pub fn file_argument() -> Arg {
    Arg::new(FILE)
        .value_name("FILE")
        .value_hint(ValueHint::FilePath)
        // Whoever gives it need not give the code itself.
        .conflicts_with(CODE)
        .help("The file that holds the script, or - for standard input")
}

/// The input of the operation: the arguments, with the text of the file where one is given.
pub fn input(entry: &Entry, matches: &ArgMatches, cwd: &Path) -> Result<Json> {
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

/// Adds the command that prints the declarations, where it belongs.
pub fn add_types(command: Command) -> Command {
    if command.get_name() != "sdk" {
        return command;
    }
    command.subcommand(
        Command::new(TYPES).about("Print the TypeScript declarations of the SDK, for an editor"),
    )
}
