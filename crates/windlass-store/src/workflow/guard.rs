//! What other toolsets may do to a task, and the consequences. The rules are in the core; here is
//! what they need to know, and how a refusal reads.

use serde_json::json;
use windlass_core::workflow::{
    HelpStatus, OutsideChange, Phases, Refusal, ReviewAction, ReviewStatus, Standing, TaskAction,
};
use windlass_core::{
    Actor, Entity, EntityId, EntityType, Error, ErrorKind, EventType, Result, TaskStatus,
};

use super::gates::GateScope;
use super::lifecycle::status_of;
use crate::claims::claimed;
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// Who changes an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mover {
    /// An action of the lifecycle, which has checked the rules.
    Lifecycle,
    /// The lifecycle, giving work whose gates failed back; its review goes on.
    Return,
    /// The settlement after an import, which has looked at the review and the question itself.
    Settlement,
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

    /// Whether the task was ever submitted.
    pub fn was_submitted(&self, task: &EntityId) -> Result<bool> {
        self.connection()
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM reviews WHERE task = ?1)")
            .and_then(|mut statement| statement.query_row([task.as_str()], |row| row.get(0)))
            .stored()
    }

    /// Whether gates are attached to the task or to one of its ancestors.
    fn carries_gates(&self, task: &EntityId) -> Result<bool> {
        if !self.gates_of(&GateScope::Task(task.clone()))?.is_empty() {
            return Ok(true);
        }
        for ancestor in self.ancestors(task)? {
            if !self.gates_of(&GateScope::Task(ancestor.id))?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Writer<'_> {
    /// Whether the task becomes done by its review only: gates check it, or it was submitted before.
    pub fn is_reviewed(&self, task: &EntityId) -> Result<bool> {
        Ok(self.was_submitted(task)?
            || !self.effective_gates(task)?.is_empty()
            || self.process.has_gates_file())
    }

    fn standing(&self, task: &Entity) -> Result<Standing> {
        let is_held = self.claim_of(&task.id)?.is_some();
        Ok(Standing {
            status: status_of(task),
            reviewed: self.is_reviewed(&task.id)?,
            review: self.active_review(&task.id)?.map(|review| review.status),
            question: self.active_help(&task.id)?.is_some(),
            held_by_another: is_held && !self.holds(&self.origin.session, &task.id)?,
        })
    }

    /// Refuses a change of status that only the lifecycle may make.
    pub(crate) fn check_lifecycle(&self, before: &Entity, after: &Entity) -> Result<()> {
        if before.status() == after.status() {
            return Ok(());
        }
        let Some(wanted) = after.task_status() else {
            return Ok(());
        };
        self.check_outside(before, OutsideChange::SetStatus(wanted))?;
        reason_for(wanted).map_or(Ok(()), Err)
    }

    /// Refuses a status that requires a review or a help request if there is none.
    pub(crate) fn check_reason_for(&self, task: &Entity, wanted: TaskStatus) -> Result<()> {
        let exists = match wanted {
            TaskStatus::InReview => self.active_review(&task.id)?.is_some(),
            TaskStatus::AwaitingHuman => self.active_help(&task.id)?.is_some(),
            _ => true,
        };
        match reason_for(wanted) {
            Some(missing) if !exists => Err(missing),
            _ => Ok(()),
        }
    }

    /// Refuses to delete a task that is in review, or that carries gates.
    pub(crate) fn check_delete(&self, entity: &Entity) -> Result<()> {
        if entity.kind != EntityType::Task {
            return Ok(());
        }
        let own = !self
            .gates_of(&GateScope::Task(entity.id.clone()))?
            .is_empty();
        let passes_on = || -> Result<bool> {
            Ok(self.task_and_descendants(&entity.id)?.len() > 1
                && self.carries_gates(&entity.id)?)
        };
        let carries_gates = own || passes_on()?;
        self.check_outside(entity, OutsideChange::Delete { carries_gates })
    }

    /// Refuses to take a task out of a parent that brings gates.
    pub(crate) fn check_leave_parent(&self, task: &Entity, parent: &Entity) -> Result<()> {
        let brings_gates = self.carries_gates(&parent.id)?;
        self.check_outside(task, OutsideChange::LeaveParent { brings_gates })
    }

    pub(super) fn check_outside(&self, task: &Entity, change: OutsideChange) -> Result<()> {
        let checked = change.check(self.standing(task)?, self.origin.actor);
        checked.or_else(|refusal| Err(self.refused(task, change, refusal)?))
    }

    /// How a refusal reads.
    fn refused(&self, task: &Entity, change: OutsideChange, refusal: Refusal) -> Result<Error> {
        let number = task.number;
        Ok(match refusal {
            Refusal::QuestionOpen => {
                let help = self.active_help(&task.id)?;
                let (id, asked) = help.map_or_else(Default::default, |it| (it.id, it.number));
                Error::new(
                    ErrorKind::HelpOpen,
                    format!("Task {number} waits for a person's answer to help request {asked}"),
                )
                .with("help_id", id)
                .with("state", "awaiting_human")
                .with_hint("Wait until a person resumes the task, or cancel it with [[work_cancel]].")
            }
            Refusal::InReview(status) => {
                let review = self.active_review(&task.id)?;
                let (id, known) = review.map_or_else(Default::default, |it| (it.id, it.number));
                Error::new(
                    ErrorKind::ReviewActive,
                    format!("Task {number} is in review {known}, which is {}", status.name()),
                )
                .with("review_id", id)
                .with("state", status.name())
                .with_hint(match status {
                    ReviewStatus::GatesPending => {
                        "Its gates decide: fix what they report and submit it again with [[work_submit]], or give it back with [[focus.partial]] or [[focus.stuck]]."
                    }
                    ReviewStatus::AgentPending => {
                        "Its review decides: [[review_approve]] or [[review_request_changes]]."
                    }
                    _ => "A person decides; take other work meanwhile: [[task_next]].",
                })
            }
            Refusal::ReviewRequired => Error::new(
                ErrorKind::ReviewRequired,
                format!("Task {number} has gates or was submitted before: its review completes it"),
            )
            .with("state", status_of(task).name())
            .with_hint(match status_of(task) {
                TaskStatus::InProgress | TaskStatus::InReview => {
                    "Submit it with [[focus.done]] or [[work_submit]]; the gates run, and the answer says what comes next."
                }
                _ => "Begin it with [[focus.begin]], do the work, then call [[focus.done]].",
            }),
            Refusal::HeldByAnother => match self.claim_of(&task.id)? {
                Some((holder, until)) => claimed(task, &holder, &until)
                    .with_hint("Only the session that holds the task, or a person, can end it."),
                None => Error::internal("the claim has gone"),
            },
            Refusal::CarriesGates => {
                let what = match change {
                    OutsideChange::Delete { .. } => format!("Task {number} carries gates"),
                    _ => format!("Gates apply to task {number} through its parent"),
                };
                Error::new(
                    ErrorKind::CarriesGates,
                    format!("{what}: only a person may remove it"),
                )
                .with("id", task.id.as_str())
                .with_hint("Ask a person.")
            }
        })
    }

    /// Work whose gates failed and that nobody holds can be taken again.
    pub(crate) fn return_unheld(&self, id: &EntityId) -> Result<()> {
        let Some(task) = self.find_entity(id)? else {
            return Ok(());
        };
        let Some(review) = self.active_review(id)? else {
            return Ok(());
        };
        let open = || -> Result<bool> {
            let results = self.current_results(&review)?;
            Ok(results.iter().any(|result| result.status.is_open()))
        };
        if status_of(&task) == TaskStatus::InReview
            && review.here
            && review.status == ReviewStatus::GatesPending
            && self.claim_of(id)?.is_none()
            && !open()?
        {
            self.move_task(&task, TaskAction::Return, &[])?;
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
        mover: Mover,
    ) -> Result<()> {
        use TaskStatus as S;
        if mover == Mover::Settlement {
            return Ok(());
        }
        if old == S::AwaitingHuman
            && let Some(help) = self.active_help(&task.id)?
        {
            self.end_help(&help, HelpStatus::Cancelled, EventType::HelpCancelled)?;
        }
        if new == S::Done {
            self.pass_learnings_up(task)?;
        }
        let released = matches!(new, S::Draft | S::Pending | S::Blocked | S::AwaitingHuman);
        if released && self.may_release(&task.id)? {
            self.drop_claim(&task.id)?;
        }
        let held = matches!(old, S::InReview | S::AwaitingHuman);
        let stays = matches!(new, S::InReview | S::AwaitingHuman);
        let leaves = held && !stays && mover != Mover::Return;
        if (leaves || new.is_ended())
            && let Some(review) = self.active_review(&task.id)?
        {
            let more = json!({"because": new.name()});
            self.move_review(&review, ReviewAction::Withdraw, Phases::default(), more)?;
            self.cancel_gates(&review)?;
        }
        Ok(())
    }

    /// Whether the caller may release the claim on the task: a person, or the session that holds it.
    fn may_release(&self, task: &EntityId) -> Result<bool> {
        Ok(self.claim_of(task)?.is_some()
            && (self.origin.actor == Actor::Human || self.holds(&self.origin.session, task)?))
    }
}

/// What a status requires that only the lifecycle creates.
fn reason_for(wanted: TaskStatus) -> Option<Error> {
    let (missing, hint) = match wanted {
        TaskStatus::InReview => ("a review", "Submit the task with [[work_submit]]."),
        TaskStatus::AwaitingHuman => ("a help request", "Ask with [[help_request]]."),
        _ => return None,
    };
    let problem = format!("{} requires {missing}", wanted.name());
    Some(Error::validation("status", problem).with_hint(hint))
}
