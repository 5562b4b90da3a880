//! Recorded runs in their actual state: one whose process died is not running any more.

use serde::{Deserialize, Serialize};
use serde_json::json;
use windlass_core::{Error, Result};
use windlass_runs::record::{NewRun, RunRecord};
use windlass_runs::spec::RunSpec;
use windlass_store::{RunFilter, StoredRun};

use super::execution;
use crate::context::{Context, ReadContext};
use crate::job_host::Owner;

/// Why a run has ended whose process no longer exists.
const INTERRUPTED: &str = "interrupted: the process that executed it has exited";

/// What is stored for a run besides its record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plan {
    pub spec: RunSpec,
    /// The playbook file that it comes from, and the text that it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PlaybookFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaybookFile {
    pub path: String,
    pub fingerprint: String,
}

/// A run on record.
pub struct Run {
    pub record: RunRecord,
    pub plan: Plan,
    /// Whether its process has exited and that is not recorded yet.
    pub is_left: bool,
}

pub fn read(stored: &StoredRun) -> Result<Run> {
    let broken = |problem: serde_json::Error| {
        Error::storage(format!("Run {} cannot be read: {problem}", stored.run_id))
    };
    Ok(Run {
        record: serde_json::from_value(stored.record.clone()).map_err(broken)?,
        plan: serde_json::from_value(stored.spec.clone()).map_err(broken)?,
        is_left: is_left(stored),
    })
}

/// The run of that id, in its actual state.
pub fn load(context: &ReadContext, run_id: &str) -> Result<Run> {
    let stored = context.read(|reader| reader.run(run_id))?;
    current(&stored.ok_or_else(|| Error::run_not_found(run_id))?)
}

/// The runs that match, newest first.
pub fn list(context: &ReadContext, filter: &RunFilter) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    for stored in context.read(|reader| reader.runs(filter))? {
        let run = current(&stored)?;
        let status = filter.status.as_deref();
        if status.is_none_or(|status| status == run.record.status().name()) {
            runs.push(run);
        }
    }
    Ok(runs)
}

/// A run whose process has exited counts as interrupted, even before the sweeper has recorded it.
fn current(stored: &StoredRun) -> Result<Run> {
    let mut run = read(stored)?;
    if run.is_left {
        let interrupted = run.record.interrupt(INTERRUPTED);
        interrupted.map_err(|problem| Error::internal(problem.to_string()))?;
    }
    Ok(run)
}

/// Whether the process that executed the run exited before the run ended, and took the run with it.
fn is_left(stored: &StoredRun) -> bool {
    !is_elsewhere(stored) && has_dead_owner(stored)
}

/// Whether the run is executed elsewhere and goes on without the process that followed it.
fn is_elsewhere(stored: &StoredRun) -> bool {
    stored.record["external"].is_object()
}

fn has_dead_owner(stored: &StoredRun) -> bool {
    let owner = serde_json::from_value::<Owner>(stored.owner.clone());
    stored.status == "running" && !owner.is_ok_and(|owner| owner.is_alive())
}

/// The run of that id, if it is executed elsewhere and nobody follows it.
pub fn unfollowed(context: &ReadContext, run_id: &str) -> Result<Option<StoredRun>> {
    let stored = context.read(|reader| reader.run(run_id))?;
    Ok(stored.filter(|stored| is_elsewhere(stored) && has_dead_owner(stored)))
}

/// Records the end of all runs whose processes have exited, with the output that they wrote. A server
/// takes up those that are executed elsewhere. Returns how many there were.
pub async fn recover_interrupted(context: &Context) -> Result<usize> {
    let running = RunFilter {
        status: Some("running".to_owned()),
        limit: 1000,
        ..RunFilter::default()
    };
    let mut stored = context.read(|reader| reader.runs(&running))?;
    stored.retain(|run| has_dead_owner(run) && (!is_elsewhere(run) || context.host.is_lasting()));
    for left in &stored {
        let engine = &context.host.runs()?.engine;
        if is_elsewhere(left) && engine.outlives_its_process(&read(left)?.record) {
            execution::adopt(context, left)?;
            continue;
        }
        let recovered = engine.recover(read(left)?.record, INTERRUPTED).await;
        let record = recovered.map_err(|problem| Error::internal(problem.to_string()))?;
        let status = record.status().name();
        context.write(|writer| writer.run_ended(&left.run_id, status, &json!(record)))?;
    }
    Ok(stored.len())
}

/// Records a new run. Without an id it gets a free one.
pub fn create(context: &Context, mut plan: Plan, new: NewRun) -> Result<RunRecord> {
    let own_id = plan.spec.run_id.is_some();
    let millis = windlass_core::Timestamp::now().as_millis();
    context.write(|writer| {
        if !own_id {
            let mut number = 1;
            let mut free = format!("run-{millis}-{number}");
            while writer.run(&free)?.is_some() {
                number += 1;
                free = format!("run-{millis}-{number}");
            }
            plan.spec.run_id = Some(free);
        }
        let record = RunRecord::create(&plan.spec, new.clone());
        writer.run_created(&windlass_store::NewRun {
            run_id: record.run_id().to_owned(),
            runtime: record.runtime().name().to_owned(),
            playbook_id: new.playbook_id.clone(),
            parent_run_id: new.parent_run_id.clone(),
            created_at: record.created_at().clone(),
            spec: json!(plan),
            record: json!(record),
        })?;
        Ok(record)
    })
}
