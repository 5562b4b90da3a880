//! From the words of the process to an exit code.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use clap::ArgMatches;
use windlass_core::{Actor, Error, Origin, Result};
use windlass_ops::{
    AnyOutput as _, Context, Effect, Entry, JobHost, Lifetime, OPERATIONS, Workspace,
};
use windlass_store::{Project, Store};

use super::execute::{self, CommandEnd};
use super::exit_codes::{DECLINED, ExitCodes, NOT_SUCCESSFUL};
use super::global::Global;
use super::output::{self, Output};
use super::{confirm, doctor, exec, init, input, report, serve, serve_http, session, setup, tree};
use crate::surface::environment::Environment;

/// Runs the command line and answers the exit code of the process.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let matches = match tree::parse(OPERATIONS, &words) {
        Ok(matches) => matches,
        Err(problem) => return report::usage(&problem, Output::of(&Global::guess(&words))),
    };
    let global = Global::of(&matches);
    let output = Output::of(&global);
    match run(&words, &matches, &global, output) {
        Ok(code) => code,
        Err(error) => report::failure(&error, output),
    }
}

fn run(
    words: &[OsString],
    matches: &ArgMatches,
    global: &Global,
    output: Output,
) -> Result<ExitCode> {
    global.check()?;
    let environment = Environment::of_process();
    match matches.subcommand() {
        Some(("init", matches)) => {
            let origin = origin(&environment)?;
            output.answer(&init::run(matches, &global.cwd, &origin)?)?;
        }
        Some(("session", below)) if below.subcommand_name() == Some(session::NAME) => {
            let matches = below.subcommand_matches(session::NAME).unwrap_or(below);
            return session::run(matches, &context(global, &environment)?, output);
        }
        Some(("mcp", matches)) => serve::run(matches, global, &environment)?,
        Some(("serve", matches)) => serve_http::run(matches, global, output, &environment)?,
        Some(("setup", matches)) => {
            let Some(answer) = setup::run(matches, &global.cwd, &environment, output)? else {
                return Ok(declined(output));
            };
            match &answer.text {
                Some(text) if !output.is_json() => output.text(text)?,
                _ => output.answer(&answer)?,
            }
        }
        Some(("doctor", _)) => {
            let report = doctor::run(&global.cwd, &environment);
            output.answer(&report)?;
            return Ok(report.exit_code());
        }
        Some(("completions", matches)) => output::raw(&completions(matches)?)?,
        Some(("exit-codes", _)) => output.answer(&ExitCodes)?,
        Some(("sdk", matches)) if matches.subcommand_name() == Some(exec::TYPES) => {
            output::raw(windlass_ops::sdk_declarations().as_bytes())?;
        }
        _ => {
            let (entry, matches) = find(matches)
                .ok_or_else(|| Error::internal("The command has no operation behind it"))?;
            return call(entry, words, matches, global, output, &environment);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The operation that the words name, and its arguments.
fn find(root: &ArgMatches) -> Option<(&'static Entry, &ArgMatches)> {
    let mut path = Vec::new();
    let mut matches = root;
    while let Some((name, below)) = matches.subcommand() {
        path.push(name);
        matches = below;
    }
    let entry = OPERATIONS
        .iter()
        .find(|entry| entry.declaration.cli == path.as_slice())?;
    Some((entry, matches))
}

fn call(
    entry: &'static Entry,
    words: &[OsString],
    matches: &ArgMatches,
    global: &Global,
    output: Output,
    environment: &Environment,
) -> Result<ExitCode> {
    let context = context(global, environment)?;
    let given = matches.get_one::<String>(tree::INPUT);
    let input = match given {
        Some(value) => entry.complete(input::read(value, &global.cwd)?)?,
        None if exec::is_script(entry) => exec::input(entry, matches, &global.cwd)?,
        None => entry.input_of_matches(matches)?,
    };
    if entry.declaration.effect == Effect::Execute {
        return execute::run(entry, input, output, context);
    }
    // Nothing has run yet: input that does not fit is refused before anyone is asked.
    if !confirm::confirm(entry, matches, words) {
        return Ok(declined(output));
    }
    let response = match execute::to_the_end(entry, input, context)? {
        CommandEnd::Response(response) => response,
        CommandEnd::Signal(signal) => return Ok(signal.exit_code()),
    };
    output.answer(&response)?;
    Ok(if response.failed() {
        ExitCode::from(NOT_SUCCESSFUL)
    } else {
        ExitCode::SUCCESS
    })
}

/// A person said no.
fn declined(output: Output) -> ExitCode {
    output.error("stopped", "Nothing was changed.", None);
    ExitCode::from(DECLINED)
}

fn context(global: &Global, environment: &Environment) -> Result<Context> {
    let settings = environment.settings()?;
    let origin = origin(environment)?;
    let project = Project::find(&global.cwd)?;
    let store = Store::open(&project)?;
    let workspace = Arc::new(Workspace::new(project, environment.machine(&global.cwd)));
    let host = Arc::new(JobHost::new(workspace, Lifetime::Command));
    let store = Arc::new(store);
    Ok(Context::new(store, host, origin, Arc::new(settings)))
}

/// Who asks, by this socket.
fn origin(environment: &Environment) -> Result<Origin> {
    Ok(Origin {
        actor: actor(),
        source: "cli",
        session: match environment.session()? {
            Some(session) => session,
            None => format!("cli:{}", environment.user_name()),
        },
        correlation_id: environment.correlation_id()?,
    })
}

/// A person types and reads: what is typed comes from a terminal, and something is shown on one.
fn actor() -> Actor {
    let reads = std::io::stdout().is_terminal() || std::io::stderr().is_terminal();
    if std::io::stdin().is_terminal() && reads {
        Actor::Human
    } else {
        Actor::Agent
    }
}

fn completions(matches: &ArgMatches) -> Result<Vec<u8>> {
    let shell = matches
        .get_one::<clap_complete::Shell>("shell")
        .ok_or_else(|| Error::invalid_params("Which shell?"))?;
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut tree::full(OPERATIONS), "windlass", &mut script);
    Ok(script)
}
