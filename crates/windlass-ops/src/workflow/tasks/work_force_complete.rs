use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::WorkTask;

pub struct WorkForceComplete;

/// Complete a task in review regardless of its gates and reviewers. Only for people.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for WorkForceComplete {
    type Input = Input;
    type Output = WorkTask;

    const DECLARATION: Declaration = Declaration::write("work_force_complete", Toolset::Workflow)
        .sdk("tasks.force_complete")
        .human_only()
        .examples(&[Example::call("Task 13", r#"{"id": "13"}"#)]);

    async fn run(context: Context, input: Input) -> Result<WorkTask> {
        let task = context.write(|writer| {
            let task = common::task(writer, "id", &input.id)?;
            writer.force_complete(&task.id)
        })?;
        context.read(|reader| WorkTask::read(reader, task))
    }
}
