//! One run under way.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Shared;
use super::error::ExecuteError;
use super::observer::{Change, Observer, ObserverError};
use super::output::spool_folder;
use crate::record::{Failure, FailureKind, RunClock, RunRecord, RunStatus, StepEnd, StepStatus};
use crate::runtimes::Runtime;
use crate::secrets::{Resolved, resolve};
use crate::spec::RunSpec;

/// One run under way.
pub struct Execution<'a> {
    pub(super) shared: &'a Shared,
    pub(super) runtime: Arc<dyn Runtime>,
    /// Shared with the observer while it is told, and with nobody else.
    pub(super) record: Arc<RunRecord>,
    pub(super) spec: &'a RunSpec,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) cancel: &'a CancellationToken,
    pub(super) resolved: Resolved,
    pub(super) kept_bytes: u64,
    clock: RunClock,
}

impl<'a> Execution<'a> {
    pub fn new(
        shared: &'a Shared,
        runtime: Arc<dyn Runtime>,
        record: RunRecord,
        spec: &'a RunSpec,
        observer: Arc<dyn Observer>,
        cancel: &'a CancellationToken,
    ) -> Self {
        Self {
            clock: RunClock::start(record.created_at()),
            shared,
            runtime,
            record: Arc::new(record),
            spec,
            observer,
            cancel,
            resolved: Resolved::default(),
            kept_bytes: 0,
        }
    }

    fn record(&mut self) -> &mut RunRecord {
        Arc::make_mut(&mut self.record)
    }

    fn into_record(self) -> RunRecord {
        Arc::unwrap_or_clone(self.record)
    }

    /// Ends a run that waited for its turn.
    pub async fn cancel_before_start(mut self) -> Result<RunRecord, ExecuteError> {
        // It is `created`, so that this cannot be refused.
        let _ = self.record().cancel_before_start("The run was cancelled");
        match self.tell(vec![Change::RunStarted, Change::RunEnded]).await {
            Ok(()) => Ok(self.into_record()),
            Err(source) => Err(self.not_started(source)),
        }
    }

    /// Runs all steps.
    pub async fn run(mut self) -> Result<RunRecord, ExecuteError> {
        let now = self.clock.now();
        // It is `created`, so that this cannot be refused.
        let _ = self.record().start(now);
        if let Err(failure) = self.resolve() {
            self.end(RunStatus::Failed, Some(failure));
            let changes = vec![Change::RunStarted, Change::RunEnded];
            return match self.tell(changes).await {
                Ok(()) => Ok(self.into_record()),
                Err(source) => Err(self.not_started(source)),
            };
        }
        let mut changes = vec![Change::RunStarted];
        for index in 0..self.spec.steps.len() {
            if self.cancel.is_cancelled() {
                let failure = Failure::new(FailureKind::Cancelled, "The run was cancelled");
                return self.finish(changes, RunStatus::Cancelled, failure).await;
            }
            let now = self.clock.now();
            self.record().start_step(index, now);
            changes.push(Change::StepStarted(index));
            let is_first = changes[0] == Change::RunStarted;
            if let Err(source) = self.tell(changes).await {
                return Err(if is_first {
                    self.not_started(source)
                } else {
                    self.not_recorded(source).await
                });
            }
            let end = self.run_step(index).await;
            let failed = run_end(&end, index);
            let now = self.clock.now();
            self.record().end_step(index, now, end);
            changes = vec![Change::StepEnded(index)];
            if let Some((status, failure)) = failed {
                return self.finish(changes, status, failure).await;
            }
        }
        self.end(RunStatus::Success, None);
        changes.push(Change::RunEnded);
        self.conclude(changes).await
    }

    async fn finish(
        mut self,
        mut changes: Vec<Change>,
        status: RunStatus,
        failure: Failure,
    ) -> Result<RunRecord, ExecuteError> {
        self.end(status, Some(failure));
        changes.push(Change::RunEnded);
        self.conclude(changes).await
    }

    async fn conclude(mut self, changes: Vec<Change>) -> Result<RunRecord, ExecuteError> {
        self.clean_up().await;
        match self.tell(changes).await {
            Ok(()) => Ok(self.into_record()),
            Err(source) => Err(ExecuteError::NotRecorded {
                record: Box::new(self.into_record()),
                source,
            }),
        }
    }

    fn resolve(&mut self) -> Result<(), Failure> {
        let Some(entries) = &self.spec.env_refs else {
            return Ok(());
        };
        if self.runtime.is_simulation() {
            return Ok(());
        }
        let resolved = resolve(entries, &self.shared.root, &self.shared.options.environment);
        self.resolved =
            resolved.map_err(|why| Failure::new(FailureKind::Environment, why.to_string()))?;
        Ok(())
    }

    fn end(&mut self, status: RunStatus, failure: Option<Failure>) {
        let now = self.clock.now();
        // It is `running`, so that this cannot be refused.
        let _ = self.record().end(now, status, failure);
    }

    /// Tells the observer, where it may block. One that panics has failed.
    async fn tell(&mut self, changes: Vec<Change>) -> Result<(), ObserverError> {
        let record = Arc::clone(&self.record);
        let observer = Arc::clone(&self.observer);
        let told = tokio::task::spawn_blocking(move || observer.changed(&record, &changes)).await;
        match told {
            Ok(told) => told,
            Err(panicked) => Err(panicked.into()),
        }
    }

    fn not_started(self, source: ObserverError) -> ExecuteError {
        ExecuteError::NotStarted {
            run_id: self.record.run_id().to_owned(),
            source,
        }
    }

    /// A step was to begin and nobody could note it.
    async fn not_recorded(mut self, source: ObserverError) -> ExecuteError {
        let message = format!("The run could not be recorded: {source}");
        let failure = Failure::new(
            FailureKind::NotRecorded,
            self.resolved.secrets.mask(&message),
        );
        self.end(RunStatus::Failed, Some(failure));
        self.clean_up().await;
        // Space may be there again; if not, the caller has the record.
        let _ = self.tell(vec![Change::RunEnded]).await;
        ExecuteError::NotRecorded {
            record: Box::new(self.into_record()),
            source,
        }
    }

    async fn clean_up(&self) {
        let folder = spool_folder(&self.shared.options, self.record.run_id());
        // Where no step wrote anything there is none.
        let _ = tokio::fs::remove_dir_all(folder).await;
    }
}

/// How the run ends where the step did not succeed.
fn run_end(end: &StepEnd, index: usize) -> Option<(RunStatus, Failure)> {
    let failure = end.failure.clone()?.at_step(index);
    let status = match (end.status, failure.kind) {
        (StepStatus::Timeout, _) => RunStatus::Timeout,
        (_, FailureKind::Cancelled) => RunStatus::Cancelled,
        _ => RunStatus::Failed,
    };
    Some((status, failure))
}
