//! Handles the calls of a script: each runs the operation itself, with all of its usual checks.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use windlass_core::{Actor, Error, Result};
use windlass_sandbox::{CallError, CallFuture, CallHandler, camel_case};

use super::sdk::{self, SdkMethod};
use crate::context::{Context, OnProgress, Progress};
use crate::idempotency::IdempotencyKey;
use crate::operation::{AnyOutput as _, Effect};
use crate::pipeline;

/// How often the caller is notified of a script's progress.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// How many reads of one script run at the same time. Their outputs are not cut, so each may need
/// much memory until the worker has it.
const READS_AT_ONCE: usize = 4;

/// Handles the calls of one script.
pub struct ScriptCalls {
    /// The context of every call.
    context: Context,
    progress: Option<OnProgress>,
    reads: Semaphore,
    /// How many calls were made, and when that was last reported.
    told: Mutex<(u32, Option<Instant>)>,
}

impl ScriptCalls {
    /// For a script that began under `context` and ends at the deadline at the latest. Its calls
    /// share a correlation id.
    pub fn new(mut context: Context, correlation_id: String, deadline: Instant) -> Self {
        context.origin.correlation_id = Some(correlation_id);
        // Whoever runs a script, its text may be an agent's: it never has a person's rights.
        context.origin.actor = Actor::Agent;
        context.not_a_person = Some("a script never has a person's rights".into());
        // A script reads whole outputs; only its return value is cut if it is too long.
        context.output_budget = None;
        context.on_job = None;
        // The key of the script is for the script as a whole; each call may have its own.
        context.idempotency_key = None;
        context.naming = context.naming.in_script(&context.access);
        context.deadline = Some(deadline);
        Self {
            progress: context.progress.take(),
            context,
            reads: Semaphore::new(READS_AT_ONCE),
            told: Mutex::default(),
        }
    }

    fn tell(&self, method: &SdkMethod) {
        let Some(progress) = &self.progress else {
            return;
        };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.0 += 1;
        if told.1.is_none_or(|last| last.elapsed() >= TELL_EVERY) {
            told.1 = Some(Instant::now());
            progress(Progress {
                done: f64::from(told.0),
                total: None,
                message: format!("call {}: {}", told.0, method.method.full_name()),
            });
        }
    }

    async fn answer(&self, method: &SdkMethod, arguments: Json) -> Result<String> {
        let mut context = self.context.clone();
        let fields = method.entry.fields();
        let known = &fields.known;
        let (arguments, key) = without_key(known, arguments);
        context.idempotency_key = key
            .map(|key| IdempotencyKey::new(&key).map(Arc::new))
            .transpose()?;
        let arguments = in_its_words(known, arguments);
        let declaration = &method.entry.declaration;
        let is_read = declaration.effect == Effect::Read && !declaration.long_running;
        // The semaphore is never closed.
        let _permit = if is_read {
            self.reads.acquire().await.ok()
        } else {
            None
        };
        // A script that ends early drops its calls.
        let cancelled = CancellationToken::new();
        let response = pipeline::call(method.entry, context, arguments, cancelled).await?;
        Ok(response.to_text())
    }
}

impl CallHandler for ScriptCalls {
    fn call(&self, method: usize, arguments: String) -> CallFuture<'_> {
        Box::pin(async move {
            let arguments = serde_json::from_str(&arguments)
                .map_err(|problem| CallError::unreadable_arguments(&problem))?;
            let answer = match sdk::methods().get(method) {
                Some(found) => {
                    self.tell(found);
                    self.answer(found, arguments).await
                }
                None => Err(Error::internal(format!("no operation has number {method}"))),
            };
            answer.map_err(|error| CallError {
                code: error.kind().screaming_name(),
                tag: error.kind().name().to_owned(),
                message: error.full_message(),
                hint: error.hint().map(str::to_owned),
            })
        })
    }
}

/// Every method takes an idempotency key beside its arguments.
fn without_key(known: &[String], mut arguments: Json) -> (Json, Option<String>) {
    let Some(object) = arguments.as_object_mut() else {
        return (arguments, None);
    };
    let names = ["idempotencyKey", "idempotency_key"];
    let given = names.into_iter().find(|name| {
        object.get(*name).is_some_and(Json::is_string) && !known.iter().any(|field| field == name)
    });
    let key = given.and_then(|name| match object.shift_remove(name) {
        Some(Json::String(key)) => Some(key),
        _ => None,
    });
    (arguments, key)
}

/// Argument names may be in camel case (`parentId`) or in snake case (`parent_id`).
fn in_its_words(known: &[String], arguments: Json) -> Json {
    let Json::Object(object) = arguments else {
        return arguments;
    };
    let is_known = |name: &str| known.iter().any(|field| field == name);
    if object.keys().all(|name| is_known(name)) {
        return Json::Object(object);
    }
    let renamed = object.into_iter().map(|(name, value)| {
        let forms = [sdk::snake_case(&name), camel_case(&name)];
        match forms.into_iter().find(|form| is_known(form)) {
            Some(form) if !is_known(&name) => (form, value),
            _ => (name, value),
        }
    });
    Json::Object(renamed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_in_either_spelling() {
        let known = [
            "parent_id".to_owned(),
            "runId".to_owned(),
            "wait".to_owned(),
        ];
        let given = json!({"parentId": 1, "run_id": 2, "wait": true, "noSuch": 3});
        let meant = json!({"parent_id": 1, "runId": 2, "wait": true, "noSuch": 3});
        assert_eq!(in_its_words(&known, given), meant);
        assert_eq!(in_its_words(&known, json!(7)), json!(7));
    }
}
