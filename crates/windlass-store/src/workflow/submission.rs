//! Submitting work: the first time, again after failed gates, and running gates again.

use serde_json::json;
use windlass_core::workflow::{GateStatus, Phases, ReviewAction, ReviewStatus, TaskAction};
use windlass_core::{Actor, Entity, EntityId, Error, ErrorKind, EventType, Result, TaskStatus};

use super::gates::EffectiveGate;
use super::lifecycle::{WorkPlace, status_of};
use super::reviews::Review;
use crate::claims::claimed;
use crate::writer::Writer;

/// The input of a submission.
#[derive(Debug, Clone)]
pub struct Submission {
    /// The id of the repository in which the gates run.
    pub repo: String,
    pub place: WorkPlace,
    /// The gates of the repository's gates file. The added ones are in the store.
    pub file_gates: Vec<EffectiveGate>,
    pub phases: Phases,
}

impl Writer<'_> {
    /// Submits the work: creates a review or, if gates failed, continues the active one.
    pub fn submit_task(&self, id: &EntityId, submission: &Submission) -> Result<Review> {
        let task = self.work_item(id)?;
        self.check_holder(&task)?;
        let mut gates = submission.file_gates.clone();
        gates.extend(self.effective_gates(id)?);
        let fields = [("submit_commit", submission.place.commit.clone())];
        let active = self.active_review(id)?;
        let again = match status_of(&task) {
            TaskStatus::InReview => Some(TaskAction::Resubmit),
            // Its gates failed, and it was given back or taken over since.
            TaskStatus::InProgress
                if active
                    .as_ref()
                    .is_some_and(|review| review.status == ReviewStatus::GatesPending) =>
            {
                Some(TaskAction::Submit)
            }
            _ => None,
        };
        let review = match (again, active) {
            (Some(action), Some(review)) => {
                let resubmitted = self.resubmit(&task, &review, &gates, submission)?;
                self.move_task(&task, action, &fields)?;
                resubmitted
            }
            (_, stale) => {
                let status = if gates.is_empty() {
                    submission.phases.after_gates()
                } else {
                    ReviewStatus::GatesPending
                };
                self.move_task(&task, TaskAction::Submit, &fields)?;
                if let Some(stale) = stale {
                    // Remains if another clone took the task out of its review.
                    let more = json!({"because": "submitted again"});
                    self.move_review(&stale, ReviewAction::Withdraw, submission.phases, more)?;
                    self.cancel_gates(&stale)?;
                }
                let more = json!({"commit": submission.place.commit});
                self.task_event(EventType::TaskSubmitted, &task, more)?;
                self.create_review(&task, submission, status)?
            }
        };
        if review.status == ReviewStatus::GatesPending {
            for (position, gate) in gates.iter().enumerate() {
                self.queue_gate(&review, gate, position)?;
            }
            return self.settle_gates(&review, submission.phases);
        }
        self.complete_if_approved(&review)?;
        // Others decide from now on.
        self.drop_claim(id)?;
        Ok(review)
    }

    /// An agent submits only what no other session holds.
    fn check_holder(&self, task: &Entity) -> Result<()> {
        if self.origin.actor == Actor::Agent
            && let Some((holder, until)) = self.claim_of(&task.id)?
            && !self.holds(&self.origin.session, &task.id)?
        {
            return Err(claimed(task, &holder, &until)
                .with_hint("Only the session that holds the task can submit it."));
        }
        Ok(())
    }

    /// The same review again with all its gates: the work has changed.
    fn resubmit(
        &self,
        task: &Entity,
        review: &Review,
        gates: &[EffectiveGate],
        submission: &Submission,
    ) -> Result<Review> {
        // An attempt that waits for a person has not started, so it can be queued again.
        let under_way = self
            .current_results(review)?
            .iter()
            .any(|it| it.status.is_open() && it.status != GateStatus::Waiting);
        if review.status == ReviewStatus::GatesPending && under_way {
            return Err(Error::new(
                ErrorKind::ReviewActive,
                format!("The gates of review {} have not finished", review.number),
            )
            .with("review_id", review.id.as_str())
            .with("state", review.status.name())
            .with_hint("Wait for them; use [[gate_results]] to see their state."));
        }
        let phases = submission.phases;
        ReviewAction::Resubmit.apply(&review.what(), review.status, self.origin.actor, phases)?;
        self.cancel_gates(review)?;
        self.set_review_round(review, review.round + 1, submission)?;
        self.task_event(
            EventType::TaskSubmitted,
            task,
            json!({"round": review.round + 1}),
        )?;
        let more = json!({"gates": gates.len()});
        self.move_review(review, ReviewAction::Resubmit, phases, more)
    }

    /// Runs gates of a review again: the named one, or all that failed.
    pub fn rerun_gates(&self, text: &str, gate: Option<&str>, phases: Phases) -> Result<Review> {
        let review = self.review(text)?;
        check_here(&review)?;
        ReviewAction::Rerun.apply(&review.what(), review.status, self.origin.actor, phases)?;
        let current = self.current_results(&review)?;
        let wanted: Vec<_> = match gate {
            None => current.iter().filter(|it| it.status.is_failure()).collect(),
            Some(name) => current
                .iter()
                .filter(|it| it.gate == name || it.definition.name == name)
                .collect(),
        };
        if wanted.is_empty() {
            let message = match gate {
                Some(name) => format!("Review {} has no gate \"{name}\"", review.number),
                None => format!("No gate of review {} has failed", review.number),
            };
            return Err(Error::new(ErrorKind::GateNotFound, message)
                .with_hint("Use [[gate_results]] to see the gates of a review."));
        }
        if let Some(open) = wanted.iter().find(|it| it.status.is_open()) {
            return Err(Error::new(
                ErrorKind::ReviewActive,
                format!(
                    "Gate \"{}\" has not finished: it is {}",
                    open.definition.name,
                    open.status.name()
                ),
            )
            .with("state", open.status.name()));
        }
        let task = self.work_item(&review.task)?;
        if !matches!(
            status_of(&task),
            TaskStatus::InReview | TaskStatus::AwaitingHuman
        ) {
            // Its gates failed, and it was given back since.
            self.check_holder(&task)?;
            self.move_task(&task, TaskAction::Submit, &[])?;
        }
        let again: Vec<(usize, EffectiveGate)> = current
            .iter()
            .enumerate()
            .filter(|(_, it)| wanted.contains(it))
            .map(|(at, it)| (at, it.as_gate()))
            .collect();
        let more = json!({"gates": again.len()});
        let moved = self.move_review(&review, ReviewAction::Rerun, phases, more)?;
        for (position, gate) in &again {
            self.queue_gate(&moved, gate, *position)?;
        }
        Ok(moved)
    }
}

/// The gates of what another clone submitted are known there only.
fn check_here(review: &Review) -> Result<()> {
    if review.here {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::GateNotFound,
        format!(
            "The work of review {} was submitted on another clone, and its gates run there",
            review.number
        ),
    )
    .with("review_id", review.id.as_str())
    .with_hint("Submit the work here with [[work_submit]]: the gates of this clone then run."))
}
