use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::WorkTask;
use super::common;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct WorkSetStatus;

/// Put a piece of work where it belongs, from wherever it is. Only a person may. in_review needs a review, and
/// awaiting_human a help request.
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

    const DECLARATION: Declaration = Declaration {
        name: "work_set_status",
        toolset: Toolset::Workflow,
        cli: &["work", "set-status"],
        sdk: "tasks.set_status",
        effect: Effect::Write,
        idempotent: true,
        long_running: false,
        audience: Audience::Human,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Back to the beginning",
            cli: &["work", "set-status", "12", "pending"],
            input: r#"{"id": "12", "status": "pending"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<WorkTask> {
        let status = common::status(&input.status)?;
        let phases = context.workshop.phases()?;
        let task = context.write(|writer| {
            let task = common::task(writer, "id", &input.id)?;
            writer.set_task_status(&task.id, status, phases)
        })?;
        let share = context.answer_budget.map(|chars| chars / 4);
        context.read(|reader| Ok(WorkTask::read(reader, task)?.shortened(share)))
    }
}
