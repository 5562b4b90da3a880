//! The lifecycle of a review, from its gates to its approval.

use super::{invalid_transition, require_person};
use crate::{Actor, Result};

/// The state of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReviewStatus {
    /// Gates are running or waiting, or have failed with attempts left.
    GatesPending,
    /// A gate failed and has no attempts left; a person decides.
    GatesEscalated,
    AgentPending,
    HumanPending,
    Approved,
    ChangesRequested,
    /// The review ended without a decision: the task was cancelled, or a person set its status.
    Withdrawn,
}

/// Which review phases the project requires after the gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phases {
    pub agent: bool,
    pub human: bool,
}

impl Default for Phases {
    fn default() -> Self {
        Self {
            agent: true,
            human: true,
        }
    }
}

impl Phases {
    /// The status after all gates have passed.
    pub const fn after_gates(self) -> ReviewStatus {
        if self.agent {
            ReviewStatus::AgentPending
        } else {
            self.after_agent()
        }
    }

    const fn after_agent(self) -> ReviewStatus {
        if self.human {
            ReviewStatus::HumanPending
        } else {
            ReviewStatus::Approved
        }
    }
}

/// An event or action that changes a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewAction {
    GatesPassed,
    GatesExhausted,
    /// The work is submitted again, and all gates run again.
    Resubmit,
    /// Gates run again on the same work.
    Rerun,
    Approve,
    RequestChanges,
    ForceComplete,
    Withdraw,
}

impl ReviewStatus {
    pub const ALL: [Self; 7] = [
        Self::GatesPending,
        Self::GatesEscalated,
        Self::AgentPending,
        Self::HumanPending,
        Self::Approved,
        Self::ChangesRequested,
        Self::Withdrawn,
    ];

    pub const NAMES: [&'static str; 7] = [
        "gates_pending",
        "gates_escalated",
        "agent_pending",
        "human_pending",
        "approved",
        "changes_requested",
        "withdrawn",
    ];

    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == text)
    }

    /// Whether the review is still open. A task has at most one active review.
    pub const fn is_active(self) -> bool {
        !matches!(
            self,
            Self::Approved | Self::ChangesRequested | Self::Withdrawn
        )
    }
}

impl ReviewAction {
    pub const ALL: [Self; 8] = [
        Self::GatesPassed,
        Self::GatesExhausted,
        Self::Resubmit,
        Self::Rerun,
        Self::Approve,
        Self::RequestChanges,
        Self::ForceComplete,
        Self::Withdraw,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::GatesPassed => "pass the gates of",
            Self::GatesExhausted => "escalate the gates of",
            Self::Resubmit => "submit",
            Self::Rerun => "rerun",
            Self::Approve => "approve",
            Self::RequestChanges => "request_changes",
            Self::ForceComplete => "force_complete",
            Self::Withdraw => "cancel",
        }
    }

    fn next_status(self, from: ReviewStatus, actor: Actor, phases: Phases) -> Option<ReviewStatus> {
        use ReviewStatus as S;
        match (self, from) {
            (Self::GatesPassed, S::GatesPending) => Some(phases.after_gates()),
            (Self::GatesExhausted, S::GatesPending) => Some(S::GatesEscalated),
            (Self::Resubmit, S::GatesPending) => Some(S::GatesPending),
            (Self::Rerun, S::GatesPending | S::GatesEscalated) => Some(S::GatesPending),
            // A person accepts the work although a gate failed.
            (Self::Approve, S::GatesEscalated) => Some(phases.after_gates()),
            // A person's approval also covers the remaining phases.
            (Self::Approve, S::AgentPending) if actor == Actor::Human => Some(S::Approved),
            (Self::Approve, S::AgentPending) => Some(phases.after_agent()),
            (Self::Approve, S::HumanPending) => Some(S::Approved),
            (Self::RequestChanges, S::AgentPending | S::HumanPending | S::GatesEscalated) => {
                Some(S::ChangesRequested)
            }
            (Self::ForceComplete, from) if from.is_active() => Some(S::Approved),
            (Self::Withdraw, from) if from.is_active() => Some(S::Withdrawn),
            _ => None,
        }
    }

    const fn is_for_people(self, from: ReviewStatus) -> bool {
        use ReviewStatus as S;
        matches!(
            (self, from),
            (Self::ForceComplete, _)
                | (Self::Rerun, S::GatesEscalated)
                | (
                    Self::Approve | Self::RequestChanges,
                    S::GatesEscalated | S::HumanPending
                )
        )
    }

    /// The status after the action, or the reason why it is not allowed. `what` names the review:
    /// `review 3`.
    pub fn apply(
        self,
        what: &str,
        from: ReviewStatus,
        actor: Actor,
        phases: Phases,
    ) -> Result<ReviewStatus> {
        let Some(next) = self.next_status(from, actor, phases) else {
            let possible = possible(from);
            return Err(invalid_transition(what, from.name(), self.name(), possible));
        };
        if self.is_for_people(from) {
            require_person(self.name(), actor)?;
        }
        Ok(next)
    }
}

/// The allowed actions on a review, by operation name.
const fn possible(from: ReviewStatus) -> &'static [&'static str] {
    use ReviewStatus as S;
    match from {
        S::GatesPending => &[
            "submit (once a gate has failed)",
            "rerun",
            "cancel (a person)",
            "force_complete (a person)",
        ],
        S::GatesEscalated => &[
            "approve (a person)",
            "request_changes (a person)",
            "rerun (a person)",
            "cancel (a person)",
            "force_complete (a person)",
        ],
        S::AgentPending => &[
            "approve",
            "request_changes",
            "cancel (a person)",
            "force_complete (a person)",
        ],
        S::HumanPending => &[
            "approve (a person)",
            "request_changes (a person)",
            "cancel (a person)",
            "force_complete (a person)",
        ],
        S::Approved | S::ChangesRequested | S::Withdrawn => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    const BOTH: Phases = Phases {
        agent: true,
        human: true,
    };

    fn expected(
        action: ReviewAction,
        from: ReviewStatus,
        actor: Actor,
    ) -> Result<ReviewStatus, ErrorKind> {
        use ReviewStatus as S;
        let person = actor == Actor::Human;
        let only_people = |to: S| {
            if person {
                Ok(to)
            } else {
                Err(ErrorKind::HumanOnly)
            }
        };
        let refused = Err(ErrorKind::InvalidTransition);
        if matches!(from, S::Approved | S::ChangesRequested | S::Withdrawn) {
            return refused;
        }
        match action {
            ReviewAction::GatesPassed if from == S::GatesPending => Ok(S::AgentPending),
            ReviewAction::GatesExhausted if from == S::GatesPending => Ok(S::GatesEscalated),
            ReviewAction::Resubmit if from == S::GatesPending => Ok(S::GatesPending),
            ReviewAction::Rerun if from == S::GatesPending => Ok(S::GatesPending),
            ReviewAction::Rerun if from == S::GatesEscalated => only_people(S::GatesPending),
            ReviewAction::Approve => match from {
                S::GatesEscalated => only_people(S::AgentPending),
                S::AgentPending if person => Ok(S::Approved),
                S::AgentPending => Ok(S::HumanPending),
                S::HumanPending => only_people(S::Approved),
                _ => refused,
            },
            ReviewAction::RequestChanges => match from {
                S::AgentPending => Ok(S::ChangesRequested),
                S::HumanPending | S::GatesEscalated => only_people(S::ChangesRequested),
                _ => refused,
            },
            ReviewAction::ForceComplete => only_people(S::Approved),
            ReviewAction::Withdraw => Ok(S::Withdrawn),
            _ => refused,
        }
    }

    #[test]
    fn every_status_action_and_actor() {
        for from in ReviewStatus::ALL {
            for action in ReviewAction::ALL {
                for actor in [Actor::Human, Actor::Agent] {
                    let result = action.apply("review 3", from, actor, BOTH);
                    if let Err(error) = &result
                        && error.kind() == ErrorKind::InvalidTransition
                    {
                        assert!(error.message().contains(from.name()), "{error}");
                        assert!(error.hint().is_some(), "{error}");
                    }
                    let kinds = result.map_err(|error| error.kind());
                    assert_eq!(
                        kinds,
                        expected(action, from, actor),
                        "{action:?} {from:?} {actor:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn disabled_phases_are_skipped() {
        use ReviewStatus as S;
        for (agent, human, gates, approval) in [
            (true, true, S::AgentPending, S::HumanPending),
            (true, false, S::AgentPending, S::Approved),
            (false, true, S::HumanPending, S::HumanPending),
            (false, false, S::Approved, S::Approved),
        ] {
            let phases = Phases { agent, human };
            let agent = Actor::Agent;
            let passed = ReviewAction::GatesPassed.apply("r", S::GatesPending, agent, phases);
            assert_eq!(passed, Ok(gates));
            let approved = ReviewAction::Approve.apply("r", S::AgentPending, agent, phases);
            assert_eq!(approved, Ok(approval));
        }
    }

    #[test]
    fn names_parse_back() {
        for status in ReviewStatus::ALL {
            assert_eq!(ReviewStatus::parse(status.name()), Some(status));
        }
        assert_eq!(ReviewStatus::parse("nonsense"), None);
    }
}
