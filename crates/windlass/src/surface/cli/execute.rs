//! Commands that wait for other processes: on a runtime, with signals heard and nothing left behind.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use windlass_core::{Error, Result};
use windlass_ops::{AnyOutput as _, Context, Effect, Entry, Response, StartInput};

use super::exit_codes::NOT_SUCCESSFUL;
use super::output::Output;
use super::run;
use super::steps::Steps;
use crate::surface::signals::{Signal, Signals};

/// How a command ended.
pub enum CommandEnd {
    Response(Response),
    Signal(Signal),
}

/// Runs an operation that executes code of the project, and shows it as it runs.
pub fn run(
    entry: &'static Entry,
    mut input: Json,
    output: Output,
    mut context: Context,
) -> Result<ExitCode> {
    if entry.declaration.name != "task_start" {
        // What this process starts ends with it, so it waits.
        input["wait"] = json!(true);
        let steps = Steps::show(&mut context, output);
        let ended = drive(entry, input, context);
        drop(steps);
        let response = match ended? {
            CommandEnd::Response(response) => response,
            CommandEnd::Signal(signal) => return Ok(signal.exit_code()),
        };
        output.answer(&response)?;
        let success = went_well(&response.to_json());
        return Ok(if success {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(NOT_SUCCESSFUL)
        });
    }
    let start: StartInput = serde_json::from_value(input.clone())
        .map_err(|problem| Error::invalid_params(problem.to_string()))?;
    if !start.dry_run {
        return runtime()?.block_on(run::run(context, start, output));
    }
    if let CommandEnd::Response(response) = drive(entry, input, context)? {
        output.answer(&response)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs an operation, with the runtime that it needs.
pub fn to_the_end(entry: &'static Entry, input: Json, context: Context) -> Result<CommandEnd> {
    let declaration = &entry.declaration;
    if declaration.long_running || declaration.effect == Effect::Script {
        return drive(entry, input, context);
    }
    // One thread serves what only waits for the disk, and the process starts as fast as it can.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(cannot_start)?;
    let call = windlass_ops::call(entry, context, input, CancellationToken::new());
    runtime.block_on(call).map(CommandEnd::Response)
}

/// Whether a run succeeded, or no gate failed.
fn went_well(answer: &Json) -> bool {
    match answer["gate_failures"].as_array() {
        Some(failures) => failures.is_empty(),
        None => answer["status"] == "success",
    }
}

/// Runs an operation to its end or to a signal, and stops what it started.
fn drive(entry: &'static Entry, input: Json, context: Context) -> Result<CommandEnd> {
    runtime()?.block_on(async {
        let host = Arc::clone(&context.host);
        let call = windlass_ops::call(entry, context, input, CancellationToken::new());
        let mut signals = Signals::listen()?;
        let ended = tokio::select! {
            response = call => response.map(CommandEnd::Response),
            signal = signals.next() => Ok(CommandEnd::Signal(signal)),
        };
        tokio::select! {
            () = host.close() => {}
            // Whoever asks twice does not want to wait: the shims end what is left.
            _ = signals.next() => {}
        }
        ended
    })
}

/// Waits for something that the command has begun, until a signal comes.
pub fn finish(context: &Context, work: impl Future<Output = Result<()>>) -> Result<()> {
    runtime()?.block_on(async {
        let mut signals = Signals::listen()?;
        let result = tokio::select! {
            result = work => result,
            _ = signals.next() => Ok(()),
        };
        context.host.close().await;
        result
    })
}

/// Two threads: what passes output on may wait for its reader, and signals are heard all the same.
fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(cannot_start)
}

fn cannot_start(problem: std::io::Error) -> Error {
    Error::internal(format!("cannot start: {problem}"))
}
