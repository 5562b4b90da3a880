//! Commands that wait for other processes: on a runtime, with signals heard and nothing left behind.

use std::process::ExitCode;

use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;
use windlass_core::{Error, Result};
use windlass_ops::{BoxedAnswer, Context, Entry, Running, StartInput, Toolset};

use super::exit_codes::NOT_SUCCESSFUL;
use super::output::Output;
use super::run;
use super::steps::Steps;
use crate::surface::signals::{Signal, Signals};

/// How a command ended.
pub enum Ended {
    Answer(BoxedAnswer),
    Signal(Signal),
}

/// Runs an operation that executes code of the project, and shows it as it runs.
pub fn run(
    entry: &'static Entry,
    mut input: Json,
    output: Output,
    mut context: Context,
) -> Result<ExitCode> {
    if entry.declaration.toolset != Toolset::Commands {
        // What this process starts ends with it, so it waits.
        input["wait"] = json!(true);
        let steps = Steps::show(&mut context, output);
        let ended = drive(&context, entry.call(context.clone(), input)?);
        drop(steps);
        let answer = match ended? {
            Ended::Answer(answer) => answer,
            Ended::Signal(signal) => return Ok(signal.exit_code()),
        };
        output.answer(answer.as_ref())?;
        let success = went_well(&answer.to_json());
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
    if let Ended::Answer(answer) = drive(&context, entry.call(context.clone(), input)?)? {
        output.answer(answer.as_ref())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a run succeeded, or no gate failed.
fn went_well(answer: &Json) -> bool {
    match answer["gate_failures"].as_array() {
        Some(failures) => failures.is_empty(),
        None => answer["status"] == "success",
    }
}

/// Runs an operation to its end or to a signal, and stops what it started.
pub fn drive(context: &Context, running: Running) -> Result<Ended> {
    runtime()?.block_on(async {
        let mut signals = Signals::listen()?;
        let ended = tokio::select! {
            answer = running => answer.map(Ended::Answer),
            signal = signals.next() => Ok(Ended::Signal(signal)),
        };
        tokio::select! {
            () = context.workshop.close() => {}
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
        context.workshop.close().await;
        result
    })
}

/// Two threads: what passes output on may wait for its reader, and signals are heard all the same.
fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|problem| Error::internal(format!("cannot start: {problem}")))
}
