use crate::prelude::*;
use crate::workflow::outputs::{CommentPage, ReviewCommentOutput};

pub struct ReviewListComments;

/// List the comments of a review, oldest first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub review_id: Id,
    /// Only unresolved comments.
    #[serde(default)]
    #[arg(long)]
    pub open: bool,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<20>,
}

impl ReadOperation for ReviewListComments {
    type Input = Input;
    type Output = CommentPage;

    const DECLARATION: Declaration = Declaration::read("review_list_comments", Toolset::Workflow)
        .sdk("reviews.list_comments")
        .cli(&["reviews", "comments"])
        .examples(&[Example::new(
            "Of review 1",
            &["reviews", "comments", "1"],
            r#"{"review_id": "1"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<CommentPage> {
        let page = input.paging.page()?;
        let (comments, page) = read_page(page, |page| {
            context.read(|reader| {
                let review = reader.review(&input.review_id.0)?;
                let comments = reader.comments(&review, input.open, page)?;
                Ok(comments
                    .into_iter()
                    .map(ReviewCommentOutput::from)
                    .collect())
            })
        })?;
        Ok(CommentPage { comments, page })
    }
}
