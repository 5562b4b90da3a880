//! Runs an operation for a client: where it runs, how long it may, and what happens if it falls.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures::FutureExt;
use serde_json::Value as Json;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use windlass_core::Error;
use windlass_ops::{BoxedAnswer, Context, Effect};

use super::catalogue::Offered;
use super::errors::{Fault, timed_out};

/// What an operation answered.
pub struct Answered {
    pub json: Json,
    /// Whether it tells of a failure, which is an answer all the same.
    pub failed: bool,
}

impl From<BoxedAnswer> for Answered {
    fn from(answer: BoxedAnswer) -> Self {
        Self {
            json: answer.to_json(),
            failed: answer.failed(),
        }
    }
}

/// The answer of an operation.
///
/// Reads run right here as long as they are quick: handing them to another thread would cost more
/// than they do. Writes wait for the disk and so run where waiting holds up no one. What takes as long
/// as the thing that it waits for has no limit, and is dropped when the client calls it off.
pub async fn run(
    offered: &Offered,
    context: Context,
    input: Json,
    cancelled: CancellationToken,
) -> Result<Answered, Fault> {
    let limit = context.settings.request_timeout;
    let entry = offered.entry;
    let work = async move { Ok(Answered::from(entry.call(context, input)?.await?)) };
    if entry.declaration.long_running {
        return tokio::select! {
            result = guard(work) => result,
            // No one reads this answer: the protocol forbids to send one.
            () = cancelled.cancelled() => Err(Fault::from(Error::internal("cancelled"))),
        };
    }
    match entry.declaration.effect {
        Effect::Read => {
            let begin = Instant::now();
            let result = if offered.pace.is_slow() {
                within(limit, on_a_blocking_thread(work)).await
            } else {
                within(limit, guard(work)).await
            };
            offered.pace.record(begin.elapsed());
            result
        }
        Effect::Write | Effect::Destructive | Effect::Execute | Effect::Script => {
            within(limit, on_a_blocking_thread(work)).await
        }
    }
}

/// Turns a panic of the work into a fault of its own, so that its request still has an answer.
pub async fn guard<T>(work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or_else(|panic| Err(Fault::Panic(text_of(panic.as_ref()))))
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    // The timer is only set where the work is not done at the first look.
    tokio::time::timeout(limit, work)
        .await
        .unwrap_or_else(|_| Err(timed_out(limit)))
}

async fn on_a_blocking_thread<T: Send + 'static>(
    work: impl Future<Output = Result<T, Fault>> + Send + 'static,
) -> Result<T, Fault> {
    let runtime = Handle::current();
    let finished = tokio::task::spawn_blocking(move || runtime.block_on(work)).await;
    finished.unwrap_or_else(|problem| {
        Err(Fault::Panic(match problem.try_into_panic() {
            Ok(panic) => text_of(panic.as_ref()),
            Err(problem) => problem.to_string(),
        }))
    })
}

/// What a panic said.
pub fn text_of(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use windlass_core::ErrorKind;

    use super::*;

    #[tokio::test]
    async fn a_panic_becomes_a_fault() {
        let number = 7;
        for fault in [
            guard::<()>(async { panic!("plain") }).await,
            guard::<()>(async move { panic!("number {number}") }).await,
            on_a_blocking_thread::<()>(async { panic!("elsewhere") }).await,
        ] {
            let Err(Fault::Panic(text)) = fault else {
                panic!("not a panic");
            };
            assert!(["plain", "number 7", "elsewhere"].contains(&text.as_str()));
        }
    }

    #[tokio::test]
    async fn what_works_is_left_alone() {
        assert_eq!(guard(async { Ok(1) }).await.unwrap(), 1);
        assert_eq!(on_a_blocking_thread(async { Ok(2) }).await.unwrap(), 2);
    }

    #[tokio::test]
    async fn no_request_waits_for_ever() {
        let never = std::future::pending::<Result<(), Fault>>();
        let Err(Fault::Domain(error)) = within(Duration::from_millis(1), never).await else {
            panic!("no timeout");
        };
        assert_eq!(error.kind(), ErrorKind::RequestTimeout);
    }
}
