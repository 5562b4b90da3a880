//! The lifecycle of a task, from pending to done.

use super::{invalid_transition, require_person};
use crate::{Actor, Dialect, Result, TaskStatus};

/// An action on a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskAction {
    Start,
    /// Continues a task that another session started and released.
    TakeOver,
    Submit,
    /// The gates failed, and the work is submitted again for the same review.
    Resubmit,
    /// The gates failed, and nobody holds the task: it can be taken again.
    Return,
    RequestChanges,
    /// The last phase of the review has passed.
    Complete,
    ForceComplete,
    RequestHelp,
    /// Help was given; the task returns to its previous status.
    Resume(TaskStatus),
    Cancel,
    SetStatus(TaskStatus),
}

impl TaskAction {
    /// Every action, with an example status where one is needed.
    pub const ALL: [Self; 12] = [
        Self::Start,
        Self::TakeOver,
        Self::Submit,
        Self::Resubmit,
        Self::Return,
        Self::RequestChanges,
        Self::Complete,
        Self::ForceComplete,
        Self::RequestHelp,
        Self::Resume(TaskStatus::InProgress),
        Self::Cancel,
        Self::SetStatus(TaskStatus::Pending),
    ];

    /// The name that people and models see.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start | Self::TakeOver => "start",
            Self::Submit | Self::Resubmit => "submit",
            Self::Return => "return",
            Self::RequestChanges => "request_changes",
            Self::Complete => "approve",
            Self::ForceComplete => "force_complete",
            Self::RequestHelp => "help.request",
            Self::Resume(_) => "help.resume",
            Self::Cancel => "cancel",
            Self::SetStatus(_) => "set_status",
        }
    }

    /// The name in a list of allowed actions, marked if only a person may take it.
    const fn name_in_list(self) -> &'static str {
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

    /// The status after the action, if it is allowed.
    const fn next_status(self, from: TaskStatus) -> Option<TaskStatus> {
        use TaskStatus as S;
        match (self, from) {
            (Self::Start, S::Draft | S::Pending) => Some(S::InProgress),
            (Self::TakeOver, S::InProgress) => Some(S::InProgress),
            (Self::Submit, S::InProgress) => Some(S::InReview),
            (Self::Resubmit, S::InReview) => Some(S::InReview),
            (Self::RequestChanges | Self::Return, S::InReview) => Some(S::InProgress),
            (Self::Complete | Self::ForceComplete, S::InReview) => Some(S::Done),
            (Self::RequestHelp, S::Draft | S::Pending | S::InProgress | S::InReview) => {
                Some(S::AwaitingHuman)
            }
            (Self::Resume(back), S::AwaitingHuman) => Some(back),
            // A skipped task counts as cancelled and keeps its status.
            (Self::Cancel, S::Skipped) => Some(S::Skipped),
            (Self::Cancel, S::Done) => None,
            (Self::Cancel, _) => Some(S::Cancelled),
            (Self::SetStatus(wanted), _) => Some(wanted),
            _ => None,
        }
    }

    /// The status after the action, or the reason why it is not allowed. `what` names the task:
    /// `task 7`.
    pub fn apply(self, what: &str, from: TaskStatus, actor: Actor) -> Result<TaskStatus> {
        let Some(next) = self.next_status(from) else {
            let state = Dialect::Sdk.status(from);
            return Err(invalid_transition(
                what,
                state,
                self.name(),
                &possible(from),
            ));
        };
        if self.is_for_people() {
            require_person(self.name(), actor)?;
        }
        Ok(next)
    }
}

/// The actions that a status allows, by name.
fn possible(from: TaskStatus) -> Vec<&'static str> {
    let mut names: Vec<&str> = TaskAction::ALL
        .into_iter()
        // These depend on more than the status.
        .filter(|action| {
            !matches!(
                action,
                TaskAction::TakeOver | TaskAction::Resubmit | TaskAction::Return
            )
        })
        .filter(|action| action.next_status(from).is_some())
        .map(TaskAction::name_in_list)
        .collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    /// The transition table of docs/contracts/workflow.md: the result of each action in each
    /// status.
    fn expected(action: TaskAction, from: TaskStatus) -> Option<TaskStatus> {
        use TaskStatus as S;
        let early = [S::Draft, S::Pending];
        match action {
            TaskAction::Start => early.contains(&from).then_some(S::InProgress),
            TaskAction::TakeOver => (from == S::InProgress).then_some(S::InProgress),
            TaskAction::Submit => (from == S::InProgress).then_some(S::InReview),
            TaskAction::Resubmit => (from == S::InReview).then_some(S::InReview),
            TaskAction::RequestChanges | TaskAction::Return => {
                (from == S::InReview).then_some(S::InProgress)
            }
            TaskAction::Complete | TaskAction::ForceComplete => {
                (from == S::InReview).then_some(S::Done)
            }
            TaskAction::RequestHelp => [S::Draft, S::Pending, S::InProgress, S::InReview]
                .contains(&from)
                .then_some(S::AwaitingHuman),
            TaskAction::Resume(back) => (from == S::AwaitingHuman).then_some(back),
            TaskAction::Cancel if from == S::Skipped => Some(S::Skipped),
            TaskAction::Cancel => (from != S::Done).then_some(S::Cancelled),
            TaskAction::SetStatus(to) => Some(to),
        }
    }

    #[test]
    fn every_status_and_action() {
        for from in TaskStatus::ALL {
            for action in TaskAction::ALL {
                let result = action.apply("task 7", from, Actor::Human);
                if let Some(to) = expected(action, from) {
                    assert_eq!(result, Ok(to), "{action:?} from {from:?}");
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
    fn agents_cannot_take_actions_reserved_for_people() {
        for from in TaskStatus::ALL {
            for action in TaskAction::ALL {
                let (person, agent) = (
                    action.apply("task 7", from, Actor::Human),
                    action.apply("task 7", from, Actor::Agent),
                );
                let reserved = matches!(
                    action.name(),
                    "force_complete" | "help.resume" | "set_status"
                );
                if reserved && person.is_ok() {
                    assert_eq!(
                        agent.unwrap_err().kind(),
                        ErrorKind::HumanOnly,
                        "{action:?}"
                    );
                } else {
                    assert_eq!(agent, person, "{action:?} from {from:?}");
                }
            }
        }
    }

    #[test]
    fn the_error_lists_the_allowed_actions() {
        let error = TaskAction::Submit
            .apply("task 7", TaskStatus::Pending, Actor::Agent)
            .unwrap_err();
        assert_eq!(error.message(), "Cannot submit task 7: it is pending");
        assert_eq!(
            error.hint(),
            Some(
                "It is pending; allowed actions: start, help.request, cancel, set_status (a person)."
            )
        );
    }
}
