//! A task that is given back: part of it is done, or its agent is stuck.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use windlass_core::workflow::{HelpCategory, NewHelp};
use windlass_core::{Dialect, Entity, EntityType, Patch, RelationType, Result, TaskStatus};
use windlass_store::{Signal, Writer};

use super::current::Current;
use crate::plan::Comment;

/// After this many agents in a row that got stuck, a task waits for a person.
const STUCK_TOO_OFTEN: usize = 3;

/// How an agent gives its task back.
pub enum Closing<'a> {
    Partial {
        summary: &'a str,
        remaining: &'a str,
    },
    Stuck {
        reason: &'a str,
    },
}

impl Closing<'_> {
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Partial { .. } => "partial",
            Self::Stuck { .. } => "stuck",
        }
    }

    fn comment(&self) -> String {
        match self {
            Self::Partial { summary, remaining } => {
                format!("Partly done: {summary}\n\nRemaining: {remaining}")
            }
            Self::Stuck { reason } => format!("Stuck: {reason}"),
        }
    }

    /// Gives the task back: it waits for a person's answer or for its blocker, or is open again. The
    /// signal is on record already. Returns what the task waits for now.
    pub fn apply(&self, writer: &Writer<'_>, current: &Current) -> Result<TaskStatus> {
        let task = &current.task;
        Comment::new(&current.session, &self.comment())?.add(writer, task)?;
        if let Some((owner, _)) = writer.claim_of(&task.id)?
            && owner == current.session
        {
            // Work whose gates failed returns from its review by that.
            writer.release(&task.id, &current.session)?;
        }
        let task = writer.entity(&task.id)?;
        let status = task.task_status().unwrap_or(TaskStatus::Pending);
        // Work in review is decided by its review, and work with an open question by a person.
        if writer.is_held(&task)? || status.is_ended() {
            return Ok(status);
        }
        let signals: Vec<Signal> = writer
            .signals(&current.session)?
            .into_iter()
            .filter(|signal| signal.task == task.id)
            .collect();
        let given = GivenBack {
            task: &task,
            signals: &signals,
        };
        let status = given.waits_for_blockers(writer)?;
        given.set_status(writer, status)?;
        let too_often = matches!(self, Self::Stuck { .. })
            && writer.stuck_in_a_row(&task.id)? >= STUCK_TOO_OFTEN;
        let question = match (given.question(), self) {
            (Some(question), _) => Some(question),
            (None, Self::Stuck { reason }) if too_often => Some(NewHelp {
                category: HelpCategory::TechnicalBlocker,
                reason: format!(
                    "{STUCK_TOO_OFTEN} sessions in a row got stuck. The last one: {reason}"
                ),
                suggested_options: Vec::new(),
            }),
            _ => None,
        };
        let Some(question) = question else {
            return Ok(status);
        };
        // The task waits for the answer before anything else.
        given.set_status(writer, TaskStatus::Pending)?;
        writer.request_help(&task.id, &question)?;
        Ok(TaskStatus::AwaitingHuman)
    }
}

/// A task that was given back, and what its agent said about it.
struct GivenBack<'a> {
    task: &'a Entity,
    signals: &'a [Signal],
}

impl GivenBack<'_> {
    fn waits_for_blockers(&self, writer: &Writer<'_>) -> Result<TaskStatus> {
        let mut status = TaskStatus::Pending;
        for signal in self.signals.iter().filter(|it| it.verb == "blocked") {
            let waits = signal.body["kind"] == "upstream_task" && self.depend_on(writer, signal)?;
            if !waits {
                status = TaskStatus::Blocked;
            }
        }
        Ok(status)
    }

    /// Makes the task wait for the one that the agent named, if it named one that it can wait for.
    fn depend_on(&self, writer: &Writer<'_>, signal: &Signal) -> Result<bool> {
        let named = signal.body["on"].as_str().unwrap_or_default();
        let Ok(upstream) = writer.named("on", named) else {
            return Ok(false);
        };
        if upstream.kind != EntityType::Task {
            return Ok(false);
        }
        let related =
            writer.attempt(|writer| writer.relate(&upstream, RelationType::Blocks, self.task))?;
        Ok(related.is_ok())
    }

    /// The last blocking question.
    fn question(&self) -> Option<NewHelp> {
        let asked = self
            .signals
            .iter()
            .rev()
            .find(|signal| signal.verb == "ask" && signal.body["blocking"] == true)?;
        let options = serde_json::from_value(asked.body["options"].clone());
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        Some(NewHelp {
            category: HelpCategory::Decision,
            reason: text(&asked.body["question"]),
            suggested_options: options.unwrap_or_default(),
        })
    }

    fn set_status(&self, writer: &Writer<'_>, status: TaskStatus) -> Result<Entity> {
        let patch = Patch {
            managed: BTreeMap::from([("status", Some(status.name().to_owned()))]),
            ..Patch::default()
        };
        writer.update(&self.task.id, &patch, Dialect::Plan)
    }
}
