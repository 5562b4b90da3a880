//! The record of one run. The type guarantees that the times match the status.

use serde::{Deserialize, Serialize};
use uuid::Uuid;
use windlass_core::Timestamp;
use windlass_process::Stream;

use super::clock::{RunClock, millis_between};
use super::external::External;
use super::failure::{Failure, FailureKind};
use super::status::{RunStatus, StepStatus};
use super::step::{ArtifactRecord, StepEnd, StepRecord};
use super::wire::Wire;
use crate::spec::{RunSpec, RuntimeName};

/// The record of one run. It is stored and sent as one flat JSON object; parsing an object whose
/// times do not match its status is an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct RunRecord {
    pub(super) run_id: String,
    pub(super) issue_id: Option<String>,
    pub(super) title: String,
    pub(super) runtime: RuntimeName,
    pub(super) steps: Vec<StepRecord>,
    pub(super) created_at: Timestamp,
    pub(super) progress: Progress,
    pub(super) failure: Option<Failure>,
    pub(super) parent_run_id: Option<String>,
    pub(super) playbook_id: Option<String>,
    pub(super) external: Option<External>,
}

/// The progress of a run, with the times that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    Created,
    Running {
        started_at: Timestamp,
    },
    Ended {
        status: RunStatus,
        started_at: Timestamp,
        completed_at: Timestamp,
        duration_ms: u64,
    },
}

/// The origin of a new run.
#[derive(Debug, Clone, Default)]
pub struct NewRun {
    /// The run that this one repeats.
    pub parent_run_id: Option<String>,
    /// The playbook that it was created from.
    pub playbook_id: Option<String>,
}

/// A transition that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Run {run_id} cannot become {to} (status: {from})")]
pub struct WrongTransition {
    /// The run.
    pub run_id: String,
    /// Its status.
    pub from: RunStatus,
    /// The requested status.
    pub to: RunStatus,
}

impl RunRecord {
    /// Creates a run that has not started. It uses the `runId` of the spec, or a new one.
    pub fn create(spec: &RunSpec, new: NewRun) -> Self {
        Self {
            run_id: spec
                .run_id
                .clone()
                .unwrap_or_else(|| Uuid::new_v4().to_string()),
            issue_id: spec.issue_id.clone(),
            title: spec.title.clone(),
            runtime: spec.runtime,
            steps: spec
                .steps
                .iter()
                .map(|step| StepRecord::pending(&step.name))
                .collect(),
            created_at: Timestamp::now(),
            progress: Progress::Created,
            failure: None,
            parent_run_id: new.parent_run_id,
            playbook_id: new.playbook_id,
            external: None,
        }
    }

    /// Its id.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// The issue that it belongs to.
    pub fn issue_id(&self) -> Option<&str> {
        self.issue_id.as_deref()
    }

    /// Its title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Its runtime.
    pub fn runtime(&self) -> RuntimeName {
        self.runtime
    }

    /// Its steps.
    pub fn steps(&self) -> &[StepRecord] {
        &self.steps
    }

    /// The run that this one repeats.
    pub fn parent_run_id(&self) -> Option<&str> {
        self.parent_run_id.as_deref()
    }

    /// The playbook that it was created from.
    pub fn playbook_id(&self) -> Option<&str> {
        self.playbook_id.as_deref()
    }

    /// How it is found where it is executed, if that is elsewhere.
    pub fn external(&self) -> Option<&External> {
        self.external.as_ref()
    }

    pub(crate) fn set_external(&mut self, external: External) {
        self.external = Some(external);
    }

    pub(crate) fn change_external(&mut self, change: impl FnOnce(&mut External)) {
        if let Some(external) = &mut self.external {
            change(external);
        }
    }

    /// Why it did not succeed.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Its status.
    pub fn status(&self) -> RunStatus {
        match &self.progress {
            Progress::Created => RunStatus::Created,
            Progress::Running { .. } => RunStatus::Running,
            Progress::Ended { status, .. } => *status,
        }
    }

    /// When it was created.
    pub fn created_at(&self) -> &Timestamp {
        &self.created_at
    }

    /// When it started; `None` while it is `created`.
    pub fn started_at(&self) -> Option<&Timestamp> {
        match &self.progress {
            Progress::Created => None,
            Progress::Running { started_at } | Progress::Ended { started_at, .. } => {
                Some(started_at)
            }
        }
    }

    /// When it ended; `None` until then.
    pub fn completed_at(&self) -> Option<&Timestamp> {
        match &self.progress {
            Progress::Ended { completed_at, .. } => Some(completed_at),
            _ => None,
        }
    }

    /// How long it took; `None` until it has ended.
    pub fn duration_ms(&self) -> Option<u64> {
        match &self.progress {
            Progress::Ended { duration_ms, .. } => Some(*duration_ms),
            _ => None,
        }
    }

    /// `created` → `running`.
    pub fn start(&mut self, now: Timestamp) -> Result<(), WrongTransition> {
        self.check(RunStatus::Running)?;
        let started_at = now.max(self.created_at.clone());
        self.progress = Progress::Running { started_at };
        Ok(())
    }

    /// `running` → a final state. Steps that never started become `skipped`; a running step fails
    /// for the same reason.
    pub fn end(
        &mut self,
        now: Timestamp,
        status: RunStatus,
        failure: Option<Failure>,
    ) -> Result<(), WrongTransition> {
        let Progress::Running { started_at } = &self.progress else {
            return Err(self.wrong(status));
        };
        let started_at = started_at.clone();
        self.check(status)?;
        let completed_at = now.max(started_at.clone());
        let running = self
            .steps
            .iter()
            .position(|step| step.status == StepStatus::Running);
        if let Some(index) = running {
            let why = failure.clone().unwrap_or_else(|| {
                Failure::new(
                    FailureKind::Interrupted,
                    "The run ended before the step did",
                )
            });
            let end = StepEnd::failed(Failure { step: None, ..why });
            self.steps[index].end(completed_at.clone(), end);
        }
        for step in &mut self.steps {
            if step.status == StepStatus::Pending {
                step.status = StepStatus::Skipped;
            }
        }
        self.failure = match (failure, running) {
            (Some(failure), Some(index)) => Some(failure.at_step(index)),
            (failure, _) => failure,
        };
        self.progress = Progress::Ended {
            status,
            duration_ms: millis_between(&started_at, &completed_at),
            started_at,
            completed_at,
        };
        Ok(())
    }

    /// Ends a run whose server died: `running` → `failed`.
    pub fn interrupt(&mut self, reason: &str) -> Result<(), WrongTransition> {
        let clock = RunClock::start(&self.latest());
        let failure = Failure::new(FailureKind::Interrupted, format!("interrupted: {reason}"));
        self.end(clock.now(), RunStatus::Failed, Some(failure))
    }

    /// Cancels a run that has not started. It passes through `running`, because a cancelled run has
    /// all times.
    pub fn cancel_before_start(&mut self, reason: &str) -> Result<(), WrongTransition> {
        let now = RunClock::start(&self.created_at).now();
        self.start(now.clone())?;
        let failure = Failure::new(FailureKind::Cancelled, reason);
        self.end(now, RunStatus::Cancelled, Some(failure))
    }

    /// Starts the step `index`.
    pub(crate) fn start_step(&mut self, index: usize, now: Timestamp) {
        if let Some(step) = self.steps.get_mut(index)
            && step.status.may_become(StepStatus::Running)
        {
            step.start(now);
        }
    }

    /// Ends the step `index`.
    pub(crate) fn end_step(&mut self, index: usize, now: Timestamp, end: StepEnd) {
        if let Some(step) = self.steps.get_mut(index)
            && step.status.may_become(end.status)
        {
            step.end(now, end);
        }
    }

    /// Adds the recovered output of a step whose server died.
    pub(crate) fn add_output(
        &mut self,
        index: usize,
        stream: Stream,
        text: String,
        was_cut: bool,
        artifact: Option<ArtifactRecord>,
    ) {
        if let Some(step) = self.steps.get_mut(index) {
            match stream {
                Stream::Stdout => step.stdout = Some(text),
                Stream::Stderr => step.stderr = Some(text),
            }
            step.output_truncated |= was_cut;
            step.artifacts.extend(artifact);
        }
    }

    /// The latest time in the record.
    pub(crate) fn latest(&self) -> Timestamp {
        let times = self
            .steps
            .iter()
            .flat_map(|step| [&step.started_at, &step.completed_at])
            .flatten();
        times
            .chain(self.started_at())
            .chain([&self.created_at])
            .max()
            .unwrap_or(&self.created_at)
            .clone()
    }

    fn check(&self, to: RunStatus) -> Result<(), WrongTransition> {
        if self.status().may_become(to) {
            Ok(())
        } else {
            Err(self.wrong(to))
        }
    }

    fn wrong(&self, to: RunStatus) -> WrongTransition {
        WrongTransition {
            run_id: self.run_id.clone(),
            from: self.status(),
            to,
        }
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
