use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::Result;
use windlass_core::workflow::{GateStatus, ReviewStatus};
use windlass_store::{Reader, Review};

use super::result::GateFailure;
use super::review::ReviewOutput;
use crate::view::{Render, Span, Style, View};

/// The result of a submission.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Submitted {
    pub review: ReviewOutput,
    /// The gates that failed, each with the end of its output.
    pub gate_failures: Vec<GateFailure>,
    /// What to do next: fix_and_resubmit, wait, wait_for_human, get_review, nothing.
    pub action_required: String,
    /// Whether a person has to decide, because all attempts of a gate failed.
    pub escalated_to_human: bool,
    /// What happens next, in a sentence.
    pub message: String,
}

/// The gates of a review whose last attempt failed, with as much of their output as fits.
pub fn failures_of(
    reader: &Reader<'_>,
    review: &Review,
    budget: Option<usize>,
) -> Result<Vec<GateFailure>> {
    let mut failures = Vec::new();
    for result in reader.current_results(review)? {
        if result.status.is_failure() {
            let failed = reader.failed_attempts(&review.id, &result.gate)?;
            failures.push(GateFailure::new(result, failed));
        }
    }
    if let Some(budget) = budget {
        let each = budget / (4 * failures.len().max(1));
        for failure in &mut failures {
            failure.shorten(each);
        }
    }
    Ok(failures)
}

impl Submitted {
    pub fn read(reader: &Reader<'_>, review: Review, budget: Option<usize>) -> Result<Self> {
        let results = reader.current_results(&review)?;
        let open = results.iter().any(|it| it.status.is_open());
        let waits = results
            .iter()
            .find(|it| it.status == GateStatus::Waiting)
            .map(|it| it.message.clone().unwrap_or_default());
        // Once the gates are settled, earlier failures do not matter.
        let failures = match review.status {
            ReviewStatus::GatesPending if open => Vec::new(),
            ReviewStatus::GatesPending | ReviewStatus::GatesEscalated => {
                failures_of(reader, &review, budget)?
            }
            _ => Vec::new(),
        };
        let (action, message) = match review.status {
            ReviewStatus::GatesPending => match (waits, open) {
                (Some(why), _) => ("wait_for_human", why),
                (None, true) => (
                    "wait",
                    "The gates are running; gate_results shows their progress.".to_owned(),
                ),
                (None, false) => (
                    "fix_and_resubmit",
                    "Gates failed: fix what they report and submit the work again.".to_owned(),
                ),
            },
            ReviewStatus::GatesEscalated => (
                "wait_for_human",
                "All attempts of a gate failed: a person decides what happens next.".to_owned(),
            ),
            ReviewStatus::AgentPending => (
                "get_review",
                "The gates are settled; another session reviews the work, or a person.".to_owned(),
            ),
            ReviewStatus::HumanPending => (
                "wait_for_human",
                "A person reviews the work: windlass reviews show, windlass reviews approve."
                    .to_owned(),
            ),
            ReviewStatus::Approved => ("nothing", "The work is approved and done.".to_owned()),
            ReviewStatus::ChangesRequested => (
                "fix_and_resubmit",
                "Changes were requested: see the comments of the review.".to_owned(),
            ),
            ReviewStatus::Withdrawn => ("nothing", "The review was withdrawn.".to_owned()),
        };
        Ok(Self {
            escalated_to_human: review.status == ReviewStatus::GatesEscalated,
            gate_failures: failures,
            action_required: action.to_owned(),
            message,
            review: ReviewOutput::read(reader, review)?,
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

    fn unsuccessful(&self) -> bool {
        !self.gate_failures.is_empty()
    }
}
