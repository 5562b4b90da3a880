use crate::prelude::*;
use windlass_store::NewComment;

use crate::workflow::outputs::ReviewCommentOutput;

pub struct ReviewComment;

/// Comment on work in review: on lines of a file, or on the whole.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub review_id: Id,
    /// The text.
    pub body: String,
    /// The file that it is about.
    #[serde(default)]
    #[arg(long)]
    pub file_path: Option<String>,
    /// The first line, counted from 1.
    #[serde(default)]
    #[arg(long)]
    pub line_start: Option<i64>,
    /// The last line.
    #[serde(default)]
    #[arg(long)]
    pub line_end: Option<i64>,
    /// left for the state before the change, right for the one after it.
    #[serde(default)]
    #[arg(long)]
    pub side: Option<String>,
}

impl Operation for ReviewComment {
    type Input = Input;
    type Output = ReviewCommentOutput;

    const DECLARATION: Declaration = Declaration::write("review_comment", Toolset::Workflow)
        .sdk("reviews.comment")
        .cli(&["reviews", "comment"])
        .examples(&[Example::new("About a line", &[ "reviews", "comment", "1", "Why not shorter?", "--file-path", "src/main.rs", "--line-start", "3", ], r#"{"review_id": "1", "body": "Why not shorter?", "file_path": "src/main.rs", "line_start": 3}"#)]);

    async fn run(context: Context, input: Input) -> Result<ReviewCommentOutput> {
        let comment = NewComment {
            file_path: input.file_path,
            line_start: input.line_start,
            line_end: input.line_end,
            side: input.side,
            body: input.body,
        };
        context
            .write(|writer| {
                let review = writer.review(&input.review_id.0)?;
                writer.add_comment(&review, &comment)
            })
            .map(ReviewCommentOutput::from)
    }
}
