use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::{CommentPage, CommentView};
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::paging::{Limit, read_page};

pub struct ReviewListComments;

/// List what was said in a review, oldest first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub review_id: Id,
    /// Only what is not settled.
    #[serde(default)]
    #[arg(long)]
    pub open: bool,
    /// How many to answer, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<20>,
    /// How many to skip.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub offset: u32,
}

impl Operation for ReviewListComments {
    type Input = Input;
    type Output = CommentPage;

    const DECLARATION: Declaration = Declaration {
        name: "review_list_comments",
        toolset: Toolset::Workflow,
        cli: &["reviews", "comments"],
        sdk: "reviews.list_comments",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Of review 1",
            cli: &["reviews", "comments", "1"],
            input: r#"{"review_id": "1"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<CommentPage> {
        let page = input.limit.page(input.offset)?;
        let (comments, page) = read_page(page, context.answer_budget, |page| {
            context.read(|reader| {
                let review = reader.review(&input.review_id.0)?;
                let comments = reader.comments(&review, input.open, page)?;
                Ok(comments.into_iter().map(CommentView::from).collect())
            })
        })?;
        Ok(CommentPage { comments, page })
    }
}
