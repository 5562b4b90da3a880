use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::Result;
use windlass_store::{Reader, Review};

use super::result::GateResultOutput;
use super::{moment, task_number};
use crate::outputs::more_line;
use crate::paging::PageInfo;
use crate::view::{Column, Render, Span, Style, View};

/// A review of submitted work.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReviewOutput {
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
    /// Who submitted it: human or agent.
    pub actor: String,
    /// How often the work was submitted for this review.
    pub round: i64,
    /// The commit and the tree of files at which work began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_tree: Option<String>,
    /// The commit and the tree of files that were submitted last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit_commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit_tree: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The last attempt of each gate, without its output.
    pub gates: Vec<GateResultOutput>,
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

impl ReviewOutput {
    pub fn read(reader: &Reader<'_>, review: Review) -> Result<Self> {
        let results = reader.current_results(&review)?;
        Ok(Self {
            task_id: review.task.as_str().to_owned(),
            task_number: task_number(reader, &review.task)?,
            status: review.status.name().to_owned(),
            submitted_by: review.session,
            actor: review.actor,
            start_commit: review.start_commit,
            start_tree: review.start_tree,
            submit_commit: review.submit_commit,
            submit_tree: review.submit_tree,
            round: review.round,
            summary: review.summary,
            gates: results
                .into_iter()
                .map(|it| GateResultOutput::from(it).without_output())
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
            Span::new(self.submitted_at.clone(), Style::Time),
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

impl Render for ReviewOutput {
    fn view(&self) -> View {
        let task = self
            .task_number
            .map_or(String::new(), |it| format!(" of task #{it}"));
        let mut fields = vec![
            ("status".to_owned(), review_status(&self.status)),
            (
                "submitted".to_owned(),
                Span::new(self.submitted_at.clone(), Style::Moment),
            ),
            (
                "by".to_owned(),
                Span::from(format!("{} ({})", self.submitted_by, self.actor)),
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
        let rows = self.gates.iter().map(GateResultOutput::row).collect();
        view.blank().table(GateResultOutput::columns(), rows)
    }
}

/// The active review of a task, or none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActiveReview {
    /// Absent if the task is not in review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewOutput>,
    /// Whether there is one.
    pub active: bool,
}

impl Render for ActiveReview {
    fn view(&self) -> View {
        self.review
            .as_ref()
            .map_or_else(|| View::nothing("The task is not in review."), Render::view)
    }
}

/// A page of reviews, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewPage {
    pub reviews: Vec<ReviewOutput>,
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
        let rows = self.reviews.iter().map(ReviewOutput::row).collect();
        let view = View::default().table(columns, rows);
        if self.page.has_more {
            return more_line(view, self.reviews.len(), self.page.offset, None);
        }
        view
    }
}
