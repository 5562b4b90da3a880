//! From the arguments of the process to an exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::ArgMatches;
use windlass_core::{Error, ErrorKind, Result};
use windlass_ops::{Entry, OPERATIONS, folders_of};
use windlass_store::Project;

use super::caller::Caller;
use super::execute;
use super::global::Global;
use super::output::Output;
use super::tree::{self, Leaf};
use super::{commands, confirm, input, long_text, report};
use crate::surface::environment::Environment;
use crate::surface::log_files::Level;

/// Runs the command line and returns the exit code of the process.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let mut environment = Environment::of_process();
    if environment.asks_for_completions() {
        return commands::completions::complete(&words);
    }
    let matches = match tree::parse(OPERATIONS, &words) {
        Ok(matches) => matches,
        Err(problem) => {
            let output = Output::of(&Global::guess(&words), &environment);
            return report::usage(&problem, &output);
        }
    };
    let global = Global::of(&matches);
    // A folder that cannot be read is no project; the command says so itself.
    let project = Project::find(&global.cwd);
    environment.protect_search_path(&project.map_or_else(|_| Vec::new(), |it| folders_of(&it)));
    let caller = Caller::new(words, global, environment);
    let code = match run(&matches, &caller) {
        Ok(code) => code,
        Err(error) => {
            if matches!(
                error.kind(),
                ErrorKind::StorageError | ErrorKind::InternalError
            ) {
                note_fault(&error, &caller);
            }
            report::failure(&error, &caller.output)
        }
    };
    caller.finish();
    code
}

/// Keeps what went wrong through no fault of the caller. Commands log nothing else.
fn note_fault(error: &Error, caller: &Caller) {
    let Ok(settings) = caller.environment.log_settings("cli", &caller.global.cwd) else {
        return;
    };
    let command = caller
        .words
        .get(1)
        .map(|it| it.to_string_lossy())
        .unwrap_or_default();
    if let Some(mut writer) = settings.writer() {
        // Whoever ran the command is told about the error anyway.
        let _ = writer.line(
            Level::Error,
            "windlass::cli",
            &format!("{command}: {}", error.full_message()),
        );
    }
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    caller.global.check()?;
    match tree::find(OPERATIONS, matches) {
        Some((Leaf::Own(own), matches)) => (own.run)(matches, caller),
        Some((Leaf::Operation(entry), matches)) => call(entry, matches, caller),
        None => commands::status::alone(caller),
    }
}

fn call(entry: &'static Entry, matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let context = caller.context()?;
    let cwd = &caller.global.cwd;
    let input = match matches.get_one::<String>(tree::INPUT) {
        Some(value) => entry.complete(input::read(value, cwd)?)?,
        None => long_text::read(entry.input_of_matches(matches)?, cwd)?,
    };
    // Nothing has run yet: invalid input is refused before the confirmation.
    if !confirm::confirm(entry, matches, &caller.words) {
        return Ok(caller.declined());
    }
    let response = match execute::with_progress(entry, input, &caller.output, context)? {
        execute::CommandEnd::Response(response) => response,
        execute::CommandEnd::Signal(signal) => return Ok(signal.exit_code()),
    };
    caller.answer(&response)
}
