use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::Submitted;
use super::common;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct GateRerun;

/// Run gates of a review again on the work as it is: those that failed, or the named one. Each failure counts as an
/// attempt; once they are used up, only a person may.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub review_id: Id,
    /// The name of a gate, or its id.
    #[serde(default)]
    #[arg(long)]
    pub gate: Option<String>,
    /// Whether to wait until the gates have come to an end.
    #[serde(default)]
    #[arg(long)]
    pub wait: bool,
}

impl Operation for GateRerun {
    type Input = Input;
    type Output = Submitted;

    const DECLARATION: Declaration = Declaration {
        name: "gate_rerun",
        toolset: Toolset::Workflow,
        cli: &["gates", "rerun"],
        sdk: "gates.rerun",
        effect: Effect::Execute,
        idempotent: false,
        long_running: true,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "What failed in review 2",
            cli: &["gates", "rerun", "2", "--wait"],
            input: r#"{"review_id": "2", "wait": true}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Submitted> {
        let context = context.without_deadline();
        let phases = context.workshop.phases()?;
        let review = context.write(|writer| {
            writer.rerun_gates(&input.review_id.0, input.gate.as_deref(), phases)
        })?;
        common::answer_with_gates(&context, review, input.wait).await
    }
}
