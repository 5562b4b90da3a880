//! The actions that move a task from start to end, each in one transaction.

use serde_json::{Value as Json, json};
use windlass_core::workflow::{OutsideChange, Phases, ReviewAction, ReviewStatus, TaskAction};
use windlass_core::{
    Dialect, Entity, EntityId, EntityType, Error, ErrorKind, EventType, Patch, Result, TaskStatus,
};

use super::comments::NewComment;
use super::guard::Mover;
use super::reviews::Review;
use crate::writer::Writer;

/// The commit and branch where work begins or is submitted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkPlace {
    pub commit: Option<String>,
    pub branch: Option<String>,
    /// Identifies the content of all files, committed or not.
    pub tree: Option<String>,
}

pub(super) fn what(task: &Entity) -> String {
    format!("task {}", task.number)
}

pub(super) fn status_of(task: &Entity) -> TaskStatus {
    task.task_status().unwrap_or(TaskStatus::Pending)
}

impl Writer<'_> {
    /// The task with that id; refuses other entities.
    pub(super) fn work_item(&self, id: &EntityId) -> Result<Entity> {
        let entity = self.entity(id)?;
        if entity.kind == EntityType::Task {
            return Ok(entity);
        }
        Err(Error::validation(
            "id",
            format!(
                "entity {} is a {}, not a task",
                entity.number,
                entity.kind.name()
            ),
        ))
    }

    /// Moves a task according to the rules, and sets the fields that belong to the action.
    pub(super) fn move_task(
        &self,
        task: &Entity,
        action: TaskAction,
        managed: &[(&'static str, Option<String>)],
    ) -> Result<Entity> {
        let next = action.apply(&what(task), status_of(task), self.origin.actor)?;
        let mut patch = Patch::default();
        patch.managed.insert("status", Some(next.name().to_owned()));
        patch.managed.extend(managed.iter().cloned());
        let mover = match action {
            TaskAction::Return => Mover::Return,
            _ => Mover::Lifecycle,
        };
        self.update_by(&task.id, &patch, Dialect::Sdk, mover)
    }

    pub(super) fn task_event(&self, kind: EventType, task: &Entity, more: Json) -> Result<()> {
        let mut payload = json!({"number": task.number, "title": task.title});
        if let (Some(all), Json::Object(more)) = (payload.as_object_mut(), more) {
            all.extend(more);
        }
        self.record_event(kind, Some((&task.id, EntityType::Task)), &payload)
    }

    /// Records an event about a task that was created or changed through the lifecycle's
    /// operations.
    pub fn record_task_event(&self, kind: EventType, task: &Entity, more: Json) -> Result<()> {
        self.task_event(kind, task, more)
    }

    /// Starts the work, or continues what another session released, and claims the task.
    pub fn start_task(&self, id: &EntityId, place: &WorkPlace) -> Result<Entity> {
        self.start_task_for(id, &self.origin.session, None, place)
    }

    /// The same for another session than the caller's.
    pub fn start_task_for(
        &self,
        id: &EntityId,
        session: &str,
        lease_seconds: Option<u32>,
        place: &WorkPlace,
    ) -> Result<Entity> {
        let task = self.work_item(id)?;
        let holder = self.claim_of(id)?;
        let held_here = holder.as_ref().is_some_and(|(owner, _)| owner == session);
        let taken_over = status_of(&task) == TaskStatus::InProgress && !held_here;
        let action = if taken_over {
            TaskAction::TakeOver
        } else {
            TaskAction::Start
        };
        action.apply(&what(&task), status_of(&task), self.origin.actor)?;
        self.check_unblocked(&task)?;
        // Refuses a task that another session holds.
        self.claim(id, session, lease_seconds)?;
        let fields: &[(&'static str, Option<String>)] = if taken_over {
            &[]
        } else {
            &[
                ("start_commit", place.commit.clone()),
                ("start_branch", place.branch.clone()),
                ("start_tree", place.tree.clone()),
            ]
        };
        let started = self.move_task(&task, action, fields)?;
        let more = json!({
            "session": session,
            "commit": place.commit,
            "branch": place.branch,
            "taken_over": taken_over,
        });
        self.task_event(EventType::TaskStarted, &started, more)?;
        Ok(started)
    }

    fn check_unblocked(&self, task: &Entity) -> Result<()> {
        let blockers = self.open_blockers(&task.id)?;
        if blockers.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = blockers
            .iter()
            .map(|blocker| {
                let status = Dialect::Sdk.status(blocker.status);
                format!("#{} {} ({status})", blocker.number, blocker.title)
            })
            .collect();
        let numbers: Vec<i64> = blockers.iter().map(|blocker| blocker.number).collect();
        Err(Error::new(
            ErrorKind::TaskBlocked,
            format!("Task {} is blocked by {}", task.number, names.join(", ")),
        )
        .with("state", Dialect::Sdk.status(status_of(task)))
        .with("blocked_by", numbers)
        .with_hint("Do those first, or remove the relation with work_unblock; use work_next_ready to find a task that can be done now."))
    }

    /// A reviewer approves.
    pub fn approve_review(&self, text: &str, phases: Phases) -> Result<Review> {
        let review = self.review(text)?;
        let task = self.work_item(&review.task)?;
        ReviewAction::Approve.apply(&review.what(), review.status, self.origin.actor, phases)?;
        TaskAction::Complete.apply(&what(&task), status_of(&task), self.origin.actor)?;
        self.check_other_session(&review)?;
        let moved = self.move_review(&review, ReviewAction::Approve, phases, json!({}))?;
        self.complete_if_approved(&moved)?;
        Ok(moved)
    }

    /// A reviewer requests changes: the review ends and the task is in progress again.
    pub fn request_changes(
        &self,
        text: &str,
        comments: &[NewComment],
        summary: Option<&str>,
    ) -> Result<Review> {
        let review = self.review(text)?;
        let task = self.work_item(&review.task)?;
        let phases = Phases::default();
        ReviewAction::RequestChanges.apply(
            &review.what(),
            review.status,
            self.origin.actor,
            phases,
        )?;
        TaskAction::RequestChanges.apply(&what(&task), status_of(&task), self.origin.actor)?;
        for comment in comments {
            self.add_comment(&review, comment)?;
        }
        if let Some(summary) = summary {
            self.set_review_summary(&review, summary)?;
        }
        let more = json!({"comments": comments.len(), "summary": summary});
        let moved = self.move_review(&review, ReviewAction::RequestChanges, phases, more)?;
        self.move_task(&task, TaskAction::RequestChanges, &[])?;
        Ok(moved)
    }

    /// A person accepts the work as it is, whatever the state of its review.
    pub fn force_complete(&self, id: &EntityId) -> Result<Entity> {
        let task = self.work_item(id)?;
        TaskAction::ForceComplete.apply(&what(&task), status_of(&task), self.origin.actor)?;
        if let Some(review) = self.active_review(id)? {
            let more = json!({"forced": true});
            self.move_review(
                &review,
                ReviewAction::ForceComplete,
                Phases::default(),
                more,
            )?;
            self.cancel_gates(&review)?;
        }
        self.complete(&task, TaskAction::ForceComplete)
    }

    pub fn cancel_task(&self, id: &EntityId) -> Result<Entity> {
        let task = self.work_item(id)?;
        self.check_outside(&task, OutsideChange::Cancel)?;
        let cancelled = self.move_task(&task, TaskAction::Cancel, &[])?;
        if cancelled.status() != task.status() {
            let more = json!({"from": Dialect::Sdk.status(status_of(&task))});
            self.task_event(EventType::TaskCancelled, &cancelled, more)?;
        }
        Ok(cancelled)
    }

    /// A person sets the status of a task. The review or help request that the status requires must
    /// exist.
    pub fn set_task_status(
        &self,
        id: &EntityId,
        wanted: TaskStatus,
        phases: Phases,
    ) -> Result<Entity> {
        let task = self.work_item(id)?;
        let from = status_of(&task);
        // This dialect does not distinguish draft from pending, or skipped from cancelled.
        let wanted = Dialect::Sdk.written_over(from, wanted);
        let action = TaskAction::SetStatus(wanted);
        action.apply(&what(&task), from, self.origin.actor)?;
        if wanted == from {
            return Ok(task);
        }
        self.check_reason_for(&task, wanted)?;
        let more = json!({
            "from": Dialect::Sdk.status(from),
            "to": Dialect::Sdk.status(wanted),
        });
        if wanted == TaskStatus::Done {
            return self.complete(&task, action);
        }
        let moved = self.move_task(&task, action, &[])?;
        self.task_event(EventType::TaskStatusChanged, &moved, more)?;
        // Back in its review, whose gates may have finished in the meantime.
        if let Some(review) = self.active_review(id)? {
            self.settle_gates(&review, phases)?;
            return self.entity(id);
        }
        Ok(moved)
    }

    pub(super) fn complete_if_approved(&self, review: &Review) -> Result<()> {
        if review.status == ReviewStatus::Approved {
            let task = self.work_item(&review.task)?;
            self.complete(&task, TaskAction::Complete)?;
        }
        Ok(())
    }

    /// Completes a task: copies its learnings to the parent, makes waiting tasks ready, and removes
    /// its claim.
    fn complete(&self, task: &Entity, action: TaskAction) -> Result<Entity> {
        let done = self.move_task(task, action, &[])?;
        let waiting: Vec<EntityId> = self.tasks_that_wait_for(&task.id)?.into_iter().collect();
        let ready: Vec<i64> = self
            .ready_among(&waiting)?
            .iter()
            .map(|task| task.number)
            .collect();
        let more = json!({"by": action.name(), "now_ready": ready});
        self.task_event(EventType::TaskCompleted, &done, more)?;
        Ok(done)
    }
}
