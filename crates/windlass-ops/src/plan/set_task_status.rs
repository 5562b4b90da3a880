use super::outputs::PlanTask;
use super::tasks::{find, set_status};
use crate::prelude::*;

pub struct SetTaskStatus;

/// Set the status of a task: draft, pending, in_progress, done, blocked or skipped.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub id: Number,
    /// draft, pending, in_progress, done, blocked or skipped.
    pub status: String,
}

impl Operation for SetTaskStatus {
    type Input = Input;
    type Output = PlanTask;

    const DECLARATION: Declaration = Declaration::write("set_task_status", Toolset::Plan)
        .sdk("plan.set_task_status")
        .idempotent()
        .examples(&[Example::call(
            "Task 6 is in progress",
            r#"{"id": 6, "status": "in_progress"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<PlanTask> {
        context.write(|writer| {
            let task = find(writer, "id", &input.id)?;
            let task = set_status(writer, &task, &input.status)?;
            PlanTask::read(writer, &task)
        })
    }
}
