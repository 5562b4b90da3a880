use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::HelpView;
use super::common;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct HelpResume;

/// Let a task go on that waited for an answer, where it was. Only a person may, once the answer is given.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl Operation for HelpResume {
    type Input = Input;
    type Output = HelpView;

    const DECLARATION: Declaration = Declaration {
        name: "help_resume",
        toolset: Toolset::Workflow,
        cli: &["help-requests", "resume"],
        sdk: "help.resume",
        effect: Effect::Write,
        idempotent: false,
        long_running: false,
        audience: Audience::Human,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Task 14",
            cli: &["help-requests", "resume", "14"],
            input: r#"{"task_id": "14"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<HelpView> {
        let phases = context.workshop.phases()?;
        let request = context.write(|writer| {
            let task = common::task(writer, "task_id", &input.task_id)?;
            writer.resume_task(&task.id, phases)
        })?;
        context.read(|reader| HelpView::read(reader, request))
    }
}
