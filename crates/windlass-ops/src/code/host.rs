//! Answers the calls of a script: each is the operation itself, with all checks that it has anywhere.

use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use serde_json::Value as Json;
use tokio::runtime::Handle;
use windlass_core::{Error, ErrorKind, Result};
use windlass_sandbox::{CallError, CallFuture, Host, camel_case};

use super::sdk::{self, SdkMethod};
use crate::context::{Context, Progress};
use crate::operation::Effect;

/// How often the caller hears how far a script is.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// Answers the calls of one script.
pub struct ScriptHost {
    /// What every call is given.
    context: Context,
    deadline: Instant,
    /// How many calls were made, and when that was told last.
    told: Mutex<(u32, Option<Instant>)>,
}

impl ScriptHost {
    /// For a script that began under `context` and ends at the deadline at the latest. Its calls
    /// share a correlation id.
    pub fn new(mut context: Context, correlation_id: String, deadline: Instant) -> Self {
        context.origin.correlation_id = Some(correlation_id);
        // A script reads whole answers; what it returns is cut where it is too long.
        context.answer_budget = None;
        context.on_job = None;
        Self {
            context,
            deadline,
            told: Mutex::default(),
        }
    }

    fn tell(&self, method: &str) {
        let Some(progress) = &self.context.progress else {
            return;
        };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.0 += 1;
        if told.1.is_none_or(|last| last.elapsed() >= TELL_EVERY) {
            told.1 = Some(Instant::now());
            progress(Progress {
                done: f64::from(told.0),
                total: None,
                message: format!("call {}: {method}", told.0),
            });
        }
    }

    async fn answer(&self, method: &SdkMethod, arguments: Json) -> Result<Json> {
        let limit = self.context.settings.request_timeout;
        let mut context = self.context.clone();
        context.progress = None;
        let soon = Instant::now() + limit;
        context.deadline = Some(soon.min(self.deadline));
        let declaration = &method.entry.declaration;
        let entry = method.entry;
        let arguments = in_its_words(&entry.fields().known, arguments);
        let work = async move { Ok(entry.call(context, arguments)?.await?.to_json()) };
        if declaration.long_running {
            return guard(work).await;
        }
        let answered = match declaration.effect {
            Effect::Read => tokio::time::timeout(limit, guard(work)).await,
            // These wait for the disk, and must not hold up others.
            _ => tokio::time::timeout(limit, on_a_blocking_thread(work)).await,
        };
        answered.unwrap_or_else(|_| {
            Err(Error::new(
                ErrorKind::RequestTimeout,
                format!("The call took longer than {} ms", limit.as_millis()),
            ))
        })
    }
}

impl Host for ScriptHost {
    fn call<'a>(&'a self, method: &'a str, arguments: Json) -> CallFuture<'a> {
        Box::pin(async move {
            self.tell(method);
            let answer = match sdk::find(method) {
                Some(found) => self.answer(found, arguments).await,
                None => Err(Error::internal(format!("{method} has no operation"))),
            };
            answer.map_err(|error| CallError {
                code: error.kind().screaming_name(),
                tag: error.kind().name().to_owned(),
                message: error.message().to_owned(),
                hint: error.hint().map(str::to_owned),
            })
        })
    }
}

/// Arguments may be written as scripts write them (`parentId`) or as the operation does (`parent_id`).
fn in_its_words(known: &[String], arguments: Json) -> Json {
    let Json::Object(object) = arguments else {
        return arguments;
    };
    let is_known = |name: &str| known.iter().any(|field| field == name);
    let renamed = object.into_iter().map(|(name, value)| {
        let forms = [sdk::snake_case(&name), camel_case(&name)];
        match forms.into_iter().find(|form| is_known(form)) {
            Some(form) if !is_known(&name) => (form, value),
            _ => (name, value),
        }
    });
    Json::Object(renamed.collect())
}

/// An operation that falls over fails its own call only.
async fn guard<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let caught = AssertUnwindSafe(work).catch_unwind().await;
    caught.unwrap_or_else(|_| Err(Error::internal("The operation fell over")))
}

async fn on_a_blocking_thread<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let runtime = Handle::current();
    let finished = tokio::task::spawn_blocking(move || runtime.block_on(work)).await;
    finished.unwrap_or_else(|_| Err(Error::internal("The operation fell over")))
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
