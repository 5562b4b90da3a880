use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::WorkTask;
use super::common;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct WorkForceComplete;

/// Complete a piece of work that is in review, whatever its gates and its reviewers say. Only a person may.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for WorkForceComplete {
    type Input = Input;
    type Output = WorkTask;

    const DECLARATION: Declaration = Declaration {
        name: "work_force_complete",
        toolset: Toolset::Workflow,
        cli: &["work", "force-complete"],
        sdk: "tasks.force_complete",
        effect: Effect::Write,
        idempotent: false,
        long_running: false,
        audience: Audience::Human,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Task 13",
            cli: &["work", "force-complete", "13"],
            input: r#"{"id": "13"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<WorkTask> {
        let task = context.write(|writer| {
            let task = common::task(writer, "id", &input.id)?;
            writer.force_complete(&task.id)
        })?;
        let share = context.answer_budget.map(|chars| chars / 4);
        context.read(|reader| Ok(WorkTask::read(reader, task)?.shortened(share)))
    }
}
