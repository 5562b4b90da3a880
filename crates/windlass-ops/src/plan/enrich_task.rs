use crate::prelude::*;
use std::collections::BTreeMap;

use windlass_core::{Dialect, Patch, TaskStatus, Timestamp};

use super::outputs::{PlanTask, status_of};
use super::tasks::{Changes, find};

pub struct EnrichTask;

/// Enrich a draft task with pseudocode, and promote it to pending. Criteria and files that are
/// given replace those of the draft.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub id: Number,
    /// How it could be done, step by step.
    pub pseudocode: String,
    /// What must hold when it is done, one text each.
    #[serde(default)]
    #[arg(long = "criterion")]
    pub acceptance_criteria: Option<Vec<String>>,
    /// Files to read first: paths in the project, at most 30.
    #[serde(default)]
    #[arg(long = "context-file")]
    pub context_files: Option<Vec<String>>,
}

impl Operation for EnrichTask {
    type Input = Input;
    type Output = PlanTask;

    const DECLARATION: Declaration = Declaration::write("enrich_task", Toolset::Plan)
        .sdk("plan.enrich_task")
        .cli(&["tasks", "enrich"])
        .examples(&[Example::new(
            "Draft 7 is worked out",
            &["tasks", "enrich", "7", "1. Parse the header"],
            r#"{"id": 7, "pseudocode": "1. Parse the header"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<PlanTask> {
        if input.pseudocode.trim().is_empty() {
            return Err(Error::validation("pseudocode", "is required"));
        }
        context.write(|writer| {
            let task = find(writer, "id", &input.id)?;
            if task.task_status() != Some(TaskStatus::Draft) {
                let status = status_of(&task);
                return Err(Error::validation(
                    "id",
                    format!(
                        "task {} is {status}; only a draft can be enriched",
                        task.number
                    ),
                )
                .with("value", task.number)
                .with("status", status)
                .with_hint("update_task changes a task that is no draft any more."));
            }
            let mut changes = Changes::default();
            changes.text("status", Some("pending"));
            changes.text("pseudocode", Some(&input.pseudocode));
            changes.list("acceptance_criteria", input.acceptance_criteria.as_deref());
            changes.list("context_files", input.context_files.as_deref());
            let now = Timestamp::now().as_str().to_owned();
            let patch = Patch {
                properties: changes.0,
                managed: BTreeMap::from([("enriched_at", Some(now))]),
                ..Patch::default()
            };
            let task = writer.update(&task.id, &patch, Dialect::Plan)?;
            PlanTask::read(writer, &task)
        })
    }
}
