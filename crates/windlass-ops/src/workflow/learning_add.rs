use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::LearningView;
use super::common;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct LearningAdd;

/// Keep what was learnt in a task. When the task is completed it is known in its parent too.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
    /// What was learnt, 1 to 500 characters.
    pub content: String,
}

impl Operation for LearningAdd {
    type Input = Input;
    type Output = LearningView;

    const DECLARATION: Declaration = Declaration {
        name: "learning_add",
        toolset: Toolset::Workflow,
        cli: &["learnings", "add"],
        sdk: "learnings.add",
        effect: Effect::Write,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Of task 12",
            cli: &["learnings", "add", "12", "The build needs two cores"],
            input: r#"{"task_id": "12", "content": "The build needs two cores"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<LearningView> {
        context
            .write(|writer| {
                let task = common::task(writer, "task_id", &input.task_id)?;
                writer.add_learning(&task.id, &input.content)
            })
            .map(LearningView::from)
    }
}
