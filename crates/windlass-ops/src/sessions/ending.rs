//! The end of a session: its last closing word decides about its task.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use windlass_core::{Dialect, Entity, EntityType, Patch, RelationType, Result, TaskStatus};
use windlass_store::{SessionEnd, SessionRecord, Signal, Writer};

use super::session::{release_task, task_of, tools_of};
use crate::plan::Comment;

/// Ended stuck so often, a task waits for a person.
const STUCK_TOO_OFTEN: usize = 3;

/// The words that close a session. The last one counts.
const CLOSING: [&str; 3] = ["done", "partial", "stuck"];

pub fn is_closing(verb: &str) -> bool {
    CLOSING.contains(&verb)
}

/// Ends a session once: what it said is done to its task, and the claim is given back. Says whether
/// it was still open.
pub fn end(writer: &Writer<'_>, id: &str, exit_code: Option<i64>) -> Result<bool> {
    let record = writer.session(id)?;
    if record.has_ended() {
        return Ok(false);
    }
    let signals = writer.signals(id)?;
    let last = signals.iter().rev().find(|signal| is_closing(&signal.verb));
    let closes = tools_of(&record).iter().any(|tool| tool.name == "done");
    let closing = match last {
        Some(signal) => Some(signal.verb.clone()),
        // An executor that says nothing at its end got nowhere.
        None if closes => Some("stuck".to_owned()),
        None => None,
    };
    let end = SessionEnd {
        exit_code,
        closing: closing.clone(),
    };
    if !writer.end_session(id, &end)? {
        return Ok(false);
    }
    release_task(writer, &record)?;
    if let (Some(task), Some(verb)) = (task_of(writer, &record)?, closing)
        && !task.task_status().is_some_and(TaskStatus::is_ended)
    {
        let body = last.map_or(&Json::Null, |signal| &signal.body);
        close(writer, &record, &task, &verb, body, &signals)?;
    }
    Ok(true)
}

fn close(
    writer: &Writer<'_>,
    record: &SessionRecord,
    task: &Entity,
    verb: &str,
    body: &Json,
    signals: &[Signal],
) -> Result<()> {
    let text = |name: &str| body[name].as_str().unwrap_or_default();
    let (status, said) = match verb {
        "done" => (TaskStatus::Done, format!("Done: {}", text("summary"))),
        "partial" => {
            let said = format!(
                "Partly done: {}\n\nRemaining: {}",
                text("summary"),
                text("remaining")
            );
            (waits_for(writer, task, signals)?, said)
        }
        _ => {
            let reason = match text("reason") {
                "" => "the session ended without a closing word",
                reason => reason,
            };
            let mut status = waits_for(writer, task, signals)?;
            // The session itself has ended by now and counts.
            if writer.stuck_in_a_row(&task.id)? >= STUCK_TOO_OFTEN {
                status = TaskStatus::Blocked;
            }
            (status, format!("Stuck: {reason}"))
        }
    };
    Comment::new(&record.id, &said)?.add(writer, task)?;
    // Work in review is decided by its review, and work that waits for an answer by a person.
    if writer.is_held(task)? {
        return Ok(());
    }
    let patch = Patch {
        managed: BTreeMap::from([("status", Some(status.name().to_owned()))]),
        ..Patch::default()
    };
    writer.update(&task.id, &patch, Dialect::Plan)?;
    Ok(())
}

/// Where a task stands that is not done: with a person who was asked, behind what blocks it, or open
/// again.
fn waits_for(writer: &Writer<'_>, task: &Entity, signals: &[Signal]) -> Result<TaskStatus> {
    let mut status = TaskStatus::Pending;
    for signal in signals {
        match signal.verb.as_str() {
            "ask" if signal.body["blocking"] == true => status = TaskStatus::AwaitingHuman,
            "blocked" => {
                if signal.body["kind"] == "upstream_task" && depend_on(writer, task, signal)? {
                    continue;
                }
                status = TaskStatus::Blocked;
            }
            _ => {}
        }
    }
    Ok(status)
}

/// Makes the task wait for the one that the agent named, if it named one that it can wait for.
fn depend_on(writer: &Writer<'_>, task: &Entity, signal: &Signal) -> Result<bool> {
    let named = signal.body["on"].as_str().unwrap_or_default();
    let Ok(upstream) = writer.named("on", named) else {
        return Ok(false);
    };
    if upstream.kind != EntityType::Task {
        return Ok(false);
    }
    let related = writer.attempt(|writer| writer.relate(&upstream, RelationType::Blocks, task))?;
    Ok(related.is_ok())
}
