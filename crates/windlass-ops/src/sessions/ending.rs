//! The end of a session. What its agent said about the task was applied when it was said; a session
//! that ends without a word has got stuck.

use serde_json::json;
use windlass_core::{Result, TaskStatus};
use windlass_store::{Reader, SessionEnd, SessionRecord, Signal, Writer};

use super::session::{put_back_task, release_task, task_of, tools_of};
use crate::context::Context;
use crate::focus::{Closing, Current};

/// The signals that close a session. The last one counts.
const CLOSING: [&str; 3] = ["done", "partial", "stuck"];

pub fn is_closing(verb: &str) -> bool {
    CLOSING.contains(&verb)
}

/// Ends a session once, and releases its claim. Returns whether it was still open.
pub fn end(context: &Context, id: &str, exit_code: Option<i64>) -> Result<bool> {
    // What the end does to the task, the session's agent did.
    context.of_session(id).write(|writer| {
        let record = writer.session(id)?;
        if record.has_ended() {
            return Ok(false);
        }
        let closing = closing_of(writer, &record)?;
        release_task(writer, &record)?;
        let end = SessionEnd { exit_code, closing };
        writer.end_session(id, &end)
    })
}

/// How the session ended: by its last word, or without one.
fn closing_of(writer: &Writer<'_>, record: &SessionRecord) -> Result<Option<String>> {
    let signals = writer.signals(&record.id)?;
    if let Some(last) = signals.iter().rev().find(|it| is_closing(&it.verb)) {
        return Ok(Some(last.verb.clone()));
    }
    let closes = tools_of(record).iter().any(|tool| tool.name == "done");
    // A client that never connected has not worked on anything.
    if !was_connected(record) {
        put_back_task(writer, record)?;
        return Ok(None);
    }
    if !closes {
        return Ok(None);
    }
    let Some(task) = task_of(writer, record)? else {
        return Ok(None);
    };
    if task.task_status().is_some_and(TaskStatus::is_ended) {
        return Ok(Some("done".to_owned()));
    }
    let current = Current {
        session: record.id.clone(),
        record: Some(record.clone()),
        task,
    };
    if is_handed_in(writer, &current)? {
        return Ok(Some("done".to_owned()));
    }
    let reason = reason(&signals);
    writer.add_signal(
        &current.session,
        &current.task.id,
        "stuck",
        &json!({ "reason": reason }),
    )?;
    Closing::Stuck { reason: &reason }.apply(writer, &current)?;
    Ok(Some("stuck".to_owned()))
}

/// Whether the session's work is with its reviewers, or its gates still run.
fn is_handed_in(reader: &Reader<'_>, current: &Current) -> Result<bool> {
    let Some(review) = reader.active_review(&current.task.id)? else {
        return Ok(false);
    };
    let results = reader.current_results(&review)?;
    let failed = results.iter().any(|it| it.status.is_failure());
    let open = results.iter().any(|it| it.status.is_open());
    Ok(review.session == current.session && (open || !failed))
}

fn reason(signals: &[Signal]) -> String {
    let failed = signals.iter().rev().any(|it| it.verb == "gates_failed");
    let how = if failed {
        "the gates failed, and the session ended without another word"
    } else {
        "the session ended without done, partial or stuck"
    };
    how.to_owned()
}

/// Whether a client of the session ever connected.
pub fn was_connected(record: &SessionRecord) -> bool {
    record.details["connected"] == true
}
