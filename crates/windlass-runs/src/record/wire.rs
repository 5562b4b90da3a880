//! The flat form in which a record is stored and sent.

use serde::{Deserialize, Serialize};
use windlass_core::Timestamp;

use super::external::External;
use super::failure::Failure;
use super::run::{Progress, RunRecord};
use super::status::RunStatus;
use super::step::StepRecord;
use crate::spec::RuntimeName;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wire {
    run_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    issue_id: Option<String>,
    title: String,
    runtime: RuntimeName,
    status: RunStatus,
    steps: Vec<StepRecord>,
    created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    started_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    completed_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent_run_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    playbook_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    external: Option<External>,
}

impl From<RunRecord> for Wire {
    fn from(record: RunRecord) -> Self {
        Self {
            status: record.status(),
            started_at: record.started_at().cloned(),
            completed_at: record.completed_at().cloned(),
            duration_ms: record.duration_ms(),
            run_id: record.run_id,
            issue_id: record.issue_id,
            title: record.title,
            runtime: record.runtime,
            steps: record.steps,
            created_at: record.created_at,
            failure: record.failure,
            parent_run_id: record.parent_run_id,
            playbook_id: record.playbook_id,
            external: record.external,
        }
    }
}

impl TryFrom<Wire> for RunRecord {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        let times = (wire.started_at, wire.completed_at, wire.duration_ms);
        let progress = match (wire.status, times) {
            (RunStatus::Created, (None, None, None)) => Progress::Created,
            (RunStatus::Running, (Some(started_at), None, None)) => {
                Progress::Running { started_at }
            }
            (status, (Some(started_at), Some(completed_at), Some(duration_ms)))
                if status.is_terminal()
                    && wire.created_at <= started_at
                    && started_at <= completed_at =>
            {
                Progress::Ended {
                    status,
                    started_at,
                    completed_at,
                    duration_ms,
                }
            }
            (status, _) => {
                let id = &wire.run_id;
                return Err(format!(
                    "the times of run {id} do not match its status {status}"
                ));
            }
        };
        Ok(Self {
            run_id: wire.run_id,
            issue_id: wire.issue_id,
            title: wire.title,
            runtime: wire.runtime,
            steps: wire.steps,
            created_at: wire.created_at,
            progress,
            failure: wire.failure,
            parent_run_id: wire.parent_run_id,
            playbook_id: wire.playbook_id,
            external: wire.external,
        })
    }
}
