//! How a task goes from pending to done.

use super::{not_possible, people_only};
use crate::{Actor, Dialect, Result, TaskStatus};

/// What someone wants to do with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskAct {
    Start,
    /// Someone takes over what another session began and let go.
    TakeOver,
    Submit,
    /// The gates failed, and the work is handed in once more for the same review.
    Resubmit,
    RequestChanges,
    /// The last phase of its review was passed.
    Complete,
    ForceComplete,
    RequestHelp,
    /// Help was given; the task goes back to where it was.
    Resume(TaskStatus),
    Cancel,
    SetStatus(TaskStatus),
}

impl TaskAct {
    /// Every act, with a place to go where one is needed.
    pub const ALL: [Self; 11] = [
        Self::Start,
        Self::TakeOver,
        Self::Submit,
        Self::Resubmit,
        Self::RequestChanges,
        Self::Complete,
        Self::ForceComplete,
        Self::RequestHelp,
        Self::Resume(TaskStatus::InProgress),
        Self::Cancel,
        Self::SetStatus(TaskStatus::Pending),
    ];

    /// What the act is called towards people and models.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start | Self::TakeOver => "start",
            Self::Submit | Self::Resubmit => "submit",
            Self::RequestChanges => "request_changes",
            Self::Complete => "approve",
            Self::ForceComplete => "force_complete",
            Self::RequestHelp => "help.request",
            Self::Resume(_) => "help.resume",
            Self::Cancel => "cancel",
            Self::SetStatus(_) => "set_status",
        }
    }

    /// The same in a list of what is possible, which says what only people do.
    const fn offer(self) -> &'static str {
        match self {
            Self::ForceComplete => "force_complete (a person)",
            Self::Resume(_) => "help.resume (a person)",
            Self::SetStatus(_) => "set_status (a person)",
            other => other.name(),
        }
    }

    const fn is_for_people(self) -> bool {
        matches!(
            self,
            Self::ForceComplete | Self::Resume(_) | Self::SetStatus(_)
        )
    }

    /// The status after the act, where it is possible.
    const fn leads_to(self, from: TaskStatus) -> Option<TaskStatus> {
        use TaskStatus as S;
        match (self, from) {
            (Self::Start, S::Draft | S::Pending) => Some(S::InProgress),
            (Self::TakeOver, S::InProgress) => Some(S::InProgress),
            (Self::Submit, S::InProgress) => Some(S::InReview),
            (Self::Resubmit, S::InReview) => Some(S::InReview),
            (Self::RequestChanges, S::InReview) => Some(S::InProgress),
            (Self::Complete | Self::ForceComplete, S::InReview) => Some(S::Done),
            (Self::RequestHelp, S::Draft | S::Pending | S::InProgress | S::InReview) => {
                Some(S::AwaitingHuman)
            }
            (Self::Resume(back), S::AwaitingHuman) => Some(back),
            // What was skipped counts as cancelled and stays as it is.
            (Self::Cancel, S::Skipped) => Some(S::Skipped),
            (Self::Cancel, S::Done) => None,
            (Self::Cancel, _) => Some(S::Cancelled),
            (Self::SetStatus(wanted), _) => Some(wanted),
            _ => None,
        }
    }

    /// The status after the act, or why it cannot be done. `what` names the task: `task 7`.
    pub fn apply(self, what: &str, from: TaskStatus, actor: Actor) -> Result<TaskStatus> {
        let Some(next) = self.leads_to(from) else {
            let state = Dialect::Sdk.status(from);
            return Err(not_possible(what, state, self.name(), &possible(from)));
        };
        if self.is_for_people() {
            people_only(self.name(), actor)?;
        }
        Ok(next)
    }
}

/// The acts that are possible from a status, by name.
fn possible(from: TaskStatus) -> Vec<&'static str> {
    let mut names: Vec<&str> = TaskAct::ALL
        .into_iter()
        // Taking over and handing in again depend on more than the status.
        .filter(|act| !matches!(act, TaskAct::TakeOver | TaskAct::Resubmit))
        .filter(|act| act.leads_to(from).is_some())
        .map(TaskAct::offer)
        .collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    /// The table of the design: what each act does from each status.
    fn expected(act: TaskAct, from: TaskStatus) -> Option<TaskStatus> {
        use TaskStatus as S;
        let early = [S::Draft, S::Pending];
        match act {
            TaskAct::Start => early.contains(&from).then_some(S::InProgress),
            TaskAct::TakeOver => (from == S::InProgress).then_some(S::InProgress),
            TaskAct::Submit => (from == S::InProgress).then_some(S::InReview),
            TaskAct::Resubmit => (from == S::InReview).then_some(S::InReview),
            TaskAct::RequestChanges => (from == S::InReview).then_some(S::InProgress),
            TaskAct::Complete | TaskAct::ForceComplete => (from == S::InReview).then_some(S::Done),
            TaskAct::RequestHelp => [S::Draft, S::Pending, S::InProgress, S::InReview]
                .contains(&from)
                .then_some(S::AwaitingHuman),
            TaskAct::Resume(back) => (from == S::AwaitingHuman).then_some(back),
            TaskAct::Cancel if from == S::Skipped => Some(S::Skipped),
            TaskAct::Cancel => (from != S::Done).then_some(S::Cancelled),
            TaskAct::SetStatus(to) => Some(to),
        }
    }

    #[test]
    fn every_status_and_act() {
        for from in TaskStatus::ALL {
            for act in TaskAct::ALL {
                let result = act.apply("task 7", from, Actor::Human);
                if let Some(to) = expected(act, from) {
                    assert_eq!(result, Ok(to), "{act:?} from {from:?}");
                    continue;
                }
                let error = result.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidTransition);
                let state = Dialect::Sdk.status(from);
                assert!(error.message().contains(state), "{error}");
                assert_eq!(error.data()["state"], state);
                assert!(error.hint().is_some_and(|hint| hint.contains(state)));
            }
        }
    }

    #[test]
    fn agents_are_refused_what_people_decide() {
        for from in TaskStatus::ALL {
            for act in TaskAct::ALL {
                let (person, agent) = (
                    act.apply("task 7", from, Actor::Human),
                    act.apply("task 7", from, Actor::Agent),
                );
                let reserved =
                    matches!(act.name(), "force_complete" | "help.resume" | "set_status");
                if reserved && person.is_ok() {
                    assert_eq!(agent.unwrap_err().kind(), ErrorKind::HumanOnly, "{act:?}");
                } else {
                    assert_eq!(agent, person, "{act:?} from {from:?}");
                }
            }
        }
    }

    #[test]
    fn the_error_says_what_is_possible() {
        let error = TaskAct::Submit
            .apply("task 7", TaskStatus::Pending, Actor::Agent)
            .unwrap_err();
        assert_eq!(error.message(), "Cannot submit task 7: it is pending");
        assert_eq!(
            error.hint(),
            Some(
                "It is pending; possible from there: start, help.request, cancel, set_status (a person)."
            )
        );
    }
}
