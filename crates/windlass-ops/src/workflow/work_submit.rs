use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::Submitted;
use super::common;
use super::handover::Handover;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct WorkSubmit;

/// Hand work in: a review is made and the gates run. Answers at once with the review, or with wait when the gates
/// have come to an end: which failed, why, and what to do. After failed gates, mend the work and submit again.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// Whether to wait until the gates have come to an end.
    #[serde(default)]
    #[arg(long)]
    pub wait: bool,
}

impl Operation for WorkSubmit {
    type Input = Input;
    type Output = Submitted;

    const DECLARATION: Declaration = Declaration {
        name: "work_submit",
        toolset: Toolset::Workflow,
        cli: &["work", "submit"],
        sdk: "tasks.submit",
        effect: Effect::Execute,
        idempotent: false,
        long_running: true,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Task 12, with its gates",
            cli: &["work", "submit", "12", "--wait"],
            input: r#"{"id": "12", "wait": true}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Submitted> {
        let context = context.without_deadline();
        let task = context.read(|reader| common::task(reader, "id", &input.id))?;
        let handover = Handover::gather(&context, &task)?;
        let review = context.write(|writer| handover.submit(writer, &task))?;
        common::answer_with_gates(&context, review, input.wait).await
    }
}
