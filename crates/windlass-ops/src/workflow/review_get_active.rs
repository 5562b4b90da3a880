use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::{ActiveReview, ReviewView};
use super::{common, gates};
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct ReviewGetActive;

/// Find the review that a task is in.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl Operation for ReviewGetActive {
    type Input = Input;
    type Output = ActiveReview;

    const DECLARATION: Declaration = Declaration {
        name: "review_get_active",
        toolset: Toolset::Workflow,
        cli: &["reviews", "active"],
        sdk: "reviews.get_active",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Of task 13",
            cli: &["reviews", "active", "13"],
            input: r#"{"task_id": "13"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<ActiveReview> {
        gates::take_over(&context)?;
        let review = context.read(|reader| {
            let task = common::task(reader, "task_id", &input.task_id)?;
            let review = reader.active_review(&task.id)?;
            review
                .map(|review| ReviewView::read(reader, review))
                .transpose()
        })?;
        Ok(ActiveReview {
            active: review.is_some(),
            review,
        })
    }
}
