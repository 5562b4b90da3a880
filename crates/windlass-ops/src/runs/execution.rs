//! Executes a recorded run: by one process, once, until it ends or any process cancels it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::oneshot;
use windlass_core::{Error, ErrorKind, Result};
use windlass_runs::CancellationToken;
use windlass_runs::engine::ExecuteError;
use windlass_runs::record::RunRecord;

use super::permission;
use super::recorder::{RunRecorder, already_executed};
use super::stored::{self, Run};
use crate::context::Context;
use crate::pipeline::spawn_apart;

/// How long a caller that does not wait for the end waits for the start.
const START_WITHIN: Duration = Duration::from_millis(250);

/// Executes the run. With `wait`, returns when it has ended; else as soon as it is recorded as
/// running, or as queued.
pub async fn execute(context: &Context, run_id: &str, wait: bool) -> Result<RunRecord> {
    let id = run_id.to_owned();
    let Run { record, plan, .. } = context
        .offload(move |context| {
            let run = stored::load(context, &id)?;
            let status = run.record.status().name();
            if status != "created" {
                return Err(already_executed(&id, status));
            }
            permission::check(context, &run.plan)?;
            let engine = &context.host.runs()?.engine;
            engine.check(&run.plan.spec).map_err(unavailable)?;
            Ok(run)
        })
        .await?;
    let executor = context.host.runs()?;
    let (started, has_started) = oneshot::channel();
    let recorder = Arc::new(RunRecorder {
        store: Arc::clone(&context.store),
        origin: context.origin.clone(),
        progress: context.progress.clone().filter(|_| wait),
        started: Mutex::new(Some(started)),
    });
    let cancel = executor.enter(run_id);
    let guard = CancelOnDrop(wait.then(|| cancel.clone()));
    // Each transition is written to the store before the run continues.
    let task = spawn_apart(&executor.tasks, {
        let (context, run_id) = (context.clone(), run_id.to_owned());
        async move {
            let executor = context.host.runs()?;
            let execution = executor
                .engine
                .execute(record, &plan.spec, recorder, &cancel);
            let result = tokio::select! {
                result = execution => result,
                never = watch_for_cancel(&context, &run_id, &cancel) => match never {},
            };
            executor.leave(&run_id);
            result.map_err(|problem| failed(&run_id, problem))
        }
    });
    if !wait {
        // Either it is running, or it is queued.
        return tokio::select! {
            started = has_started => match started {
                Ok(record) => Ok(record),
                Err(_) => task.await.map_err(internal)?,
            },
            () = tokio::time::sleep(START_WITHIN) => {
                Ok(stored::load(context, run_id)?.record)
            }
        };
    }
    let result = task.await.map_err(internal)?;
    guard.keep();
    result
}

/// Cancels the run if its caller stops waiting.
struct CancelOnDrop(Option<CancellationToken>);

impl CancelOnDrop {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(cancel) = &self.0 {
            cancel.cancel();
        }
    }
}

/// Forwards a cancellation by another process. The future never completes otherwise.
async fn watch_for_cancel(
    context: &Context,
    run_id: &str,
    cancel: &CancellationToken,
) -> std::convert::Infallible {
    let mut changes = context.state.watch();
    loop {
        let stored = context.store.read(None, |reader| reader.run(run_id));
        if matches!(stored, Ok(Some(run)) if run.cancel) {
            cancel.cancel();
            return std::future::pending().await;
        }
        changes.changed().await;
    }
}

fn internal(problem: tokio::task::JoinError) -> Error {
    Error::internal(problem.to_string())
}

pub fn unavailable(problem: windlass_runs::runtimes::Unavailable) -> Error {
    Error::new(ErrorKind::UnsupportedRuntime, problem.message)
        .with("runtime", problem.runtime.name())
        .with_hint(problem.hint)
}

fn failed(run_id: &str, problem: ExecuteError) -> Error {
    match problem {
        ExecuteError::AlreadyExecuted { status, .. } => already_executed(run_id, status.name()),
        ExecuteError::Unavailable(problem) => unavailable(problem),
        // The error of the store, unchanged.
        ExecuteError::NotStarted { source, .. } | ExecuteError::NotRecorded { source, .. } => {
            match source.downcast::<Error>() {
                Ok(error) => *error,
                Err(other) => Error::storage(other.to_string()),
            }
        }
        other @ ExecuteError::OtherSpec(_) => Error::internal(other.to_string()),
    }
}
