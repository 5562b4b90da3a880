//! The end of a session: the last of done, partial and stuck decides about its task.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use windlass_core::workflow::{HelpCategory, NewHelp};
use windlass_core::{Dialect, Entity, EntityType, Patch, RelationType, Result, TaskStatus};
use windlass_store::{Review, SessionEnd, SessionRecord, Signal, Writer};

use super::session::{release_task, task_of, tools_of};
use crate::context::Context;
use crate::plan::Comment;
use crate::workflow::Handover;

/// After this many stuck sessions in a row, a task waits for a person.
const STUCK_TOO_OFTEN: usize = 3;

/// The signals that close a session. The last one counts.
const CLOSING: [&str; 3] = ["done", "partial", "stuck"];

pub fn is_closing(verb: &str) -> bool {
    CLOSING.contains(&verb)
}

/// The result of ending a session.
#[derive(Debug, Clone, Default)]
pub struct SessionEnding {
    /// Whether it was still open.
    pub ended: bool,
    /// The review of the work, if gates check it. The caller must run its gates.
    pub review: Option<Review>,
}

/// Ends a session once: its signals are applied to its task, and the claim is released.
///
/// Finished work goes into review if gates check it, and is done immediately otherwise.
pub fn end(context: &Context, id: &str, exit_code: Option<i64>) -> Result<SessionEnding> {
    let handover = gather(context, id)?;
    context.write(|writer| {
        let record = writer.session(id)?;
        let signals = writer.signals(id)?;
        let last = last_closing(&signals);
        let closes = tools_of(&record).iter().any(|tool| tool.name == "done");
        let closing = match last {
            Some(signal) => Some(signal.verb.clone()),
            // An executor that ends without a signal counts as stuck.
            None if closes => Some("stuck".to_owned()),
            None => None,
        };
        let end = SessionEnd {
            exit_code,
            closing: closing.clone(),
        };
        if record.has_ended() || !writer.end_session(id, &end)? {
            return Ok(SessionEnding::default());
        }
        release_task(writer, &record)?;
        let mut ended = SessionEnding {
            ended: true,
            review: None,
        };
        if let (Some(task), Some(verb)) = (task_of(writer, &record)?, closing)
            && !task.task_status().is_some_and(TaskStatus::is_ended)
        {
            let body = last.map_or(&Json::Null, |signal| &signal.body);
            let closing = Closing {
                record: &record,
                task: &task,
                body,
                signals: &signals,
            };
            ended.review = closing.apply(writer, &verb, handover)?;
        }
        Ok(ended)
    })
}

fn last_closing(signals: &[Signal]) -> Option<&Signal> {
    signals.iter().rev().find(|signal| is_closing(&signal.verb))
}

/// What a submission needs, if the session reports its work as done. Collected before the write,
/// because it runs git.
fn gather(context: &Context, id: &str) -> Result<Option<Handover>> {
    let task = context.store.read(None, |reader| {
        let record = reader.session(id)?;
        let signals = reader.signals(id)?;
        let done = last_closing(&signals).is_some_and(|signal| signal.verb == "done");
        if !done || record.has_ended() {
            return Ok(None);
        }
        task_of(reader, &record)
    })?;
    task.map(|task| Handover::gather(context, &task))
        .transpose()
}

/// A session that closes, and all of its signals.
struct Closing<'a> {
    record: &'a SessionRecord,
    task: &'a Entity,
    body: &'a Json,
    signals: &'a [Signal],
}

impl Closing<'_> {
    fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_default()
    }

    fn apply(
        &self,
        writer: &Writer<'_>,
        verb: &str,
        handover: Option<Handover>,
    ) -> Result<Option<Review>> {
        let said = match verb {
            "done" => format!("Done: {}", self.text("summary")),
            "partial" => format!(
                "Partly done: {}\n\nRemaining: {}",
                self.text("summary"),
                self.text("remaining")
            ),
            _ => format!("Stuck: {}", self.reason()),
        };
        Comment::new(&self.record.id, &said)?.add(writer, self.task)?;
        // Work in review is decided by its review, and work with an open question by a person.
        if writer.is_held(self.task)? {
            return Ok(None);
        }
        if verb == "done" {
            return self.done(writer, handover);
        }
        self.not_done(writer, verb)?;
        Ok(None)
    }

    fn reason(&self) -> &str {
        match self.text("reason") {
            "" => "the session ended without done, partial or stuck",
            reason => reason,
        }
    }

    fn done(&self, writer: &Writer<'_>, handover: Option<Handover>) -> Result<Option<Review>> {
        match handover {
            Some(handover) if handover.has_gates(writer, self.task)? => {
                let task = self.set_status(writer, TaskStatus::InProgress)?;
                handover.submit(writer, &task).map(Some)
            }
            _ => {
                self.set_status(writer, TaskStatus::Done)?;
                Ok(None)
            }
        }
    }

    /// The task waits for a person's answer, waits for its blocker, or is open again.
    fn not_done(&self, writer: &Writer<'_>, verb: &str) -> Result<()> {
        let mut status = TaskStatus::Pending;
        for signal in self
            .signals
            .iter()
            .filter(|signal| signal.verb == "blocked")
        {
            let waits = signal.body["kind"] == "upstream_task" && self.depend_on(writer, signal)?;
            if !waits {
                status = TaskStatus::Blocked;
            }
        }
        self.set_status(writer, status)?;
        // The session itself has already ended and is included.
        let too_often = verb == "stuck" && writer.stuck_in_a_row(&self.task.id)? >= STUCK_TOO_OFTEN;
        match (self.question(), too_often) {
            (Some(question), _) => self.ask(writer, &question),
            (None, true) => self.ask(
                writer,
                &NewHelp {
                    category: HelpCategory::TechnicalBlocker,
                    reason: format!(
                        "{STUCK_TOO_OFTEN} sessions in a row got stuck. The last one: {}",
                        self.reason()
                    ),
                    suggested_options: Vec::new(),
                },
            ),
            (None, false) => Ok(()),
        }
    }

    /// The last blocking question.
    fn question(&self) -> Option<NewHelp> {
        let asked = self
            .signals
            .iter()
            .rev()
            .find(|signal| signal.verb == "ask" && signal.body["blocking"] == true)?;
        let options = serde_json::from_value(asked.body["options"].clone());
        Some(NewHelp {
            category: HelpCategory::Decision,
            reason: asked.body["question"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            suggested_options: options.unwrap_or_default(),
        })
    }

    /// Asks a person; the task waits for the answer before anything else.
    fn ask(&self, writer: &Writer<'_>, help: &NewHelp) -> Result<()> {
        self.set_status(writer, TaskStatus::Pending)?;
        writer.request_help(&self.task.id, help)?;
        Ok(())
    }

    fn set_status(&self, writer: &Writer<'_>, status: TaskStatus) -> Result<Entity> {
        let patch = Patch {
            managed: BTreeMap::from([("status", Some(status.name().to_owned()))]),
            ..Patch::default()
        };
        writer.update(&self.task.id, &patch, Dialect::Plan)
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
}
