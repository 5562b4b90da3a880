use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::WorkTask;

pub struct WorkSetStatus;

/// Set the status of a task, whatever its current status. Only for people. in_review needs a review,
/// and awaiting_human a help request.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// pending, in_progress, in_review, awaiting_human, blocked, completed or cancelled.
    pub status: String,
}

impl Operation for WorkSetStatus {
    type Input = Input;
    type Output = WorkTask;

    const DECLARATION: Declaration = Declaration::write("work_set_status", Toolset::Workflow)
        .sdk("tasks.set_status")
        .idempotent()
        .human_only()
        .examples(&[Example::call(
            "Back to the beginning",
            r#"{"id": "12", "status": "pending"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<WorkTask> {
        let status = common::status(&input.status)?;
        let phases = context.workspace.phases()?;
        let task = context.write(|writer| {
            let task = common::task(writer, "id", &input.id)?;
            writer.set_task_status(&task.id, status, phases)
        })?;
        context.read(|reader| WorkTask::read(reader, task))
    }
}
