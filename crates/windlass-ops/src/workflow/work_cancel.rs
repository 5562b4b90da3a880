use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::WorkTask;
use super::common;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct WorkCancel;

/// Cancel a piece of work that is not completed. Its review is withdrawn and its question taken back. What waits for it
/// still waits: take the edge away with work_unblock.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for WorkCancel {
    type Input = Input;
    type Output = WorkTask;

    const DECLARATION: Declaration = Declaration {
        name: "work_cancel",
        toolset: Toolset::Workflow,
        cli: &["work", "cancel"],
        sdk: "tasks.cancel",
        effect: Effect::Write,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Task 3",
            cli: &["work", "cancel", "3"],
            input: r#"{"id": "3"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<WorkTask> {
        let task = context.write(|writer| {
            let task = common::task(writer, "id", &input.id)?;
            writer.cancel_task(&task.id)
        })?;
        let share = context.answer_budget.map(|chars| chars / 4);
        context.read(|reader| Ok(WorkTask::read(reader, task)?.shortened(share)))
    }
}
