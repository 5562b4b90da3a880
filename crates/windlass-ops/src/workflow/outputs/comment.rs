use schemars::JsonSchema;
use serde::Serialize;
use windlass_store::Comment;

use super::moment;
use crate::outputs::more_line;
use crate::paging::PageInfo;
use crate::view::{Render, Span, Style, View};

/// A comment on a review.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReviewCommentOutput {
    pub id: String,
    pub number: i64,
    pub review_id: String,
    pub task_id: String,
    /// human or agent.
    pub author: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_start: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    pub body: String,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
}

impl From<Comment> for ReviewCommentOutput {
    fn from(comment: Comment) -> Self {
        Self {
            id: comment.id,
            number: comment.number,
            review_id: comment.review,
            task_id: comment.task.as_str().to_owned(),
            author: comment.author,
            file_path: comment.file_path,
            line_start: comment.line_start,
            line_end: comment.line_end,
            side: comment.side,
            body: comment.body,
            created_at: comment.created_at.as_str().to_owned(),
            resolved_at: moment(comment.resolved_at.as_ref()),
        }
    }
}

impl Render for ReviewCommentOutput {
    fn view(&self) -> View {
        let mut place = self.file_path.clone().unwrap_or_default();
        if let Some(line) = self.line_start {
            place = format!("{place}:{line}");
            if let Some(end) = self.line_end.filter(|end| *end != line) {
                place = format!("{place}-{end}");
            }
        }
        let settled = if self.resolved_at.is_some() {
            "  settled"
        } else {
            ""
        };
        View::default()
            .line([
                Span::new(format!("comment {}", self.number), Style::Id),
                Span::new(format!(" {} {place}", self.author), Style::Dim),
                Span::new(settled, Style::Good),
            ])
            .text(self.body.clone())
    }
}

/// A page of comments, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommentPage {
    pub comments: Vec<ReviewCommentOutput>,
    #[serde(flatten)]
    pub page: PageInfo,
}

impl Render for CommentPage {
    fn view(&self) -> View {
        if self.comments.is_empty() {
            return View::nothing("No comments.");
        }
        let all = self.comments.iter().map(Render::view);
        let view = all.fold(View::default(), |above, below| above.join(below));
        if self.page.has_more {
            return more_line(view, self.comments.len(), self.page.offset, None);
        }
        view
    }
}
