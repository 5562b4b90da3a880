//! Runs as they are on record, seen as they are: one whose process died is not running any more.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use windlass_core::{Error, Result};
use windlass_runs::record::{NewRun, RunRecord};
use windlass_runs::spec::RunSpec;
use windlass_store::{RunFilter, StoredRun};

use crate::commands::Owner;
use crate::context::Context;

/// Why a run that its process left behind has ended.
const INTERRUPTED: &str = "interrupted: the process that executed it has gone";

/// What is stored of a run beside its record.
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
}

fn read(stored: &StoredRun) -> Result<Run> {
    let broken = |problem: serde_json::Error| {
        Error::storage(format!("Run {} cannot be read: {problem}", stored.run_id))
    };
    Ok(Run {
        record: serde_json::from_value(stored.record.clone()).map_err(broken)?,
        plan: serde_json::from_value(stored.spec.clone()).map_err(broken)?,
    })
}

/// The run of that id, as it is.
pub async fn load(context: &Context, run_id: &str) -> Result<Run> {
    let stored = context.read(|reader| reader.run(run_id))?;
    let stored = stored.ok_or_else(|| Error::run_not_found(run_id))?;
    settle(context, stored).await
}

/// The runs that fit, newest first.
pub async fn list(context: &Context, filter: &RunFilter) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    for stored in context.read(|reader| reader.runs(filter))? {
        let run = settle(context, stored).await?;
        let status = filter.status.as_deref();
        if status.is_none_or(|status| status == run.record.status().name()) {
            runs.push(run);
        }
    }
    Ok(runs)
}

/// Ends on record what its process left behind.
async fn settle(context: &Context, stored: StoredRun) -> Result<Run> {
    let mut run = read(&stored)?;
    if stored.status != "running" || is_alive(&stored.owner) {
        return Ok(run);
    }
    let yard = context.workshop.yard()?;
    let recovered = yard.engine.recover(run.record.clone(), INTERRUPTED).await;
    run.record = recovered.map_err(|problem| Error::internal(problem.to_string()))?;
    let record = json!(run.record);
    context
        .write(|writer| writer.run_ended(&stored.run_id, run.record.status().name(), &record))?;
    Ok(run)
}

fn is_alive(owner: &Json) -> bool {
    serde_json::from_value::<Owner>(owner.clone()).is_ok_and(|owner| owner.is_alive())
}

/// Ends on record all runs whose processes are gone. Called when a server starts.
pub async fn recover_interrupted(context: &Context) -> Result<usize> {
    let running = RunFilter {
        status: Some("running".to_owned()),
        limit: 1000,
        ..RunFilter::default()
    };
    let before = context.read(|reader| reader.runs(&running))?.len();
    let after = list(context, &running).await?.len();
    Ok(before - after)
}

/// Puts a new run on record. Without an id of its own it gets one that is free.
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
