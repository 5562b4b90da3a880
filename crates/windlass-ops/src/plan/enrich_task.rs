use crate::prelude::*;
use windlass_core::{Dialect, TaskStatus, Timestamp};

use super::outputs::{PlanTask, status_of};
use super::tasks::find;
use crate::entity_fields::{Enriched, FieldArguments, Task};

pub struct EnrichTask;

/// Enrich a draft task with pseudocode, and promote it to pending. Given criteria and files replace
/// those of the draft.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub id: Number,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub fields: FieldArguments<Enriched<Task>>,
}

impl Operation for EnrichTask {
    type Input = Input;
    type Output = PlanTask;

    const DECLARATION: Declaration = Declaration::write("enrich_task", Toolset::Plan)
        .sdk("plan.enrich_task")
        .cli(&["tasks", "enrich"])
        .examples(&[Example::new(
            "Enrich draft 7",
            &["tasks", "enrich", "7", "1. Parse the header"],
            r#"{"id": 7, "pseudocode": "1. Parse the header"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<PlanTask> {
        let mut patch = input.fields.with("status", "pending").into_patch()?;
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
                .with_hint("[[update_task]] changes a task that is not a draft."));
            }
            let now = Timestamp::now().as_str().to_owned();
            patch.managed.insert("enriched_at", Some(now));
            let task = writer.update(&task.id, &patch, Dialect::Plan)?;
            PlanTask::read(writer, &task)
        })
    }
}
