use super::outputs::Deleted;
use super::tasks::find;
use crate::prelude::*;

pub struct DeleteTask;

/// Delete a task. Fails if other tasks depend on it, and names them.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub id: Number,
}

impl Operation for DeleteTask {
    type Input = Input;
    type Output = Deleted;

    const DECLARATION: Declaration = Declaration::destructive("delete_task", Toolset::Plan)
        .sdk("plan.delete_task")
        .examples(&[Example::call("Task 12", r#"{"id": 12}"#)]);

    async fn run(context: Context, input: Input) -> Result<Deleted> {
        context.write(|writer| {
            let task = find(writer, "id", &input.id)?;
            let deleted = writer.delete(&task.id)?;
            Ok(Deleted::numbered(deleted.number, deleted.title))
        })
    }
}
