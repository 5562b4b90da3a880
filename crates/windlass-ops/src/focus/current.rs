//! The task that an agent works on: the one of its session, or the one that it began last.

use windlass_core::{Entity, Error, ErrorKind, Result, TaskStatus};
use windlass_store::{Reader, SessionRecord};

use crate::context::ReadContext;
use crate::sessions::{session_ended, session_task};

/// An agent and its task.
#[derive(Debug, Clone)]
pub struct Current {
    /// The name under which the agent works.
    pub session: String,
    /// The session, if it is on record.
    pub record: Option<SessionRecord>,
    pub task: Entity,
}

impl Current {
    /// What the caller works on. Fails if it has begun nothing.
    pub fn of(reader: &Reader<'_>, context: &ReadContext) -> Result<Self> {
        Self::find(reader, &context.origin.session)?.ok_or_else(nothing_begun)
    }

    /// What a session works on, if anything.
    pub fn find(reader: &Reader<'_>, session: &str) -> Result<Option<Self>> {
        let record = reader.find_session(session)?;
        if let Some(record) = &record {
            if record.has_ended() {
                return Err(session_ended(record));
            }
            if let Some(task) = session_task(reader, record)? {
                return Ok(Some(Self {
                    session: session.to_owned(),
                    record: Some(record.clone()),
                    task,
                }));
            }
        }
        let Some(id) = reader.task_held_by(session)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            session: session.to_owned(),
            record,
            task: reader.entity(&id)?,
        }))
    }

    /// A name from the session or from the task: its feature or its discipline.
    pub fn name_of(&self, field: &str) -> Option<&str> {
        let record = self.record.as_ref();
        let of_session = record.and_then(|record| match field {
            "feature" => record.feature.as_deref(),
            _ => record.discipline.as_deref(),
        });
        of_session.or_else(|| self.task.text(field))
    }

    pub fn has_ended(&self) -> bool {
        self.task.task_status().is_some_and(TaskStatus::is_ended)
    }
}

fn nothing_begun() -> Error {
    Error::new(ErrorKind::NoTask, "You have not begun a task").with_hint(
        "Call [[focus.begin]] first: it gives you the next ready task, or the one that you name.",
    )
}
