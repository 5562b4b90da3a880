use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::{LearningView, Learnings};
use super::common;
use crate::arguments::Id;
use crate::budget::fit_items;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct LearningList;

/// List what is known in a task: learnt there, or passed up by what is below it.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl Operation for LearningList {
    type Input = Input;
    type Output = Learnings;

    const DECLARATION: Declaration = Declaration {
        name: "learning_list",
        toolset: Toolset::Workflow,
        cli: &["learnings", "list"],
        sdk: "learnings.list",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Of task 12",
            cli: &["learnings", "list", "12"],
            input: r#"{"task_id": "12"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Learnings> {
        let learnings = context.read(|reader| {
            let task = common::task(reader, "task_id", &input.task_id)?;
            reader.task_learnings(&task.id)
        })?;
        let mut learnings: Vec<LearningView> =
            learnings.into_iter().map(LearningView::from).collect();
        let total = learnings.len();
        fit_items(&mut learnings, context.answer_budget);
        Ok(Learnings { learnings, total })
    }
}
