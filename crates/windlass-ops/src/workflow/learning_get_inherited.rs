use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::Inherited;
use super::common;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct LearningGetInherited;

/// List what is known in a task, in its parent and in its milestone.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl Operation for LearningGetInherited {
    type Input = Input;
    type Output = Inherited;

    const DECLARATION: Declaration = Declaration {
        name: "learning_get_inherited",
        toolset: Toolset::Workflow,
        cli: &["learnings", "inherited"],
        sdk: "learnings.get_inherited",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Of task 12",
            cli: &["learnings", "inherited", "12"],
            input: r#"{"task_id": "12"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Inherited> {
        context.read(|reader| {
            let task = common::task(reader, "task_id", &input.task_id)?;
            let share = context.answer_budget.map(|chars| chars / 4);
            Ok(Inherited::read(reader, &task.id)?.shortened(share))
        })
    }
}
