//! The outputs of `run.create`, `run.execute`, `run.status` and `run.read`, created from a record.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::Timestamp;

use super::external::External;
use super::failure::Failure;
use super::run::RunRecord;
use super::status::{RunStatus, StepStatus};
use super::step::StepRecord;
use crate::spec::RuntimeName;

/// A run that was created.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedRun {
    /// Its id.
    pub run_id: String,
    /// The issue that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// Its title.
    pub title: String,
    /// Its runtime.
    pub runtime: RuntimeName,
    /// Its status.
    pub status: RunStatus,
    /// Its steps.
    pub steps: Vec<CreatedStep>,
    /// When it was created.
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// The run that this one repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
    /// The playbook that it was created from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playbook_id: Option<String>,
}

/// A step of a run that was created.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedStep {
    /// Its name.
    pub name: String,
    /// Its status.
    pub status: StepStatus,
}

/// A run that was executed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutedRun {
    /// Its id.
    pub run_id: String,
    /// Its final status, or `running` if the caller did not wait.
    pub status: RunStatus,
    /// Its steps with their outputs.
    pub steps: Vec<StepRecord>,
    /// When it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub completed_at: Option<Timestamp>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Why it did not succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Its id where it is executed, if that is elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// A page that shows it there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_url: Option<String>,
    /// Its state there, in the words of that place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_state: Option<String>,
}

/// The state of a run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunState {
    /// Its id.
    pub run_id: String,
    /// Its status.
    pub status: RunStatus,
    /// When it was created.
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub completed_at: Option<Timestamp>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Its id where it is executed, if that is elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// A page that shows it there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_url: Option<String>,
    /// Its state there, in the words of that place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_state: Option<String>,
}

/// Everything known about a run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FullRun {
    /// Its status.
    #[serde(flatten)]
    pub state: RunState,
    /// The issue that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// Its title.
    pub title: String,
    /// Its runtime.
    pub runtime: RuntimeName,
    /// Its steps with their outputs.
    pub steps: Vec<StepRecord>,
    /// Why it did not succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The run that this one repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
    /// The playbook that it was created from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playbook_id: Option<String>,
}

impl RunRecord {
    /// The output of `run.create`.
    pub fn created(&self) -> CreatedRun {
        CreatedRun {
            run_id: self.run_id.clone(),
            issue_id: self.issue_id.clone(),
            title: self.title.clone(),
            runtime: self.runtime,
            status: self.status(),
            steps: self
                .steps
                .iter()
                .map(|step| CreatedStep {
                    name: step.name.clone(),
                    status: step.status,
                })
                .collect(),
            created_at: self.created_at.clone(),
            parent_run_id: self.parent_run_id.clone(),
            playbook_id: self.playbook_id.clone(),
        }
    }

    /// The output of `run.execute`.
    pub fn executed(&self) -> ExecutedRun {
        ExecutedRun {
            run_id: self.run_id.clone(),
            status: self.status(),
            steps: self.steps.clone(),
            started_at: self.started_at().cloned(),
            completed_at: self.completed_at().cloned(),
            duration_ms: self.duration_ms(),
            failure: self.failure.clone(),
            external_id: self.external_text(|it| it.id.as_ref()),
            external_url: self.external_text(|it| it.url.as_ref()),
            external_state: self.external_text(|it| it.state.as_ref()),
        }
    }

    /// The output of `run.status`.
    pub fn state(&self) -> RunState {
        RunState {
            run_id: self.run_id.clone(),
            status: self.status(),
            created_at: self.created_at.clone(),
            started_at: self.started_at().cloned(),
            completed_at: self.completed_at().cloned(),
            duration_ms: self.duration_ms(),
            external_id: self.external_text(|it| it.id.as_ref()),
            external_url: self.external_text(|it| it.url.as_ref()),
            external_state: self.external_text(|it| it.state.as_ref()),
        }
    }

    fn external_text(&self, part: impl Fn(&External) -> Option<&String>) -> Option<String> {
        self.external().and_then(part).cloned()
    }

    /// The output of `run.read`.
    pub fn full(&self) -> FullRun {
        FullRun {
            state: self.state(),
            issue_id: self.issue_id.clone(),
            title: self.title.clone(),
            runtime: self.runtime,
            steps: self.steps.clone(),
            failure: self.failure.clone(),
            parent_run_id: self.parent_run_id.clone(),
            playbook_id: self.playbook_id.clone(),
        }
    }
}
