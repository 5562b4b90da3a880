//! What other toolsets may do to a task that is in review or waits for an answer, and the
//! consequences.
//!
//! Only reviewers and people move such a task. An agent that sets its status or deletes it with
//! another tool is refused; otherwise the gates and the person's decision would have no effect. A
//! person may do so; the review is then withdrawn and the help request cancelled.

use serde_json::json;
use windlass_core::workflow::{HelpStatus, Phases, ReviewAction};
use windlass_core::{Actor, Entity, Error, ErrorKind, EventType, Result, TaskStatus};

use crate::reader::Reader;
use crate::writer::Writer;

/// Who changes an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mover {
    /// An action of the lifecycle, which has checked the rules.
    Lifecycle,
    Other,
}

impl Reader<'_> {
    /// Whether the lifecycle controls the task: it is in review, or waits for a person's answer.
    pub fn is_held(&self, task: &Entity) -> Result<bool> {
        let status = task.task_status();
        if !matches!(
            status,
            Some(TaskStatus::InReview | TaskStatus::AwaitingHuman)
        ) {
            return Ok(false);
        }
        Ok(self.active_help(&task.id)?.is_some() || self.active_review(&task.id)?.is_some())
    }
}

impl Writer<'_> {
    /// Refuses a change of status that only the lifecycle may make.
    pub(crate) fn check_lifecycle(&self, before: &Entity, after: &Entity) -> Result<()> {
        if before.status() == after.status() {
            return Ok(());
        }
        self.check_not_held(before)?;
        let wanted = after.task_status();
        wanted.map_or(Ok(()), |wanted| self.check_reason_for(before, wanted))
    }

    /// Refuses a status that requires a review or a help request if there is none.
    pub(crate) fn check_reason_for(&self, task: &Entity, wanted: TaskStatus) -> Result<()> {
        let (missing, hint) = match wanted {
            TaskStatus::InReview if self.active_review(&task.id)?.is_none() => {
                ("a review", "Submit the task with [[work_submit]].")
            }
            TaskStatus::AwaitingHuman if self.active_help(&task.id)?.is_none() => {
                ("a help request", "Ask with [[help_request]].")
            }
            _ => return Ok(()),
        };
        Err(
            Error::validation("status", format!("{} requires {missing}", wanted.name()))
                .with_hint(hint),
        )
    }

    /// Refuses a change by an agent that would take a task out of its review or its help request.
    pub(crate) fn check_not_held(&self, task: &Entity) -> Result<()> {
        if self.origin.actor == Actor::Human || !self.is_held(task)? {
            return Ok(());
        }
        if let Some(help) = self.active_help(&task.id)? {
            return Err(Error::new(
                ErrorKind::HelpOpen,
                format!(
                    "Task {} waits for a person's answer to help request {}",
                    task.number, help.number
                ),
            )
            .with("help_id", help.id.as_str())
            .with("state", "awaiting_human")
            .with_hint(
                "Wait until a person resumes the task, or cancel it with [[work_cancel]].",
            ));
        }
        if let Some(review) = self.active_review(&task.id)? {
            return Err(Error::new(
                ErrorKind::ReviewActive,
                format!(
                    "Task {} is in review {}, which is {}",
                    task.number,
                    review.number,
                    review.status.name()
                ),
            )
            .with("review_id", review.id.as_str())
            .with("state", review.status.name())
            .with_hint(
                "Its review decides: use [[review_approve]], [[review_request_changes]] or [[work_cancel]].",
            ));
        }
        Ok(())
    }

    /// After a task's status changed, with any tool: ends its review and its help request if they
    /// no longer apply.
    pub(crate) fn after_task_moved(
        &self,
        task: &Entity,
        old: TaskStatus,
        new: TaskStatus,
    ) -> Result<()> {
        use TaskStatus as S;
        if old == S::AwaitingHuman
            && let Some(help) = self.active_help(&task.id)?
        {
            self.end_help(&help, HelpStatus::Cancelled, EventType::HelpCancelled)?;
        }
        let held = matches!(old, S::InReview | S::AwaitingHuman);
        let stays = matches!(new, S::InReview | S::AwaitingHuman);
        if held
            && !stays
            && let Some(review) = self.active_review(&task.id)?
        {
            let more = json!({"because": new.name()});
            self.move_review(&review, ReviewAction::Withdraw, Phases::default(), more)?;
            self.cancel_gates(&review)?;
        }
        Ok(())
    }
}
