use crate::prelude::*;
use serde_json::json;
use windlass_core::{EventType, RelationType};

use crate::workflow::common;
use crate::workflow::outputs::WorkTask;

pub struct WorkBlock;

/// Make a task wait for another one.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task that waits: its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// The task that must be done first.
    pub blocked_by: Id,
}

impl Operation for WorkBlock {
    type Input = Input;
    type Output = WorkTask;

    const DECLARATION: Declaration = Declaration::write("work_block", Toolset::Workflow)
        .sdk("tasks.block")
        .idempotent()
        .examples(&[Example::call(
            "Task 12 waits for task 2",
            r#"{"id": "12", "blocked_by": "2"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<WorkTask> {
        let task = context.write(|writer| {
            let task = common::task(writer, "id", &input.id)?;
            let blocker = common::task(writer, "blocked_by", &input.blocked_by)?;
            let (_, new) = writer.relate(&blocker, RelationType::Blocks, &task)?;
            if new {
                let more = json!({"blocker": blocker.number});
                writer.record_task_event(EventType::BlockerAdded, &task, more)?;
            }
            Ok(task)
        })?;
        context.read(|reader| WorkTask::read(reader, task))
    }
}
