use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::Deleted;
use super::tasks::find;
use crate::arguments::Number;

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct DeleteTask;

/// Delete a task. Fails if other tasks depend on it, and names them.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub id: Number,
}

impl Operation for DeleteTask {
    type Input = Input;
    type Output = Deleted;

    const DECLARATION: Declaration = Declaration {
        name: "delete_task",
        toolset: Toolset::Plan,
        cli: &["tasks", "delete"],
        sdk: "plan.delete_task",
        effect: Effect::Destructive,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Task 3",
            cli: &["tasks", "delete", "3"],
            input: r#"{"id": 3}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Deleted> {
        context.write(|writer| {
            let task = find(writer, "id", &input.id)?;
            let deleted = writer.delete(&task.id)?;
            Ok(Deleted::numbered(deleted.number, deleted.title))
        })
    }
}
