use crate::prelude::*;
use serde_json::json;
use windlass_core::{EventType, RelationType};

use crate::workflow::common;
use crate::workflow::outputs::WorkTask;

pub struct WorkUnblock;

/// Make a task no longer wait for another one.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task that waits: its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// The task that must be done first.
    pub blocked_by: Id,
}

impl Operation for WorkUnblock {
    type Input = Input;
    type Output = WorkTask;

    const DECLARATION: Declaration = Declaration::write("work_unblock", Toolset::Workflow)
        .sdk("tasks.unblock")
        .examples(&[Example::call(
            "Task 3 no longer waits for task 2",
            r#"{"id": "3", "blocked_by": "2"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<WorkTask> {
        let task = context.write(|writer| {
            let task = common::task(writer, "id", &input.id)?;
            let blocker = common::task(writer, "blocked_by", &input.blocked_by)?;
            writer.unrelate(&blocker, RelationType::Blocks, &task)?;
            {
                let more = json!({"blocker": blocker.number});
                writer.record_task_event(EventType::BlockerRemoved, &task, more)?;
            }
            Ok(task)
        })?;
        context.read(|reader| WorkTask::read(reader, task))
    }
}
