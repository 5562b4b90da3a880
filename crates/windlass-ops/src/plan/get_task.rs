use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::TaskDetail;
use super::tasks::find;
use crate::arguments::Number;

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct GetTask;

/// Get full task details including comments, and the tasks that it depends on and that wait for it,
/// with where they stand.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub id: Number,
}

impl Operation for GetTask {
    type Input = Input;
    type Output = TaskDetail;

    const DECLARATION: Declaration = Declaration {
        name: "get_task",
        toolset: Toolset::Plan,
        cli: &["tasks", "show"],
        sdk: "plan.get_task",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Task 6",
            cli: &["tasks", "show", "6"],
            input: r#"{"id": 6}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<TaskDetail> {
        context.read(|reader| {
            reader.consistently(|reader| TaskDetail::read(reader, &find(reader, "id", &input.id)?))
        })
    }
}
