//! Writes every transition of a run to the store before the run continues, and notifies waiting
//! callers.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tokio::sync::oneshot;
use windlass_core::{Error, ErrorKind, Origin, Result};
use windlass_runs::engine::{Change, Observer, ObserverError};
use windlass_runs::record::RunRecord;
use windlass_store::{Store, Writer};

use crate::context::{OnProgress, Progress};
use crate::job_host::Owner;
use crate::telemetry::{Scope, run_ended};

pub struct RunRecorder {
    pub store: Arc<Store>,
    pub origin: Origin,
    pub progress: Option<OnProgress>,
    /// Where its spans go, if anywhere.
    pub spans: Option<Arc<Scope>>,
    /// Notified once the run is recorded as running.
    pub started: Mutex<Option<oneshot::Sender<RunRecord>>>,
}

impl RunRecorder {
    fn tell(&self, record: &RunRecord, changes: &[Change]) {
        if is_under_way(record, changes) {
            let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(started) = started.take() {
                // The caller may not be waiting any more.
                let _ = started.send(record.clone());
            }
        }
        let Some(progress) = &self.progress else {
            return;
        };
        let total = record.steps().len();
        for change in changes {
            let (done, message) = match change {
                Change::StepStarted(step) => (*step, record.steps()[*step].name.clone()),
                Change::RunEnded => (total, format!("run {}", record.status())),
                // Progress only grows; states are read from the record.
                Change::RunStarted | Change::StepEnded(_) | Change::External => continue,
            };
            progress(Progress {
                done: count(done),
                total: Some(count(total)),
                message,
            });
        }
    }
}

/// Whether a caller that does not wait for the end may go: elsewhere, a run is under way once its id is
/// known, because whoever asked may exit then.
fn is_under_way(record: &RunRecord, changes: &[Change]) -> bool {
    match record.external() {
        Some(external) => external.id.is_some() || changes.contains(&Change::RunEnded),
        None => changes.contains(&Change::RunStarted),
    }
}

/// Records transitions. The record is written once for all changes of steps that follow each other: it
/// has what came of all of them.
fn write(writer: &Writer<'_>, record: &RunRecord, changes: &[Change]) -> Result<()> {
    let run_id = record.run_id();
    let of_step = |change: &Change| match change {
        Change::StepStarted(step) | Change::StepEnded(step) => Some(*step),
        Change::RunStarted | Change::External | Change::RunEnded => None,
    };
    for changes in changes.chunk_by(|one, next| of_step(one).is_some() && of_step(next).is_some()) {
        match changes {
            [Change::RunStarted, ..] => {
                let owner = json!(Owner::this_process(None));
                if let Some(status) = writer.run_started(run_id, &owner, record)? {
                    return Err(already_executed(run_id, &status));
                }
            }
            [Change::External, ..] => {
                let known = record.external();
                let told = json!({
                    "id": known.and_then(|it| it.id.as_ref()),
                    "state": known.and_then(|it| it.state.as_ref()),
                });
                writer.run_followed(run_id, &json!(record), &told)?;
            }
            [Change::RunEnded, ..] => {
                writer.run_ended(run_id, record.status().name(), &json!(record))?;
            }
            steps => {
                let steps: Vec<_> = steps.iter().filter_map(of_step).collect();
                let told: Vec<_> = steps
                    .into_iter()
                    .map(|step| &record.steps()[step])
                    .map(|step| json!({"name": step.name, "status": step.status}))
                    .collect();
                writer.run_progressed(run_id, record, &told)?;
            }
        }
    }
    Ok(())
}

fn count(steps: usize) -> f64 {
    u32::try_from(steps).map_or(f64::MAX, f64::from)
}

pub fn already_executed(run_id: &str, status: &str) -> Error {
    Error::new(
        ErrorKind::AlreadyExecuted,
        format!("Run {run_id} has already been executed (status: {status})"),
    )
    .with("runId", run_id)
    .with("status", status)
    .with_hint("[[run_rerun]] creates a new run of the same specification.")
}

impl Observer for RunRecorder {
    fn changed(&self, record: &RunRecord, changes: &[Change]) -> Result<(), ObserverError> {
        self.store
            .write(&self.origin, |writer| write(writer, record, changes))?;
        if let Some(spans) = &self.spans
            && changes.contains(&Change::RunEnded)
        {
            run_ended(spans, &self.origin, record);
        }
        self.tell(record, changes);
        Ok(())
    }
}
