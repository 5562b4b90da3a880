use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::Result;
use windlass_core::workflow::{GateStatus, ReviewStatus};
use windlass_store::{Comment, Reader, Review};

use super::gate::{GateFailure, GateResultView};
use super::{moment, task_number};
use crate::answers::more_line;
use crate::paging::PageInfo;
use crate::view::{Column, Render, Span, Style, View};

/// The judging of submitted work.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReviewView {
    pub id: String,
    pub number: i64,
    pub task_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_number: Option<i64>,
    /// gates_pending, gates_escalated, agent_pending, human_pending, approved, changes_requested or
    /// withdrawn.
    pub status: String,
    /// The session that submitted the work.
    pub submitted_by: String,
    /// How often the work was submitted for this review.
    pub round: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The last attempt of each gate, without its output.
    pub gates: Vec<GateResultView>,
    pub submitted_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gates_completed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_completed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_completed_at: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

impl ReviewView {
    pub fn read(reader: &Reader<'_>, review: Review) -> Result<Self> {
        let results = reader.current_results(&review)?;
        Ok(Self {
            task_id: review.task.as_str().to_owned(),
            task_number: task_number(reader, &review.task)?,
            status: review.status.name().to_owned(),
            submitted_by: review.session,
            round: review.round,
            summary: review.summary,
            gates: results
                .into_iter()
                .map(|it| GateResultView::from(it).without_output())
                .collect(),
            submitted_at: review.submitted_at.as_str().to_owned(),
            gates_completed_at: moment(review.gates_completed_at.as_ref()),
            agent_completed_at: moment(review.agent_completed_at.as_ref()),
            human_completed_at: moment(review.human_completed_at.as_ref()),
            created_at: review.created_at.as_str().to_owned(),
            updated_at: review.updated_at.as_str().to_owned(),
            id: review.id,
            number: review.number,
        })
    }

    fn row(&self) -> Vec<Span> {
        let task = self
            .task_number
            .map_or(String::new(), |it| format!("#{it}"));
        vec![
            Span::new(self.number.to_string(), Style::Id),
            Span::new(task, Style::Id),
            review_status(&self.status),
            Span::from(self.round.to_string()),
            Span::from(self.submitted_by.clone()),
            Span::new(self.submitted_at.clone(), Style::Dim),
        ]
    }
}

fn review_status(word: &str) -> Span {
    let style = match word {
        "approved" => Style::Good,
        "gates_escalated" | "changes_requested" => Style::Bad,
        "withdrawn" => Style::Dim,
        _ => Style::Warning,
    };
    Span::new(word, style)
}

impl Render for ReviewView {
    fn view(&self) -> View {
        let task = self
            .task_number
            .map_or(String::new(), |it| format!(" of task #{it}"));
        let mut fields = vec![
            ("status".to_owned(), review_status(&self.status)),
            (
                "submitted".to_owned(),
                Span::from(format!("{} by {}", self.submitted_at, self.submitted_by)),
            ),
            ("round".to_owned(), Span::from(self.round.to_string())),
        ];
        if let Some(summary) = &self.summary {
            fields.push(("summary".to_owned(), Span::from(summary.clone())));
        }
        let view = View::default()
            .line([Span::new(
                format!("Review {}{task}", self.number),
                Style::Strong,
            )])
            .fields(fields);
        if self.gates.is_empty() {
            return view;
        }
        let rows = self.gates.iter().map(GateResultView::row).collect();
        view.blank().table(GateResultView::columns(), rows)
    }
}

/// The review that a task is in, or none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActiveReview {
    /// Absent if the task is in no review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewView>,
    /// Whether there is one.
    pub active: bool,
}

impl Render for ActiveReview {
    fn view(&self) -> View {
        self.review
            .as_ref()
            .map_or_else(|| View::nothing("The task is in no review."), Render::view)
    }
}

/// A page of reviews, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewPage {
    pub reviews: Vec<ReviewView>,
    #[serde(flatten)]
    pub page: PageInfo,
}

impl Render for ReviewPage {
    fn view(&self) -> View {
        if self.reviews.is_empty() {
            return View::nothing("No reviews.");
        }
        let columns = vec![
            Column::new("REVIEW").right(),
            Column::new("TASK").right(),
            Column::new("STATUS"),
            Column::new("ROUND").right(),
            Column::new("BY").shrinking(),
            Column::new("SUBMITTED"),
        ];
        let rows = self.reviews.iter().map(ReviewView::row).collect();
        let view = View::default().table(columns, rows);
        if self.page.has_more {
            return more_line(view, self.reviews.len(), self.page.offset, None);
        }
        view
    }
}

/// What came of handing work in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Submitted {
    pub review: ReviewView,
    /// The gates that failed, each with the end of what it wrote.
    pub gate_failures: Vec<GateFailure>,
    /// What to do next: fix_and_resubmit, wait, wait_for_human, get_review, nothing.
    pub action_required: String,
    /// Whether a person has to decide, because a gate failed as often as it may.
    pub escalated_to_human: bool,
    /// What is waited for, in a sentence.
    pub message: String,
}

/// The gates of a review that failed last, with what they wrote.
pub fn failures_of(reader: &Reader<'_>, review: &Review) -> Result<Vec<GateFailure>> {
    let mut failures = Vec::new();
    for result in reader.current_results(review)? {
        if result.status.is_failure() {
            let failed = reader.failed_attempts(&review.id, &result.gate)?;
            failures.push(GateFailure::new(result, failed));
        }
    }
    Ok(failures)
}

impl Submitted {
    pub fn read(reader: &Reader<'_>, review: Review) -> Result<Self> {
        let results = reader.current_results(&review)?;
        let open = results.iter().any(|it| it.status.is_open());
        let waits = results
            .iter()
            .find(|it| it.status == GateStatus::Waiting)
            .map(|it| it.message.clone().unwrap_or_default());
        let failures = if open && review.status == ReviewStatus::GatesPending {
            Vec::new()
        } else {
            failures_of(reader, &review)?
        };
        let (action, message) = match review.status {
            ReviewStatus::GatesPending => match (waits, open) {
                (Some(why), _) => ("wait_for_human", why),
                (None, true) => (
                    "wait",
                    "The gates run; gate_results shows how far they are.".to_owned(),
                ),
                (None, false) => (
                    "fix_and_resubmit",
                    "Gates failed: mend what they say and call work_submit again.".to_owned(),
                ),
            },
            ReviewStatus::GatesEscalated => (
                "wait_for_human",
                "A gate failed as often as it may: a person decides what happens next.".to_owned(),
            ),
            ReviewStatus::AgentPending => (
                "get_review",
                "The gates are passed; another session reviews the work with review_approve or \
                 review_request_changes."
                    .to_owned(),
            ),
            ReviewStatus::HumanPending => (
                "wait_for_human",
                "A person reviews the work: windlass reviews show, windlass reviews approve."
                    .to_owned(),
            ),
            ReviewStatus::Approved => ("nothing", "The work is approved and done.".to_owned()),
            ReviewStatus::ChangesRequested => (
                "fix_and_resubmit",
                "Changes were asked for: review_list_comments shows them.".to_owned(),
            ),
            ReviewStatus::Withdrawn => ("nothing", "The review was withdrawn.".to_owned()),
        };
        Ok(Self {
            escalated_to_human: review.status == ReviewStatus::GatesEscalated,
            gate_failures: failures,
            action_required: action.to_owned(),
            message,
            review: ReviewView::read(reader, review)?,
        })
    }
}

impl Render for Submitted {
    fn view(&self) -> View {
        let mut view = self.review.view();
        for failure in &self.gate_failures {
            view = view.blank().join(failure.view());
        }
        view.blank()
            .line([Span::new(self.message.clone(), Style::Strong)])
    }
}

/// A comment on a review.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommentView {
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

impl From<Comment> for CommentView {
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

impl Render for CommentView {
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
    pub comments: Vec<CommentView>,
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
