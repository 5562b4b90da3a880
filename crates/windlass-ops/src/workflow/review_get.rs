use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::ReviewView;
use super::gates;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct ReviewGet;

/// Read a review: where it stands and what its gates came to.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for ReviewGet {
    type Input = Input;
    type Output = ReviewView;

    const DECLARATION: Declaration = Declaration {
        name: "review_get",
        toolset: Toolset::Workflow,
        cli: &["reviews", "get"],
        sdk: "reviews.get",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "By number",
            cli: &["reviews", "get", "1"],
            input: r#"{"id": "1"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<ReviewView> {
        gates::take_over(&context)?;
        context.read(|reader| ReviewView::read(reader, reader.review(&input.id.0)?))
    }
}
