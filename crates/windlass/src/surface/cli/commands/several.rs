//! Commands that take several ids: each is dealt with on its own, and one that fails does not stop the
//! rest.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;
use serde_json::{Value as Json, json};
use windlass_core::{Error, Result};
use windlass_ops::{AnyOutput, Render, View};

use crate::surface::cli::caller::{Caller, exit_code};
use crate::surface::cli::report;

/// The id of the argument.
pub const IDS: &str = "id";

/// One or more ids.
pub fn argument() -> Arg {
    Arg::new(IDS)
        .value_name("N")
        .num_args(1..)
        .action(ArgAction::Append)
        .required(true)
        .help("Its number, or at least 4 hex digits of its id; several may be given")
}

/// Lets an operation with one id take several.
pub fn in_place_of_one(command: Command) -> Command {
    command.mut_arg(IDS, |argument| {
        argument
            .value_name("N")
            .num_args(1..)
            .action(ArgAction::Append)
    })
}

/// The ids that were given, each once.
pub fn ids(matches: &ArgMatches) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for raw in matches.get_raw(IDS).into_iter().flatten() {
        let id = raw.to_string_lossy().into_owned();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// Does something with each id, in order, and prints what came of it. The exit code is that of the
/// first failure.
pub fn each<O: AnyOutput>(
    matches: &ArgMatches,
    caller: &Caller,
    work: impl Fn(&str) -> Result<O>,
) -> Result<ExitCode> {
    let ids = ids(matches);
    if let [id] = ids.as_slice() {
        return caller.answer(&work(id)?);
    }
    if caller.output.is_json() {
        return as_json(&ids, caller, work);
    }
    let mut code = None;
    let mut together = Together(View::default());
    for id in &ids {
        match work(id) {
            Ok(output) => {
                if output.unsuccessful() {
                    code.get_or_insert(exit_code(&output));
                }
                together.add(output.view());
            }
            Err(error) => {
                // In the order in which it happened.
                caller.output.answer(&together)?;
                together = Together(View::default());
                let failed = report::failure(&error, &caller.output);
                code.get_or_insert(failed);
            }
        }
    }
    caller.output.answer(&together)?;
    Ok(code.unwrap_or(ExitCode::SUCCESS))
}

fn as_json<O: AnyOutput>(
    ids: &[String],
    caller: &Caller,
    work: impl Fn(&str) -> Result<O>,
) -> Result<ExitCode> {
    let mut code = None;
    let mut results = Vec::new();
    for id in ids {
        match work(id) {
            Ok(output) => {
                if output.unsuccessful() {
                    code.get_or_insert(exit_code(&output));
                }
                results.push(json!({"id": id, "ok": true, "result": output.to_json()}));
            }
            Err(error) => {
                code.get_or_insert(exit_code_of(&error));
                let error = report::as_json(&error)["error"].take();
                results.push(json!({"id": id, "ok": false, "error": error}));
            }
        }
    }
    caller.output.answer(&Results { results })?;
    Ok(code.unwrap_or(ExitCode::SUCCESS))
}

fn exit_code_of(error: &Error) -> ExitCode {
    ExitCode::from(error.kind().exit_code())
}

/// What came of each, as JSON.
#[derive(Serialize)]
struct Results {
    results: Vec<Json>,
}

impl Render for Results {
    fn view(&self) -> View {
        View::default()
    }
}

/// Several views, one below the other.
struct Together(View);

impl Together {
    fn add(&mut self, view: View) {
        let above = std::mem::take(&mut self.0);
        // Whole pages are set apart; lines are not.
        let apart = view.blocks.len() > 2 && !above.blocks.is_empty();
        let above = if apart { above.blank() } else { above };
        self.0 = above.join(view);
    }
}

impl Serialize for Together {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl Render for Together {
    fn view(&self) -> View {
        self.0.clone()
    }
}
