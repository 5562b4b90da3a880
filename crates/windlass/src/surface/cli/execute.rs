//! Commands that wait for other processes: on a runtime, handling signals and cleaning up.

use std::convert::Infallible;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use windlass_core::{Error, Result};
use windlass_ops::{Context, Effect, Entry, Response};

use super::output::Output;
use super::steps::Steps;
use crate::surface::signals::{Signal, Signals};

/// How a command ended.
pub enum CommandEnd {
    Response(Response),
    Signal(Signal),
}

/// The argument that makes an operation wait until what it executes has ended.
const WAIT: &str = "wait";

/// Runs an operation and shows its progress. If it can wait for what it starts, it does: jobs of
/// this process end with it.
pub fn with_progress(
    entry: &'static Entry,
    mut input: Json,
    output: &Output,
    mut context: Context,
) -> Result<CommandEnd> {
    if entry.declaration.effect != Effect::Execute {
        return to_the_end(entry, input, context);
    }
    if entry.input_schema()["properties"].get(WAIT).is_some() {
        input[WAIT] = json!(true);
    }
    let steps = Steps::show(&mut context, output);
    let ended = drive(entry, input, context);
    drop(steps);
    ended
}

/// Runs an operation on the runtime that it needs.
pub fn to_the_end(entry: &'static Entry, input: Json, context: Context) -> Result<CommandEnd> {
    let declaration = &entry.declaration;
    if declaration.long_running || matches!(declaration.effect, Effect::Script | Effect::Execute) {
        return drive(entry, input, context);
    }
    // One thread is enough for waiting on the disk, and makes the process start faster.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(cannot_start)?;
    let call = windlass_ops::call(entry, context, input, CancellationToken::new());
    runtime.block_on(call).map(CommandEnd::Response)
}

/// Runs an operation until it ends or a signal arrives, and stops what it started.
fn drive(entry: &'static Entry, input: Json, context: Context) -> Result<CommandEnd> {
    runtime()?.block_on(async {
        let host = Arc::clone(&context.host);
        let sweeping = sweep_while_waiting(entry, context.clone());
        let call = windlass_ops::call(entry, context, input, CancellationToken::new());
        let mut signals = Signals::listen()?;
        let ended = tokio::select! {
            response = call => response.map(CommandEnd::Response),
            never = sweeping => match never {},
            signal = signals.next() => Ok(CommandEnd::Signal(signal)),
        };
        tokio::select! {
            () = host.close() => {}
            // After a second signal nothing has a grace any more.
            _ = signals.next() => host.kill().await,
        }
        ended
    })
}

/// A command that only waits finishes what dead processes left, or it might wait for them for ever.
async fn sweep_while_waiting(entry: &'static Entry, context: Context) -> Infallible {
    if entry.declaration.effect == Effect::Read {
        windlass_ops::keep_sweeping(context, CancellationToken::new(), |_| {}).await;
    }
    std::future::pending().await
}

/// Two threads: one may block while forwarding output, and signals are still handled.
pub fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(cannot_start)
}

fn cannot_start(problem: std::io::Error) -> Error {
    Error::internal(format!("cannot start: {problem}"))
}
