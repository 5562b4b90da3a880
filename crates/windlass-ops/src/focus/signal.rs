//! What the focus tools share: they are about the caller's task, and recorded.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;
use windlass_core::{Error, Result, TaskStatus};
use windlass_store::Writer;

use super::closing::Closing;
use super::current::Current;
use crate::context::Context;
use crate::memory::Similar;
use crate::plan::Comment;
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
    /// The number of the task.
    pub task_id: i64,
    /// The effect.
    pub message: String,
    /// What says nearly the same as what was learned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub similar: Vec<Similar>,
}

impl Render for Acknowledged {
    fn view(&self) -> View {
        View::default().line([
            Span::new(format!("#{} ", self.task_id), Style::Id),
            Span::from(self.message.clone()),
        ])
    }
}

/// Records a signal about the caller's task, and applies its immediate effect.
pub fn say(
    context: &Context,
    verb: &str,
    body: &Json,
    then: impl FnOnce(&Writer<'_>, &Current) -> Result<String>,
) -> Result<Acknowledged> {
    context.write(|writer| {
        let current = Current::of(writer, context)?;
        writer.add_signal(&current.session, &current.task.id, verb, body)?;
        let message = then(writer, &current)?;
        Ok(Acknowledged {
            verb: verb.to_owned(),
            task_id: current.task.number,
            message,
            similar: Vec::new(),
        })
    })
}

/// Gives the caller's task back.
pub fn give_back(context: &Context, closing: &Closing<'_>, body: &Json) -> Result<Acknowledged> {
    say(context, closing.verb(), body, |writer, current| {
        let now = match closing.apply(writer, current)? {
            TaskStatus::AwaitingHuman => "a person is asked about the task",
            TaskStatus::Blocked => "the task waits for what blocks it",
            TaskStatus::InReview => "its review decides about the task",
            status if status.is_ended() => "the task has ended already",
            _ => "the task is open again, with what you said",
        };
        let text = format!("Noted: {now}. [[focus.begin]] takes the next one.");
        Ok(context.naming.render(&text))
    })
}

/// Adds it as a comment, where people and the next agent read it.
pub fn comment(writer: &Writer<'_>, current: &Current, text: &str) -> Result<()> {
    Comment::new(&current.session, text)?.add(writer, &current.task)?;
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
