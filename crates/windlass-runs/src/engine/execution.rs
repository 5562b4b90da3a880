//! Execution of one run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio_util::sync::CancellationToken;
use windlass_core::Timestamp;

use super::Shared;
use super::error::ExecuteError;
use super::observer::{Change, Observer, ObserverError};
use super::output::spool_folder;
use crate::record::{Failure, FailureKind, RunClock, RunRecord, RunStatus, StepEnd, StepStatus};
use crate::runtimes::Runtime;
use crate::secrets::{Resolved, resolve};
use crate::spec::RunSpec;

/// Execution of one run.
pub struct Execution<'a> {
    pub(super) shared: &'a Shared,
    pub(super) runtime: Arc<dyn Runtime>,
    /// Shared only with the observer, while it is notified.
    pub(super) record: Arc<RunRecord>,
    pub(super) spec: &'a RunSpec,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) cancel: &'a CancellationToken,
    pub(super) resolved: Resolved,
    pub(super) stored_bytes: u64,
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
            clock: RunClock::start(&record.latest()),
            shared,
            runtime,
            record: Arc::new(record),
            spec,
            observer,
            cancel,
            resolved: Resolved::default(),
            stored_bytes: 0,
        }
    }

    pub(super) fn record(&mut self) -> &mut RunRecord {
        Arc::make_mut(&mut self.record)
    }

    pub(super) fn into_record(self) -> RunRecord {
        Arc::unwrap_or_clone(self.record)
    }

    /// Cancels a run that waits for its turn.
    pub async fn cancel_before_start(mut self) -> Result<RunRecord, ExecuteError> {
        // The record is `created`, so this transition cannot fail.
        let _ = self.record().cancel_before_start("The run was cancelled");
        match self
            .notify(vec![Change::RunStarted, Change::RunEnded])
            .await
        {
            Ok(()) => Ok(self.into_record()),
            Err(source) => Err(self.not_started(source)),
        }
    }

    pub(super) fn begin(&mut self) {
        let now = self.now();
        // The record is `created`, so this transition cannot fail.
        let _ = self.record().start(now);
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Runs all steps.
    pub async fn run(mut self) -> Result<RunRecord, ExecuteError> {
        self.begin();
        if let Err(failure) = self.resolve() {
            self.end(RunStatus::Failed, Some(failure));
            let changes = vec![Change::RunStarted, Change::RunEnded];
            return match self.notify(changes).await {
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
            if let Err(source) = self.notify(changes).await {
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

    pub(super) async fn conclude(
        mut self,
        changes: Vec<Change>,
    ) -> Result<RunRecord, ExecuteError> {
        self.clean_up().await;
        match self.notify(changes).await {
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

    pub(super) fn end(&mut self, status: RunStatus, failure: Option<Failure>) {
        let now = self.clock.now();
        // The record is `running`, so this transition cannot fail.
        let _ = self.record().end(now, status, failure);
    }

    /// Notifies the observer where it may block. A panic counts as an error. For a run of this machine
    /// that is this thread, if the runtime has others: none has to be woken. Runs elsewhere are many to
    /// a thread.
    pub(super) async fn notify(&mut self, changes: Vec<Change>) -> Result<(), ObserverError> {
        let record = Arc::clone(&self.record);
        let observer = Arc::clone(&self.observer);
        let notify = move || observer.changed(&record, &changes);
        let is_here = !self.shared.hosts.contains_key(&self.spec.runtime);
        if is_here && Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread {
            let notify = || catch_unwind(AssertUnwindSafe(notify));
            return tokio::task::block_in_place(notify)
                .unwrap_or_else(|_| Err("the observer panicked".into()));
        }
        match tokio::task::spawn_blocking(notify).await {
            Ok(result) => result,
            Err(panicked) => Err(panicked.into()),
        }
    }

    pub(super) fn not_started(self, source: ObserverError) -> ExecuteError {
        ExecuteError::NotStarted {
            run_id: self.record.run_id().to_owned(),
            source,
        }
    }

    /// Ends a run whose observer failed at the start of a step.
    pub(super) async fn not_recorded(mut self, source: ObserverError) -> ExecuteError {
        let message = format!("The run could not be recorded: {source}");
        let failure = Failure::new(
            FailureKind::NotRecorded,
            self.resolved.secrets.mask(&message),
        );
        self.end(RunStatus::Failed, Some(failure));
        self.clean_up().await;
        // Try once more, because disk space may be free again; if not, the caller has the record.
        let _ = self.notify(vec![Change::RunEnded]).await;
        ExecuteError::NotRecorded {
            record: Box::new(self.into_record()),
            source,
        }
    }

    async fn clean_up(&self) {
        let folder = spool_folder(&self.shared.options, self.record.run_id());
        // The folder does not exist if no step wrote anything.
        let _ = tokio::fs::remove_dir_all(folder).await;
    }
}

/// How the run ends if the step did not succeed.
pub fn run_end(end: &StepEnd, index: usize) -> Option<(RunStatus, Failure)> {
    let failure = end.failure.clone()?.at_step(index);
    let status = match (end.status, failure.kind) {
        (StepStatus::Timeout, _) => RunStatus::Timeout,
        (_, FailureKind::Cancelled) => RunStatus::Cancelled,
        _ => RunStatus::Failed,
    };
    Some((status, failure))
}
