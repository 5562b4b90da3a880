use crate::prelude::*;
use crate::workflow::outputs::ReviewCommentOutput;

pub struct ReviewResolveComment;

/// Mark a comment as resolved.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The comment: its number, or at least 4 hex digits of its id.
    pub comment_id: Id,
}

impl Operation for ReviewResolveComment {
    type Input = Input;
    type Output = ReviewCommentOutput;

    const DECLARATION: Declaration =
        Declaration::write("review_resolve_comment", Toolset::Workflow)
            .sdk("reviews.resolve_comment")
            .cli(&["reviews", "resolve"])
            .idempotent()
            .examples(&[Example::new(
                "Comment 1",
                &["reviews", "resolve", "1"],
                r#"{"comment_id": "1"}"#,
            )]);

    async fn run(context: Context, input: Input) -> Result<ReviewCommentOutput> {
        context
            .write(|writer| writer.resolve_comment(&input.comment_id.0))
            .map(ReviewCommentOutput::from)
    }
}
