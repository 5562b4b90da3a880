//! Runs one script, from its source to its end.

use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Promise, Value};

use super::engine::Engine;
use super::failure::{SourceMap, ThrownError};
use super::mistakes::Mistakes;
use super::sdk::{self, Internals};
use super::source::{self, Script};
use super::state::State;
use super::text::well_formed;
use super::{failure, shorten};
use crate::limits::{Limits, MAX_JSON_BYTES};
use crate::outcome::{ErrorCode, Failure};
use crate::wire::{ScriptEnd, ToWorker};

/// The memory that a worker may have used and still be reused: little of it is returned to the
/// system.
const REUSABLE_BYTES: usize = 32 * 1024 * 1024;

/// Runs a script until it ends.
pub fn run(engine: &Engine, request: u32, limits: &Limits, code: &str) -> ScriptEnd {
    engine.state.begin(request, limits);
    let (result, warnings) = match source::prepare(code) {
        Ok(script) => evaluate(engine, limits, code, &script),
        Err(failure) => (Err(failure), Vec::new()),
    };
    let (result, truncated) = match result {
        Ok(json) => match shorten::shorten(&json, limits.result_characters) {
            Ok((value, truncated)) => (Ok(value), truncated),
            Err(failure) => (Err(failure), false),
        },
        Err(failure) => (Err(failure), false),
    };
    ScriptEnd {
        result,
        truncated,
        logs_truncated: engine.state.logs_truncated(),
        warnings,
        spent: engine.state.peak_memory() > REUSABLE_BYTES,
    }
}

/// The value of a script as JSON text, and warnings about what it did.
fn evaluate(
    engine: &Engine,
    limits: &Limits,
    code: &str,
    script: &Script,
) -> (Result<String, Failure>, Vec<String>) {
    engine.runtime.set_max_stack_size(limits.stack_bytes);
    engine.context.with(|ctx| {
        let source = SourceMap {
            source: code,
            locations: &script.locations,
            methods: &engine.methods,
        };
        let Ok(internals) = sdk::take_internals(&ctx) else {
            return (Err(source.failure(ThrownError::unknown())), Vec::new());
        };
        let began: rquickjs::Result<Promise> =
            ctx.eval_with_options(script.javascript.as_str(), sdk::options(failure::FILE));
        let Ok(promise) = began else {
            // The script is an async function and fails by rejecting, so an error here is not
            // caused by the script.
            let explained = explain(&ctx, &internals, ctx.catch());
            return (Err(source.start_failure(explained)), Vec::new());
        };
        let driven = drive(&ctx, &internals, &engine.state, &promise);
        let mut value = Value::new_undefined(ctx.clone());
        let mut result = driven.and_then(|()| {
            let text = match promise.result::<Value>() {
                Some(Ok(fulfilled)) => {
                    value = fulfilled.clone();
                    json_of(&ctx, fulfilled)
                }
                _ => Err(rquickjs::Error::Exception),
            };
            text.map_err(|_| source.failure(explain(&ctx, &internals, ctx.catch())))
        });
        let mut mistakes = mistakes(&ctx, &internals, value);
        if let Err(failure) = &mut result {
            mistakes.explain(&source, failure);
        }
        let warnings = mistakes.warnings(&source, result.is_err());
        (result.and_then(fitting), warnings)
    })
}

/// Refuses a value that is too long even to be shortened.
fn fitting(text: String) -> Result<String, Failure> {
    if text.len() <= MAX_JSON_BYTES {
        return Ok(text);
    }
    Err(Failure::new(
        ErrorCode::ResultTooLarge,
        format!("The value is {} bytes of JSON", text.len()),
    )
    .with_hint("Return only what you need: filter, count, or take a part."))
}

/// What the prelude noticed. A script can spoil that, to its own harm only.
fn mistakes<'js>(ctx: &Ctx<'js>, internals: &Internals<'js>, value: Value<'js>) -> Mistakes {
    let text: rquickjs::Result<String> = internals.mistakes.call((value,));
    let noticed = text.ok().and_then(|text| serde_json::from_str(&text).ok());
    noticed.unwrap_or_else(|| {
        ctx.catch();
        Mistakes::default()
    })
}

/// Runs jobs until the script has ended and nothing that it started is pending.
fn drive<'js>(
    ctx: &Ctx<'js>,
    internals: &Internals<'js>,
    state: &State,
    promise: &Promise<'js>,
) -> Result<(), Failure> {
    loop {
        state.check_deadline();
        if promise.state() == PromiseState::Rejected {
            return Ok(());
        }
        if ctx.execute_pending_job() {
            continue;
        }
        if let Some(timer) = state.due_timer() {
            ignore_exception(ctx, internals.fire.call((timer,)));
            continue;
        }
        if state.has_nothing_pending() {
            return match promise.state() {
                PromiseState::Pending => Err(failure::deadlock()),
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
            state.call_settled();
            let (is_ok, text) = match settlement {
                Ok(result) => (true, result),
                Err(error) => (false, serde_json::to_string(&error).unwrap_or_default()),
            };
            // The result itself takes memory until the script has its own copy.
            let bytes = text.len();
            state.check_memory(bytes, 0);
            state.use_memory(bytes, 0);
            ignore_exception(ctx, internals.settle.call((call, is_ok, text)));
            state.use_memory(0, bytes);
        }
        Ok(_) => {}
        // The host has exited.
        Err(_) => super::exit_now(0),
    }
}

/// Ignores an exception of the prelude, which the script must not see.
fn ignore_exception(ctx: &Ctx<'_>, result: rquickjs::Result<()>) {
    if result.is_err() {
        ctx.catch();
    }
}

/// A value as JSON text; `null` if JSON cannot represent it at all.
fn json_of<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<String> {
    match ctx.json_stringify(value)? {
        Some(text) => text.to_string().map(well_formed),
        None => Ok("null".to_owned()),
    }
}

/// Describes a thrown value with the prelude.
fn explain<'js>(ctx: &Ctx<'js>, internals: &Internals<'js>, thrown: Value<'js>) -> ThrownError {
    let text: rquickjs::Result<String> = internals.explain.call((thrown,));
    let explained = text.ok().and_then(|text| serde_json::from_str(&text).ok());
    explained.unwrap_or_else(|| {
        ctx.catch();
        ThrownError::unknown()
    })
}
