use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::CommentView;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct ReviewResolveComment;

/// Mark a comment as settled.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The comment: its number, or at least 4 hex digits of its id.
    pub comment_id: Id,
}

impl Operation for ReviewResolveComment {
    type Input = Input;
    type Output = CommentView;

    const DECLARATION: Declaration = Declaration {
        name: "review_resolve_comment",
        toolset: Toolset::Workflow,
        cli: &["reviews", "resolve"],
        sdk: "reviews.resolve_comment",
        effect: Effect::Write,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Comment 1",
            cli: &["reviews", "resolve", "1"],
            input: r#"{"comment_id": "1"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<CommentView> {
        context
            .write(|writer| writer.resolve_comment(&input.comment_id.0))
            .map(CommentView::from)
    }
}
