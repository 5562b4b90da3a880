//! After an import the status of a task agrees with its review and its question again. Two clones
//! may have moved them differently; every clone that has the same changes comes to the same result,
//! and writes it like any other change.
//!
//! A cancelled or skipped task has neither. An open question keeps a task waiting, and an active
//! review keeps it in review: it does not become done past its review, wherever that was said. How
//! it stands is the word of the clone that did the work; gates that ran elsewhere are marked so.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use windlass_core::workflow::{HelpStatus, Phases, ReviewAction, ReviewStatus};
use windlass_core::{Dialect, Entity, EntityId, EntityType, EventType, Patch, Result, TaskStatus};

use super::Entries;
use crate::document::Record;
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::workflow::{HelpRequest, Mover, Review};
use crate::writer::Writer;

/// A task to be looked at after an import.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unsettled {
    task: EntityId,
    /// Reviews that were approved on one clone while another requested changes.
    contested: BTreeSet<String>,
}

impl Unsettled {
    /// The task of that document, if it can disagree with its review or question.
    pub(crate) fn of(record: &Record) -> Option<Self> {
        let status = record.entity.task_status();
        let is_held = matches!(
            status,
            Some(TaskStatus::InReview | TaskStatus::AwaitingHuman)
        );
        if record.deleted || (record.work.is_empty() && !is_held) {
            return None;
        }
        let has = |id: &str, end: &str| record.work.contains_key(&format!("ends/{id}/{end}"));
        let contested = record
            .work
            .keys()
            .filter_map(|key| key.strip_prefix("ends/")?.strip_suffix("/approved"))
            .filter(|id| has(id, "changes_requested") && !has(id, "settled"))
            .map(str::to_owned)
            .collect();
        Some(Self {
            task: record.entity.id.clone(),
            contested,
        })
    }
}

/// What is known of a task.
struct Standing {
    status: TaskStatus,
    active: Option<Review>,
    last: Option<Review>,
    question: Option<HelpRequest>,
    /// The status before the last question.
    before_question: Option<TaskStatus>,
    /// Whether the last review was both approved and sent back.
    is_contested: bool,
}

impl Standing {
    fn settled(&self) -> TaskStatus {
        use TaskStatus as S;
        if matches!(self.status, S::Cancelled | S::Skipped) {
            return self.status;
        }
        if self.question.is_some() && !(self.status == S::Done && self.active.is_none()) {
            return S::AwaitingHuman;
        }
        if let Some(review) = &self.active {
            // Work whose gates failed can be taken again.
            let is_returned = review.status == ReviewStatus::GatesPending
                && matches!(
                    self.status,
                    S::Draft | S::Pending | S::Blocked | S::InProgress
                );
            return if is_returned {
                self.status
            } else {
                S::InReview
            };
        }
        let approved = self
            .last
            .as_ref()
            .is_some_and(|review| review.status == ReviewStatus::Approved);
        match self.status {
            S::AwaitingHuman => match self.before_question {
                Some(S::InReview) if approved => S::Done,
                Some(S::InReview | S::AwaitingHuman) | None => S::InProgress,
                Some(before) => before,
            },
            S::InReview if approved => S::Done,
            S::InReview => S::InProgress,
            S::Done if self.is_contested => S::InProgress,
            other => other,
        }
    }
}

impl Reader<'_> {
    fn standing_of_task(&self, task: &Entity, contested: &BTreeSet<String>) -> Result<Standing> {
        let last = self.last_review(&task.id)?;
        Ok(Standing {
            status: task.task_status().unwrap_or(TaskStatus::Pending),
            active: self.active_review(&task.id)?,
            is_contested: last.as_ref().is_some_and(|it| contested.contains(&it.id)),
            last,
            question: self.active_help(&task.id)?,
            before_question: self.before_last_question(&task.id)?,
        })
    }

    fn before_last_question(&self, task: &EntityId) -> Result<Option<TaskStatus>> {
        use rusqlite::OptionalExtension as _;
        let status: Option<String> = self
            .connection()
            .prepare_cached(
                "SELECT from_status FROM help_requests WHERE task = ?1
                 ORDER BY created_at DESC, id DESC LIMIT 1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([task.as_str()], |row| row.get(0))
                    .optional()
            })
            .stored()?;
        Ok(status.as_deref().and_then(TaskStatus::parse))
    }
}

impl Writer<'_> {
    /// Returns the numbers of the tasks whose status was settled.
    pub(crate) fn reconcile(&self, unsettled: &BTreeSet<Unsettled>) -> Result<Vec<i64>> {
        let mut settled = Vec::new();
        for Unsettled { task, contested } in unsettled {
            let Some(entity) = self.find_entity(task)? else {
                continue;
            };
            if entity.kind != EntityType::Task {
                continue;
            }
            if self.reconcile_task(&entity, contested)? {
                settled.push(entity.number);
            }
            let marks: Entries = contested
                .iter()
                .map(|id| (format!("ends/{id}/settled"), Json::Bool(true)))
                .collect();
            self.put_entries(task, marks)?;
        }
        Ok(settled)
    }

    fn reconcile_task(&self, task: &Entity, contested: &BTreeSet<String>) -> Result<bool> {
        let standing = self.standing_of_task(task, contested)?;
        let wanted = standing.settled();
        if wanted.is_ended() {
            if let Some(review) = &standing.active {
                let more = json!({"because": wanted.name()});
                self.move_review(review, ReviewAction::Withdraw, Phases::default(), more)?;
                self.cancel_gates(review)?;
            }
            if let Some(question) = &standing.question {
                self.end_help(question, HelpStatus::Cancelled, EventType::HelpCancelled)?;
            }
            self.drop_claim(&task.id)?;
        }
        if wanted == standing.status {
            return Ok(false);
        }
        let mut patch = Patch::default();
        patch
            .managed
            .insert("status", Some(wanted.name().to_owned()));
        self.update_by(&task.id, &patch, Dialect::Sdk, Mover::Settlement)?;
        Ok(true)
    }
}
