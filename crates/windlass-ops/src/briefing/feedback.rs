//! What people and gates have said about the work so far.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::workflow::ReviewStatus;
use windlass_core::{Entity, Page, Result};
use windlass_store::{Comment, HelpFilter, Reader, ReviewFilter};

use super::Cut;
use crate::workflow::{GateFailure, failures_of};

/// How much of a gate's output is shown at most.
const TAIL: usize = 1_500;

/// What the last review found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Feedback {
    /// The number of the review.
    pub review: i64,
    /// changes_requested, or gates_pending if gates failed.
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The comments that are not resolved: where, who, what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub comments: Vec<String>,
    /// The gates that failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub gate_failures: Vec<GateFailure>,
}

/// A question and its answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Answered {
    pub question: String,
    pub answer: String,
}

/// `src/login.rs:7 (human): what`
fn line(comment: &Comment) -> String {
    let place = match (&comment.file_path, comment.line_start) {
        (Some(file), Some(line)) => format!("{file}:{line} "),
        (Some(file), None) => format!("{file} "),
        _ => String::new(),
    };
    format!("{place}({}): {}", comment.author, comment.body)
}

/// The questions about the task that were answered.
pub fn answers(reader: &Reader<'_>, task: &Entity) -> Result<Vec<Answered>> {
    let filter = HelpFilter {
        task: Some(task.id.clone()),
        status: None,
    };
    let page = Page {
        limit: 10,
        offset: 0,
    };
    let mut answered: Vec<Answered> = reader
        .help_requests(&filter, page)?
        .into_iter()
        .filter_map(|request| {
            let chosen = request
                .chosen_option
                .and_then(|at| usize::try_from(at).ok());
            let option = chosen.and_then(|at| request.suggested_options.get(at));
            let answer = match (option, &request.response) {
                (Some(option), Some(text)) if text != option => format!("{option}: {text}"),
                (Some(option), _) => option.clone(),
                (None, text) => text.clone()?,
            };
            Some(Answered {
                question: request.reason,
                answer,
            })
        })
        .collect();
    answered.reverse();
    Ok(answered)
}

impl Feedback {
    /// The feedback of the last review, if it asks for something.
    pub fn of(reader: &Reader<'_>, task: &Entity) -> Result<Option<Self>> {
        let filter = ReviewFilter {
            task: Some(task.id.clone()),
            ..ReviewFilter::default()
        };
        let newest = Page {
            limit: 1,
            offset: 0,
        };
        let Some(review) = reader.reviews(&filter, newest)?.into_iter().next() else {
            return Ok(None);
        };
        let failures = failures_of(reader, &review, None)?;
        let asks = match review.status {
            ReviewStatus::ChangesRequested => true,
            ReviewStatus::GatesPending | ReviewStatus::GatesEscalated => !failures.is_empty(),
            _ => false,
        };
        if !asks {
            return Ok(None);
        }
        let page = Page {
            limit: 50,
            offset: 0,
        };
        let comments = reader.comments(&review, true, page)?;
        Ok(Some(Self {
            review: review.number,
            status: review.status.name().to_owned(),
            summary: review.summary.clone(),
            comments: comments.iter().map(line).collect(),
            gate_failures: match review.status {
                ReviewStatus::ChangesRequested => Vec::new(),
                _ => failures,
            },
        }))
    }

    pub(super) fn within(mut self, cut: &mut Cut) -> Self {
        self.summary = cut.text(self.summary.as_deref());
        self.comments = cut.items(&self.comments);
        let tail = TAIL.min(cut.limits.text / 2);
        for failure in &mut self.gate_failures {
            failure.shorten(tail);
        }
        self
    }
}

impl Answered {
    pub(super) fn within(&self, cut: &mut Cut) -> Self {
        Self {
            question: cut.item(&self.question),
            answer: cut.item(&self.answer),
        }
    }
}
