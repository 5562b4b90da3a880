//! Executes a recorded run: by one process, once, until it ends or any process cancels it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;
use windlass_core::{Error, ErrorKind, Result};
use windlass_runs::CancellationToken;
use windlass_runs::engine::ExecuteError;
use windlass_runs::record::RunRecord;
use windlass_runs::runtimes::Unavailable;
use windlass_store::StoredRun;

use super::permission;
use super::recorder::{RunRecorder, already_executed};
use super::stored::{self, Run};
use crate::context::Context;
use crate::job_host::Owner;
use crate::pipeline::spawn_apart;
use crate::workspace::Workspace;

/// How long a caller that does not wait for the end waits for the start.
const START_WITHIN: Duration = Duration::from_millis(250);
const START_ELSEWHERE_WITHIN: Duration = Duration::from_mins(5);

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
            let workspace = &context.workspace;
            let checked = engine.check(&run.plan.spec);
            checked.map_err(|problem| unavailable(workspace, problem))?;
            Ok(run)
        })
        .await?;
    let executor = context.host.runs()?;
    let (started, has_started) = oneshot::channel();
    let recorder = Arc::new(RunRecorder {
        store: Arc::clone(&context.store),
        origin: context.origin.clone(),
        progress: context.progress.clone().filter(|_| wait),
        spans: context.spans.clone(),
        started: Mutex::new(Some(started)),
    });
    let cancel = executor.enter(run_id);
    let guard = CancelOnDrop(wait.then(|| cancel.clone()));
    // Each transition is written to the store before the run continues.
    let is_remote = executor.engine.is_elsewhere(record.runtime());
    let work = {
        let context = context.clone();
        async move {
            let engine = &context.host.runs()?.engine;
            let execution = engine.execute(record, &plan.spec, recorder, &cancel);
            let run_id = plan.spec.run_id.as_deref().unwrap_or_default();
            finish(&context, run_id, &cancel, execution).await
        }
    };
    let task = if is_remote {
        executor.follow(run_id, work)
    } else {
        spawn_apart(&executor.tasks, work)
    };
    if !wait {
        // A command exits when it has answered: what it starts elsewhere must be on record by then.
        let start_within = if is_remote && !context.host.is_lasting() {
            START_ELSEWHERE_WITHIN
        } else {
            START_WITHIN
        };
        // Either it is running, or it is queued.
        return tokio::select! {
            started = has_started => match started {
                Ok(record) => Ok(record),
                Err(_) => task.await.map_err(internal)?,
            },
            () = tokio::time::sleep(start_within) => {
                Ok(stored::load(context, run_id)?.record)
            }
        };
    }
    let result = task.await.map_err(internal)?;
    guard.keep();
    result
}

/// Waits for the end of a run, or for the wish of any process to cancel it.
async fn finish(
    context: &Context,
    run_id: &str,
    cancel: &CancellationToken,
    execution: impl Future<Output = Result<RunRecord, ExecuteError>>,
) -> Result<RunRecord> {
    let result = tokio::select! {
        result = execution => result,
        never = watch_for_cancel(context, run_id, cancel) => match never {},
    };
    context.host.runs()?.leave(run_id);
    result.map_err(|problem| failed(&context.workspace, run_id, problem))
}

/// Follows a run that is executed elsewhere from here on, if its own process is gone and no other
/// process was faster. Returns how to cancel it.
pub fn adopt(context: &Context, left: &StoredRun) -> Result<Option<CancellationToken>> {
    let Run { record, plan, .. } = stored::read(left)?;
    let owner = json!(Owner::this_process(None));
    let is_ours = context.write(|writer| writer.run_adopted(&left.run_id, &left.owner, &owner))?;
    if !is_ours {
        return Ok(None);
    }
    let executor = context.host.runs()?;
    let cancel = executor.enter(&left.run_id);
    let recorder = Arc::new(RunRecorder {
        store: Arc::clone(&context.store),
        origin: context.origin.clone(),
        progress: None,
        spans: context.spans.clone(),
        started: Mutex::new(None),
    });
    let (context, run_id, token) = (context.clone(), left.run_id.clone(), cancel.clone());
    let work = async move {
        let engine = &context.host.runs()?.engine;
        let execution = engine.resume(record, &plan.spec, recorder, &token);
        finish(&context, &run_id, &token, execution).await
    };
    // Nobody waits for it; its end is on record.
    drop(executor.follow(&left.run_id, work));
    Ok(Some(cancel))
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
        let wanted = context
            .store
            .read(None, |reader| reader.is_run_cancelled(run_id));
        if matches!(wanted, Ok(true)) {
            cancel.cancel();
            return std::future::pending().await;
        }
        changes.changed().await;
    }
}

fn internal(problem: tokio::task::JoinError) -> Error {
    Error::internal(problem.to_string())
}

/// A runtime that cannot be used; the reason may be that nobody has allowed its settings.
pub fn unavailable(workspace: &Workspace, problem: Unavailable) -> Error {
    let hint = if workspace.has_unallowed_runtimes() {
        NOT_ALLOWED.to_owned()
    } else {
        problem.hint
    };
    Error::new(ErrorKind::UnsupportedRuntime, problem.message)
        .with("runtime", problem.runtime.name())
        .with_hint(hint)
}

/// What to do about settings of runtimes that do not count.
pub const NOT_ALLOWED: &str = "The settings under [runtimes] count only while a person allows \
    the file as it stands: windlass allow .windlass/config.toml";

fn failed(workspace: &Workspace, run_id: &str, problem: ExecuteError) -> Error {
    match problem {
        ExecuteError::AlreadyExecuted { status, .. } => already_executed(run_id, status.name()),
        ExecuteError::Unavailable(problem) => unavailable(workspace, problem),
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
