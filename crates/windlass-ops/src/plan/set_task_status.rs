use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::PlanTask;
use super::tasks::{find, set_status};
use crate::arguments::Number;

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

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

    const DECLARATION: Declaration = Declaration {
        name: "set_task_status",
        toolset: Toolset::Plan,
        cli: &["tasks", "status"],
        sdk: "plan.set_task_status",
        effect: Effect::Write,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Work on task 6 begins",
            cli: &["tasks", "status", "6", "in_progress"],
            input: r#"{"id": 6, "status": "in_progress"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<PlanTask> {
        context.write(|writer| {
            let task = find(writer, "id", &input.id)?;
            let task = set_status(writer, &task, &input.status)?;
            PlanTask::read(writer, &task)
        })
    }
}
