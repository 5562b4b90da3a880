//! One script, from its source to its end.

use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Promise, Value};

use super::engine::Engine;
use super::failure::{Explained, Seen};
use super::sdk::{self, Internals};
use super::source::{self, Script};
use super::state::{State, Stop};
use super::{failure, shorten};
use crate::limits::{Limits, MAX_JSON_BYTES};
use crate::outcome::{ErrorCode, Failure};
use crate::wire::{Ended, ToWorker};

/// What a worker may have used and still be used again: the system gets little of it back.
const MODEST_BYTES: usize = 32 * 1024 * 1024;

/// Runs a script to its end.
pub fn run(engine: &Engine, request: u32, limits: &Limits, code: &str) -> Ended {
    engine.state.begin(request, limits);
    let result = source::prepare(code).and_then(|script| evaluate(engine, limits, code, &script));
    let is_spent = engine.memory.most() > MODEST_BYTES
        || matches!(&result, Err(failure) if leaves_damage(failure.code));
    let (result, truncated) = match result {
        Ok(json) => match shorten::shorten(&json, limits.result_characters) {
            Ok((value, truncated)) => (Ok(value), truncated),
            Err(failure) => (Err(failure), false),
        },
        Err(failure) => (Err(failure), false),
    };
    Ended {
        result,
        truncated,
        logs_truncated: engine.state.logs_truncated(),
        spent: is_spent,
    }
}

/// Whether the engine was stopped in the midst of something.
fn leaves_damage(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::Timeout | ErrorCode::MemoryLimit | ErrorCode::TooManyCalls
    )
}

/// The value of a script as JSON text.
fn evaluate(
    engine: &Engine,
    limits: &Limits,
    code: &str,
    script: &Script,
) -> Result<String, Failure> {
    engine.runtime.set_max_stack_size(limits.stack_bytes);
    engine.memory.limit(limits.memory_bytes);
    engine.context.with(|ctx| {
        let seen = Seen {
            engine,
            limits,
            source: code,
            places: &script.places,
            methods: &engine.methods,
        };
        let internals = match sdk::take_internals(&ctx) {
            Ok(internals) => internals,
            Err(_) => return Err(seen.failure(Explained::nothing())),
        };
        let began = ctx.eval_with_options(script.javascript.as_str(), sdk::options(failure::FILE));
        let promise: Promise = match began {
            Ok(promise) => promise,
            // The script is a function that fails by rejecting, so that this is not its doing.
            Err(_) => {
                let explained = explain(&ctx, &internals, ctx.catch(), engine, limits);
                return Err(seen.not_begun(explained));
            }
        };
        drive(&ctx, &internals, &engine.state, &promise).map_err(|end| seen.ended(end))?;
        let value = promise.result::<Value>();
        let text = match value {
            Some(Ok(value)) => json_of(&ctx, value),
            _ => Err(rquickjs::Error::Exception),
        };
        match text {
            Ok(text) if text.len() > MAX_JSON_BYTES => Err(Failure::new(
                ErrorCode::ResultTooLarge,
                format!("The value is {} bytes of JSON", text.len()),
            )
            .with_hint("Return what you need of it: filter, count, or take a part.")),
            Ok(text) => Ok(text),
            Err(_) => Err(seen.failure(explain(&ctx, &internals, ctx.catch(), engine, limits))),
        }
    })
}

/// What ended a script before its promise was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Stopped(Stop),
    Deadlock,
}

/// Runs jobs until the script has ended and nothing is left that it began.
fn drive<'js>(
    ctx: &Ctx<'js>,
    internals: &Internals<'js>,
    state: &State,
    promise: &Promise<'js>,
) -> Result<(), End> {
    loop {
        if let Some(stop) = state.stopped() {
            return Err(End::Stopped(stop));
        }
        if promise.state() == PromiseState::Rejected {
            return Ok(());
        }
        if ctx.execute_pending_job() {
            continue;
        }
        if let Some(timer) = state.due_timer() {
            fired(ctx, internals.fire.call((timer,)));
            continue;
        }
        if state.is_quiet() {
            return match promise.state() {
                PromiseState::Pending => Err(End::Deadlock),
                _ => Ok(()),
            };
        }
        wait(ctx, internals, state);
    }
}

/// Waits for the host, for a timer or for the deadline.
fn wait<'js>(ctx: &Ctx<'js>, internals: &Internals<'js>, state: &State) {
    match state.pipe.receive(state.next_event()) {
        Ok(Some(ToWorker::Settle {
            request,
            call,
            settlement,
        })) if request == state.request() => {
            state.answered();
            let (is_answer, text) = match settlement {
                Ok(answer) => (true, answer),
                Err(error) => (false, serde_json::to_string(&error).unwrap_or_default()),
            };
            fired(ctx, internals.settle.call((call, is_answer, text)));
        }
        Ok(_) => {}
        // The host has gone.
        Err(_) => std::process::exit(0),
    }
}

/// What the prelude throws is no word of the script. Where it ran out of time or memory, what comes
/// next shows it.
fn fired(ctx: &Ctx<'_>, result: rquickjs::Result<()>) {
    if result.is_err() {
        ctx.catch();
    }
}

/// A value as JSON text. What JSON cannot say at all is nothing.
fn json_of<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<String> {
    match ctx.json_stringify(value)? {
        Some(text) => text.to_string(),
        None => Ok("null".to_owned()),
    }
}

/// What was thrown, in the words of the prelude.
fn explain<'js>(
    ctx: &Ctx<'js>,
    internals: &Internals<'js>,
    thrown: Value<'js>,
    engine: &Engine,
    limits: &Limits,
) -> Explained {
    // Where all memory is used up, an error needs some more to be told.
    const TO_TELL: usize = 4 * 1024 * 1024;
    let was_refused = engine.memory.was_refused();
    engine.memory.limit(limits.memory_bytes + TO_TELL);
    let text: rquickjs::Result<String> = internals.explain.call((thrown,));
    let explained = text.ok().and_then(|text| serde_json::from_str(&text).ok());
    if explained.is_none() {
        ctx.catch();
    }
    let mut explained = explained.unwrap_or_else(Explained::nothing);
    explained.out_of_memory = was_refused;
    explained
}
