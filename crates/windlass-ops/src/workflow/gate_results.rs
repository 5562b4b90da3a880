use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::{GateResultView, ReviewGates};
use super::gates;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct GateResults;

/// Show what each attempt of each gate of a review came to, with what it wrote.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub review_id: Id,
    /// Only the last attempt of each gate.
    #[serde(default)]
    #[arg(long)]
    pub last: bool,
    /// Whether to wait until the gates have come to an end.
    #[serde(default)]
    #[arg(long)]
    pub wait: bool,
}

impl Operation for GateResults {
    type Input = Input;
    type Output = ReviewGates;

    const DECLARATION: Declaration = Declaration {
        name: "gate_results",
        toolset: Toolset::Workflow,
        cli: &["gates", "results"],
        sdk: "gates.results",
        effect: Effect::Read,
        idempotent: true,
        long_running: true,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Of review 2",
            cli: &["gates", "results", "2"],
            input: r#"{"review_id": "2"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<ReviewGates> {
        let context = context.without_deadline();
        let review = context.read(|reader| reader.review(&input.review_id.0))?;
        gates::look_after(&context, &review, input.wait).await?;
        let (review, results) = context.read(|reader| {
            let review = reader.review(&input.review_id.0)?;
            let results = if input.last {
                reader.current_results(&review)?
            } else {
                reader.gate_results(&review)?
            };
            Ok((review, results))
        })?;
        // The newest attempts say most; what they wrote shares the room that an answer has.
        let room = context.answer_budget.unwrap_or(usize::MAX / 4);
        let each = room / (4 * results.len().max(1));
        Ok(ReviewGates {
            review_id: review.id,
            status: review.status.name().to_owned(),
            results: results
                .into_iter()
                .map(|result| GateResultView::from(result).with_tails(each))
                .collect(),
        })
    }
}
