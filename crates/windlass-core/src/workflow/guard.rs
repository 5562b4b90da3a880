//! What may be done to a task outside of its lifecycle: a status set by another tool, a deletion, a
//! change of its parent.
//!
//! Gates and reviews have no effect if there is a way around them. A task that gates check, or that
//! was ever submitted, therefore becomes done by its review only; and an agent cannot end a review,
//! or remove what carries the gates.

use super::ReviewStatus;
use crate::{Actor, TaskStatus};

/// What is known about a task when something outside of its lifecycle is to change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub status: TaskStatus,
    /// Whether gates check its work, or it was submitted before.
    pub reviewed: bool,
    /// The status of its active review.
    pub review: Option<ReviewStatus>,
    /// Whether a question about it waits for a person.
    pub question: bool,
    /// Whether a session other than the caller's holds it.
    pub held_by_another: bool,
}

/// A change from outside of the lifecycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideChange {
    SetStatus(TaskStatus),
    Cancel,
    /// Whether gates are attached to the task, or reach its subtasks through it.
    Delete {
        carries_gates: bool,
    },
    /// Whether gates reach the task through that parent.
    LeaveParent {
        brings_gates: bool,
    },
}

/// Why a change is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A person has to answer first.
    QuestionOpen,
    /// The review decides.
    InReview(ReviewStatus),
    /// It becomes done by a review only.
    ReviewRequired,
    /// Another session holds it.
    HeldByAnother,
    /// Only a person removes what carries gates.
    CarriesGates,
}

impl OutsideChange {
    /// Whether the change is allowed.
    pub fn check(self, standing: Standing, actor: Actor) -> Result<(), Refusal> {
        let agent = actor == Actor::Agent;
        let moves = match self {
            Self::SetStatus(wanted) => wanted != standing.status,
            _ => true,
        };
        if !moves {
            return Ok(());
        }
        // A person may; the review is then withdrawn and the question closed.
        if agent && !matches!(self, Self::LeaveParent { .. }) {
            let waits = standing.status == TaskStatus::AwaitingHuman && standing.question;
            if waits && self != Self::Cancel {
                return Err(Refusal::QuestionOpen);
            }
            if let Some(review) = standing.review
                && self.leaves(standing.status)
            {
                return Err(Refusal::InReview(review));
            }
        }
        match self {
            Self::SetStatus(TaskStatus::Done) if standing.reviewed => Err(Refusal::ReviewRequired),
            Self::SetStatus(wanted) if agent && wanted.is_ended() && standing.held_by_another => {
                Err(Refusal::HeldByAnother)
            }
            Self::Cancel if agent && standing.held_by_another => Err(Refusal::HeldByAnother),
            Self::Delete {
                carries_gates: true,
            }
            | Self::LeaveParent { brings_gates: true }
                if agent =>
            {
                Err(Refusal::CarriesGates)
            }
            _ => Ok(()),
        }
    }

    /// Whether a task with an active review would no longer be decided by it. A task whose gates
    /// failed is in progress while someone works on it; that work may be given back.
    const fn leaves(self, status: TaskStatus) -> bool {
        match self {
            Self::Cancel | Self::Delete { .. } => true,
            Self::SetStatus(wanted) => {
                matches!(status, TaskStatus::InReview | TaskStatus::AwaitingHuman)
                    || wanted.is_ended()
            }
            Self::LeaveParent { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standings() -> Vec<Standing> {
        let mut all = Vec::new();
        for status in TaskStatus::ALL {
            for reviewed in [false, true] {
                for review in ReviewStatus::ALL.into_iter().map(Some).chain([None]) {
                    for question in [false, true] {
                        for held_by_another in [false, true] {
                            if review.is_some_and(|review| !review.is_active()) {
                                continue;
                            }
                            all.push(Standing {
                                status,
                                reviewed,
                                review,
                                question,
                                held_by_another,
                            });
                        }
                    }
                }
            }
        }
        all
    }

    fn changes() -> Vec<OutsideChange> {
        let mut all: Vec<OutsideChange> = TaskStatus::ALL
            .into_iter()
            .map(OutsideChange::SetStatus)
            .collect();
        all.push(OutsideChange::Cancel);
        for flag in [false, true] {
            all.push(OutsideChange::Delete {
                carries_gates: flag,
            });
            all.push(OutsideChange::LeaveParent { brings_gates: flag });
        }
        all
    }

    /// Every state, change and actor: what must never be possible.
    #[test]
    fn no_way_around_a_review() {
        for standing in standings() {
            for change in changes() {
                let context = format!("{change:?} of {standing:?}");
                let agent = change.check(standing, Actor::Agent);
                let person = change.check(standing, Actor::Human);
                if agent.is_ok() {
                    assert!(person.is_ok(), "an agent may and a person not: {context}");
                }
                let moves = change != OutsideChange::SetStatus(standing.status);
                match change {
                    OutsideChange::SetStatus(TaskStatus::Done) if moves && standing.reviewed => {
                        assert!(agent.is_err() && person.is_err(), "{context}");
                    }
                    OutsideChange::Cancel | OutsideChange::Delete { .. }
                        if standing.review.is_some() =>
                    {
                        assert!(agent.is_err(), "{context}");
                        assert!(person.is_ok(), "{context}");
                    }
                    OutsideChange::SetStatus(_)
                        if moves
                            && standing.review.is_some()
                            && standing.status == TaskStatus::InReview =>
                    {
                        assert!(agent.is_err(), "{context}");
                    }
                    OutsideChange::LeaveParent { brings_gates: true }
                    | OutsideChange::Delete {
                        carries_gates: true,
                    } => assert!(agent.is_err() && person.is_ok(), "{context}"),
                    OutsideChange::SetStatus(wanted)
                        if moves && wanted.is_ended() && standing.held_by_another =>
                    {
                        assert!(agent.is_err(), "{context}");
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn a_task_without_gates_is_free() {
        let free = Standing {
            status: TaskStatus::InProgress,
            reviewed: false,
            review: None,
            question: false,
            held_by_another: false,
        };
        for change in changes() {
            let guarded = matches!(
                change,
                OutsideChange::Delete {
                    carries_gates: true
                } | OutsideChange::LeaveParent { brings_gates: true }
            );
            assert_eq!(change.check(free, Actor::Agent).is_ok(), !guarded);
        }
    }

    #[test]
    fn work_whose_gates_failed_can_be_given_back() {
        let failed = Standing {
            status: TaskStatus::InProgress,
            reviewed: true,
            review: Some(ReviewStatus::GatesPending),
            question: false,
            held_by_another: false,
        };
        let back = OutsideChange::SetStatus(TaskStatus::Pending);
        assert_eq!(back.check(failed, Actor::Agent), Ok(()));
        let done = OutsideChange::SetStatus(TaskStatus::Done);
        assert!(done.check(failed, Actor::Agent).is_err());
    }
}
