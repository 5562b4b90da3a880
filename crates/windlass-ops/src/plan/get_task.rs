use super::outputs::TaskDetail;
use super::tasks::find;
use crate::prelude::*;

pub struct GetTask;

/// Get full task details including comments, and the tasks that it depends on and that depend on it,
/// with their status.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub id: Number,
}

impl ReadOperation for GetTask {
    type Input = Input;
    type Output = TaskDetail;

    const DECLARATION: Declaration = Declaration::read("get_task", Toolset::Plan)
        .sdk("plan.get_task")
        .examples(&[Example::call("Task 6", r#"{"id": 6}"#)]);

    async fn run(context: ReadContext, input: Input) -> Result<TaskDetail> {
        context.read(|reader| {
            reader.consistently(|reader| TaskDetail::read(reader, &find(reader, "id", &input.id)?))
        })
    }
}
