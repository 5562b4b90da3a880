use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::Submitted;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct ReviewApprove;

/// Approve work in review. An agent ends the agent's phase, of another session's work where there is another session; the
/// last phase is a person's, whose approval completes the task. A person also lets work pass whose gates were given up.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for ReviewApprove {
    type Input = Input;
    type Output = Submitted;

    const DECLARATION: Declaration = Declaration {
        name: "review_approve",
        toolset: Toolset::Workflow,
        cli: &["reviews", "approve"],
        sdk: "reviews.approve",
        effect: Effect::Write,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Review 1",
            cli: &["reviews", "approve", "1"],
            input: r#"{"id": "1"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Submitted> {
        let phases = context.workshop.phases()?;
        let review = context.write(|writer| writer.approve_review(&input.id.0, phases))?;
        context.read(|reader| Submitted::read(reader, review, context.answer_budget))
    }
}
