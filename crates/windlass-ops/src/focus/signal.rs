//! What the focus tools share: they are called in a session that is bound to a task, and recorded.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;
use windlass_core::{Entity, Error, ErrorKind, Result};
use windlass_store::{SessionRecord, Writer};

use crate::context::Context;
use crate::plan::Comment;
use crate::sessions::{session_ended, session_task};
use crate::view::{Render, Span, Style, View};

pub const SEVERITIES: &[&str] = &["info", "warning", "blocking"];
pub const CATEGORIES: &[&str] = &[
    "bug",
    "stale",
    "contradiction",
    "ambiguity",
    "overlap",
    "performance",
    "security",
    "incomplete_prior",
];
pub const KINDS: &[&str] = &["discovery", "decision", "convention"];
pub const SCOPES: &[&str] = &["project", "feature", "task"];
pub const SUGGESTIONS: &[&str] = &["new_task", "split", "refactor", "alternative", "deprecate"];
pub const BLOCKERS: &[&str] = &["upstream_task", "external"];

/// The confirmation that it was recorded.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Acknowledged {
    pub verb: String,
    /// The number of the session's task.
    pub task_id: i64,
    /// The effect.
    pub message: String,
}

impl Render for Acknowledged {
    fn view(&self) -> View {
        View::default().line([
            Span::new(format!("#{} ", self.task_id), Style::Id),
            Span::from(self.message.clone()),
        ])
    }
}

/// Records the signal in the caller's session, and applies its immediate effect.
pub fn say(
    context: &Context,
    verb: &str,
    body: &Json,
    then: impl FnOnce(&Writer<'_>, &SessionRecord, &Entity) -> Result<String>,
) -> Result<Acknowledged> {
    context.write(|writer| {
        let session = writer
            .find_session(&context.origin.session)?
            .ok_or_else(not_in_a_session)?;
        if session.has_ended() {
            return Err(session_ended(&session));
        }
        let task = session_task(writer, &session)?.ok_or_else(not_in_a_session)?;
        writer.add_signal(&session, verb, body)?;
        let message = then(writer, &session, &task)?;
        Ok(Acknowledged {
            verb: verb.to_owned(),
            task_id: task.number,
            message,
        })
    })
}

fn not_in_a_session() -> Error {
    Error::new(
        ErrorKind::NoTask,
        "This tool needs a session that is bound to a task, and there is none",
    )
    .with_hint("[[session_start]] with the recipe focus and a task starts one.")
}

/// Adds it as a comment, where people and the next session read it.
pub fn comment(
    writer: &Writer<'_>,
    session: &SessionRecord,
    task: &Entity,
    text: &str,
) -> Result<()> {
    Comment::new(&session.id, text)?.add(writer, task)?;
    Ok(())
}

const MAX_CHARS: usize = 4_000;

pub fn required(field: &str, given: &str) -> Result<()> {
    let count = given.trim().chars().count();
    if (1..=MAX_CHARS).contains(&count) {
        return Ok(());
    }
    let problem = format!("has {count} characters, 1 to {MAX_CHARS} are allowed");
    Err(Error::validation(field, problem))
}

pub fn one_of(field: &str, given: &str, known: &[&str]) -> Result<()> {
    if known.contains(&given) {
        return Ok(());
    }
    Err(Error::invalid_enum(field, given, known))
}
