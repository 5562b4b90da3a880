use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::WorkTask;

pub struct WorkCancel;

/// Cancel a task that is not completed. Its review is withdrawn and its question cancelled. Tasks
/// that wait for it stay blocked: use work_unblock.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for WorkCancel {
    type Input = Input;
    type Output = WorkTask;

    const DECLARATION: Declaration = Declaration::write("work_cancel", Toolset::Workflow)
        .sdk("tasks.cancel")
        .idempotent()
        .examples(&[Example::call("Task 3", r#"{"id": "3"}"#)]);

    async fn run(context: Context, input: Input) -> Result<WorkTask> {
        let task = context.write(|writer| {
            let task = common::task(writer, "id", &input.id)?;
            writer.cancel_task(&task.id)
        })?;
        context.read(|reader| WorkTask::read(reader, task))
    }
}
