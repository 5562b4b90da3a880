//! What observers receive, and when.

use std::sync::Arc;

use windlass_runs::CancellationToken;
use windlass_runs::engine::Change::{self, RunEnded, RunStarted, StepEnded, StepStarted};
use windlass_runs::engine::{ExecuteError, Observer, ObserverError};
use windlass_runs::record::{FailureKind, RunRecord, RunStatus, StepStatus};

use crate::{Project, RecordingObserver, created, is_running, local, statuses, until};

fn recorded_changes(notes: &RecordingObserver) -> Vec<Vec<Change>> {
    let changes = notes.changes.lock().unwrap();
    changes.iter().map(|(changes, _)| changes.clone()).collect()
}

#[tokio::test]
async fn every_transition_is_reported_before_the_next_begins() {
    let project = Project::new();
    let notes = Arc::new(RecordingObserver::default());
    project
        .observed(
            local(&["echo one", "echo two; exit 1", "true"]),
            notes.clone(),
        )
        .await;
    let expected: [&[Change]; 3] = [
        &[RunStarted, StepStarted(0)],
        &[StepEnded(0), StepStarted(1)],
        &[StepEnded(1), RunEnded],
    ];
    assert_eq!(recorded_changes(&notes), expected);
    let changes = notes.changes.lock().unwrap();
    let records: Vec<&RunRecord> = changes.iter().map(|(_, record)| record).collect();
    assert_eq!(records[0].status(), RunStatus::Running);
    assert_eq!(statuses(records[0]), ["running", "pending", "pending"]);
    assert_eq!(statuses(records[1]), ["success", "running", "pending"]);
    assert_eq!(statuses(records[2]), ["success", "failed", "skipped"]);
    assert_eq!(*notes.output.lock().unwrap(), b"one\ntwo\n");
}

async fn failing(project: &Project, fail_at: Change) -> (Arc<RecordingObserver>, ExecuteError) {
    let notes = Arc::new(RecordingObserver {
        fail_at: Some(fail_at),
        ..RecordingObserver::default()
    });
    let (record, spec) = created(local(&["touch first", "touch second", "touch third"]));
    let cancel = CancellationToken::new();
    let executed = project
        .engine()
        .execute(record, &spec, notes.clone(), &cancel)
        .await;
    (notes, executed.unwrap_err())
}

#[tokio::test]
async fn a_rejected_start_executes_nothing() {
    let project = Project::new();
    let (_, error) = failing(&project, RunStarted).await;
    assert!(matches!(error, ExecuteError::NotStarted { .. }), "{error}");
    assert!(!project.root.join("first").exists());
}

#[tokio::test]
async fn a_change_that_cannot_be_recorded_ends_the_run() {
    let project = Project::new();
    let (notes, error) = failing(&project, StepStarted(1)).await;
    let ExecuteError::NotRecorded { record, source } = error else {
        panic!("{error}");
    };
    assert_eq!(source.to_string(), "no space left");
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(record.failure().unwrap().kind, FailureKind::NotRecorded);
    assert_eq!(statuses(&record), ["success", "failed", "skipped"]);
    assert_eq!(record.steps()[1].status, StepStatus::Failed);
    assert!(project.root.join("first").exists());
    assert!(!project.root.join("second").exists());
    // The engine tried once more, because space may be free again.
    assert_eq!(recorded_changes(&notes).last().unwrap(), &[RunEnded]);
}

/// An observer that always panics.
struct Panics;

impl Observer for Panics {
    fn changed(&self, _record: &RunRecord, _changes: &[Change]) -> Result<(), ObserverError> {
        panic!("broken");
    }
}

#[tokio::test]
async fn a_panicking_observer_counts_as_failed() {
    let project = Project::new();
    let (record, spec) = created(local(&["touch first"]));
    let cancel = CancellationToken::new();
    let executed = project
        .engine()
        .execute(record, &spec, Arc::new(Panics), &cancel)
        .await;
    let error = executed.unwrap_err();
    assert!(matches!(error, ExecuteError::NotStarted { .. }), "{error}");
    assert!(!project.root.join("first").exists());
}

#[tokio::test]
async fn a_dropped_execution_leaves_no_process() {
    let project = Project::new();
    let mark = format!("{}.55", std::process::id());
    let (record, spec) = created(local(&[&format!("sleep {mark}")]));
    let engine = project.engine();
    let execution = tokio::spawn(async move {
        let cancel = CancellationToken::new();
        drop(engine.execute(record, &spec, Arc::new(()), &cancel).await);
    });
    until("the step", || is_running(&mark)).await;
    execution.abort();
    until("its end", || !is_running(&mark)).await;
}
