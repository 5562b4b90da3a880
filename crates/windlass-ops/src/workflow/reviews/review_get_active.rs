use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::{ActiveReview, ReviewOutput};

pub struct ReviewGetActive;

/// Get the active review of a task.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl ReadOperation for ReviewGetActive {
    type Input = Input;
    type Output = ActiveReview;

    const DECLARATION: Declaration = Declaration::read("review_get_active", Toolset::Workflow)
        .sdk("reviews.get_active")
        .cli(&["reviews", "active"])
        .examples(&[Example::new(
            "Of task 13",
            &["reviews", "active", "13"],
            r#"{"task_id": "13"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<ActiveReview> {
        let review = context.read(|reader| {
            let task = common::task(reader, "task_id", &input.task_id)?;
            let review = reader.active_review(&task.id)?;
            review
                .map(|review| ReviewOutput::read(reader, review))
                .transpose()
        })?;
        Ok(ActiveReview {
            active: review.is_some(),
            review,
        })
    }
}
