//! The one place that runs operations, for all surfaces.
//!
//! Everything that applies to all operations is handled here and nowhere else: who may call it, how
//! long it may take, where it runs, what happens when it panics or is cancelled, and how long its
//! output may be.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use serde_json::Value as Json;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use windlass_core::{Error, ErrorKind, Result};
use windlass_store::is_in_keyed_call;

use crate::budget::READ_ON;
use crate::context::{Context, FinishedCall};
use crate::idempotency;
use crate::naming::Naming;
use crate::operation::{AnyOutput, BoxedOutput, Effect, Entry};
use crate::remote::{has_to_settle, settle};
use crate::telemetry::CallSpan;
use crate::view::View;

/// How long the message of an error and the lists of its data may be, if outputs have a budget.
const ERROR_CHARS: usize = 2_000;
const ERROR_ITEMS: usize = 50;

/// How long the disk may take for a change that is being stored at the deadline.
const STORING: Duration = Duration::from_secs(5);

/// The result of a call.
pub struct Response {
    output: BoxedOutput,
    budget: Option<usize>,
    naming: Naming,
}

impl AnyOutput for Response {
    /// Within the caller's budget.
    fn to_json(&self) -> Json {
        let mut json = self.output.to_json();
        if let Some(budget) = self.budget {
            self.output.fit(&mut json, budget);
            if let Some(read_on) = json.get_mut(READ_ON) {
                self.naming.render_json(read_on);
            }
        }
        json
    }

    /// Within the caller's budget. An output that fits, as nearly all do, is written once.
    fn to_text(&self) -> String {
        let text = self.output.to_text();
        let as_it_is = self
            .budget
            .is_none_or(|budget| text.len() <= budget && !text.contains(READ_ON));
        if as_it_is {
            return text;
        }
        serde_json::to_string(&self.to_json()).unwrap_or_default()
    }

    fn view(&self) -> View {
        self.output.view()
    }

    fn failed(&self) -> bool {
        self.output.failed()
    }

    fn fit(&self, json: &mut Json, budget: usize) {
        self.output.fit(json, budget);
    }

    fn unsuccessful(&self) -> bool {
        self.output.unsuccessful()
    }
}

/// Runs an operation. On cancellation, a long-running operation is dropped; any other finishes.
pub async fn call(
    entry: &'static Entry,
    mut context: Context,
    input: Json,
    cancelled: CancellationToken,
) -> Result<Response> {
    let observer = context.observer.clone();
    let span = CallSpan::begin(entry, &mut context);
    let budget = context.output_budget;
    let naming = context.naming.clone();
    let not_a_person = context.not_a_person.clone();
    let own = (entry.declaration.effect != Effect::Read).then(|| context.clone());
    let begin = Instant::now();
    let given: Vec<String> = input
        .as_object()
        .map(|object| object.keys().cloned().collect())
        .unwrap_or_default();
    let result = checked(entry, context, input, cancelled).await;
    if let Some(own) = own.filter(has_to_settle) {
        // Other machines may take what was given back.
        let _ = offload(move || {
            settle(&own);
            Ok(())
        })
        .await;
    }
    let result = result.map_err(|error| {
        crate::input::in_the_words_of_the_caller(error, &given, &entry.fields().known)
    });
    let result = result.map_err(|error| explained(error, not_a_person.as_deref()));
    if let Some(observer) = observer {
        observer(&FinishedCall {
            name: entry.declaration.name,
            took: begin.elapsed(),
            error: result.as_ref().err().map(Error::kind),
            failed: result.as_ref().is_ok_and(|output| output.failed()),
        });
    }
    if let Some(span) = span {
        span.end(&result);
    }
    match result {
        Ok(output) => Ok(Response {
            output,
            budget,
            naming,
        }),
        Err(error) => {
            let error = naming.render_hint(error);
            Err(match budget {
                Some(_) => error.shortened(ERROR_CHARS, ERROR_ITEMS),
                None => error,
            })
        }
    }
}

/// Adds to a refusal what shows that the caller is not a person, and what a person does then.
pub(crate) fn explained(error: Error, not_a_person: Option<&str>) -> Error {
    let Some(why) = not_a_person.filter(|_| error.kind() == ErrorKind::HumanOnly) else {
        return error;
    };
    let advice = error.hint().unwrap_or("Ask a person to do it.");
    let hint = format!(
        "This caller counts as an agent: {why}. {advice} A person does it in a terminal of their \
         own, one that no agent started."
    );
    error.with("not_a_person", why).with_hint(hint)
}

async fn checked(
    entry: &'static Entry,
    mut context: Context,
    input: Json,
    cancelled: CancellationToken,
) -> Result<BoxedOutput> {
    let declaration = &entry.declaration;
    context.access.check(declaration, &input)?;
    context.check_audience(declaration)?;
    // A script acts only through its calls, and each of those is checked here.
    if !matches!(declaration.effect, Effect::Read | Effect::Script) {
        context.store.check_trusted()?;
    }
    let key = context.idempotency_key.take();
    match key.filter(|_| declaration.effect != Effect::Read) {
        // On the heap, because it is rare, and every call would be larger by it.
        Some(key) => {
            Box::pin(idempotency::call_once(
                entry, context, input, cancelled, &key,
            ))
            .await
        }
        None => executed(entry, context, input, cancelled).await,
    }
}

/// Runs an operation that may run.
pub(crate) async fn executed(
    entry: &'static Entry,
    context: Context,
    input: Json,
    cancelled: CancellationToken,
) -> Result<BoxedOutput> {
    if entry.declaration.long_running {
        let work = async move { entry.start(context, input)?.await };
        return tokio::select! {
            result = guard(work) => result,
            () = cancelled.cancelled() => Err(Error::internal("The call was cancelled")),
        };
    }
    in_time(entry, context, |context| async move {
        entry.start(context, input)?.await
    })
    .await
}

/// Runs the work of an operation where it belongs, within the time that it has.
pub(crate) async fn in_time<W>(
    entry: &'static Entry,
    mut context: Context,
    work: impl FnOnce(Context) -> W,
) -> Result<BoxedOutput>
where
    W: Future<Output = Result<BoxedOutput>> + Send + 'static,
{
    let declaration = &entry.declaration;
    let limit = context.settings.request_timeout;
    let latest = Instant::now().checked_add(limit);
    context.deadline = [context.deadline, latest].into_iter().flatten().min();
    let deadline = context.deadline;
    let place = Place::of(entry, &context);
    let work = work(context);
    // What changes the state ends by itself at the deadline and changes nothing after it; only a
    // change that is being stored at that moment takes longer, and its caller waits for the answer.
    let last = match declaration.effect {
        Effect::Read => deadline,
        _ => deadline.and_then(|deadline| deadline.checked_add(STORING)),
    };
    let begin = Instant::now();
    let result = match place {
        Place::Here => within(last, limit, guard(work)).await,
        Place::BlockingThread => within(last, limit, on_a_blocking_thread(work)).await,
    };
    entry.pace.record(begin.elapsed());
    result
}

/// Where an operation runs.
enum Place {
    /// On the thread of the request: moving it would cost more than the operation does.
    Here,
    /// On a blocking thread: waiting for the disk, git or another process does not block other
    /// requests.
    BlockingThread,
}

impl Place {
    fn of(entry: &Entry, context: &Context) -> Self {
        let serves_others = !context.may_wait
            && Handle::try_current()
                .is_ok_and(|runtime| runtime.runtime_flavor() != RuntimeFlavor::CurrentThread);
        if serves_others && !entry.is_quick() {
            Self::BlockingThread
        } else {
            Self::Here
        }
    }
}

/// Runs `work` where it does not block other requests: for the blocking parts of long-running
/// operations.
pub(crate) async fn offload<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    match Handle::try_current() {
        // A call with a key is one transaction, which belongs to its thread.
        _ if is_in_keyed_call() => work(),
        Ok(runtime) if runtime.runtime_flavor() != RuntimeFlavor::CurrentThread => {
            finished(runtime.spawn_blocking(work).await)
        }
        _ => work(),
    }
}

/// Runs a separate task to its end on a blocking thread. Needs a runtime.
pub(crate) fn spawn_apart<T: Send + 'static>(
    tasks: &TaskTracker,
    work: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<T> {
    let runtime = Handle::current();
    tasks.spawn_blocking(move || runtime.block_on(work))
}

/// Turns a panic of the work into an error, so that its request still gets a response.
pub async fn guard<T, E: From<Error>>(work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let caught = AssertUnwindSafe(work).catch_unwind().await;
    caught.unwrap_or_else(|_| Err(panicked().into()))
}

async fn within<T>(
    deadline: Option<Instant>,
    limit: Duration,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let (Some(deadline), Ok(_)) = (deadline, Handle::try_current()) else {
        return work.await;
    };
    // The timer is only set where the work is not finished at the first poll.
    let timed = tokio::time::timeout_at(deadline.into(), work).await;
    timed.unwrap_or_else(|_| Err(timed_out(limit)))
}

async fn on_a_blocking_thread<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let runtime = Handle::current();
    finished(tokio::task::spawn_blocking(move || runtime.block_on(work)).await)
}

fn finished<T>(result: Result<Result<T>, tokio::task::JoinError>) -> Result<T> {
    result.unwrap_or_else(|problem| {
        Err(match problem.try_into_panic() {
            Ok(_) => panicked(),
            Err(problem) => Error::internal(problem.to_string()),
        })
    })
}

fn timed_out(limit: Duration) -> Error {
    Error::new(
        ErrorKind::RequestTimeout,
        format!("The request took longer than {} ms", limit.as_millis()),
    )
    .with_hint("Ask for less at once. What was started may still take effect.")
}

/// The panic message goes to the log, written by the panic hook.
fn panicked() -> Error {
    Error::internal("The operation panicked")
        .with_hint("The server keeps running; its log has the details.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_becomes_an_error() {
        for error in [
            guard::<(), Error>(async { panic!("here") }).await,
            on_a_blocking_thread::<()>(async { panic!("elsewhere") }).await,
            offload::<()>(|| panic!("offloaded")).await,
        ] {
            let error = error.expect_err("a panic");
            assert_eq!(error.kind(), ErrorKind::InternalError);
            assert_eq!(error.message(), "The operation panicked");
        }
    }

    #[tokio::test]
    async fn what_works_is_passed_on() {
        assert_eq!(guard(async { Ok::<_, Error>(1) }).await, Ok(1));
        assert_eq!(on_a_blocking_thread(async { Ok(2) }).await, Ok(2));
        assert_eq!(offload(|| Ok(3)).await, Ok(3));
    }

    #[tokio::test]
    async fn no_request_waits_for_ever() {
        let never = std::future::pending::<Result<()>>();
        let soon = Instant::now() + Duration::from_millis(1);
        let error = within(Some(soon), Duration::from_millis(1), never).await;
        let kind = error.expect_err("a timeout").kind();
        assert_eq!(kind, ErrorKind::RequestTimeout);
    }
}
