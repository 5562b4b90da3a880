//! What notes and learnings are called, and how it is said whether they hold.

use serde_json::json;
use windlass_core::{
    Entity, EntityType, Error, ErrorKind, EventType, Learning, Result, Timestamp, Truth,
};
use windlass_store::{Collection, JournalKind, Reader, RecordEdit, Writer};

use super::items::{self, project_reference, truth_of};
use super::marks;

/// A note or a learning.
#[derive(Debug, Clone)]
pub enum Reference {
    Note(Entity),
    /// A learning of a task or a feature, by its number there.
    Learning {
        of: Entity,
        number: i64,
        learning: Box<Learning>,
    },
    /// A line of the journal.
    Project(marks::ProjectLearning),
}

impl Reference {
    /// `12`, `#12`: a note. `#7.3`: learning 3 of entity 7. `p1a2b3c4d`: a learning of the project.
    pub fn resolve(reader: &Reader<'_>, field: &str, given: &str) -> Result<Self> {
        let text = given.trim();
        let unknown = || {
            Error::new(
                ErrorKind::EntityNotFound,
                format!("Nothing that is remembered is called \"{text}\""),
            )
            .with("field", field)
            .with("id", text)
            .with_hint("[[memory_list]] lists what is remembered, with its names: #12 is a note, #7.3 a learning of entity 7, p1a2b3c4d a learning of the project.")
        };
        if text.starts_with('p') && text.len() == 9 {
            let lines = items::of_project(reader)?;
            let found = lines
                .into_iter()
                .find(|it| project_reference(&it.text) == text);
            return found.map(Self::Project).ok_or_else(unknown);
        }
        if let Some((entity, number)) = text.split_once('.') {
            let number: i64 = number.parse().map_err(|_| unknown())?;
            let of = reader.entity(&reader.resolve(field, entity)?)?;
            let records = reader.records(&of.id, Collection::Learnings)?;
            let record = records.into_iter().find(|it| it.number == number);
            let learning = record.and_then(|it| serde_json::from_value(it.body).ok());
            let learning = learning.ok_or_else(unknown)?;
            return Ok(Self::Learning {
                of,
                number,
                learning,
            });
        }
        let entity = reader.entity(&reader.resolve(field, text)?)?;
        if entity.kind != EntityType::Note {
            let kind = entity.kind.name();
            return Err(Error::validation(
                field,
                format!(
                    "#{} is a {kind}; only notes and learnings are confirmed and retired",
                    entity.number
                ),
            )
            .with_hint("A decision is replaced with [[decision_supersede]]."));
        }
        Ok(Self::Note(entity))
    }

    /// What it says, in one line.
    pub fn text(&self) -> &str {
        match self {
            Self::Note(note) => &note.title,
            Self::Learning { learning, .. } => &learning.text,
            Self::Project(learning) => &learning.text,
        }
    }

    pub fn name(&self) -> String {
        match self {
            Self::Note(note) => format!("#{}", note.number),
            Self::Learning { of, number, .. } => format!("#{}.{number}", of.number),
            Self::Project(learning) => project_reference(&learning.text),
        }
    }

    pub fn truth(&self, reader: &Reader<'_>) -> Result<Truth> {
        Ok(match self {
            Self::Note(note) => truth_of(reader, note)?,
            Self::Learning { learning, .. } => learning.truth.clone(),
            Self::Project(learning) => learning.truth.clone(),
        })
    }

    /// Stores what is said about it. A line of the journal is marked by another one.
    fn store(&self, writer: &Writer<'_>, truth: &Truth, event: EventType) -> Result<()> {
        let payload = json!({"reference": self.name(), "text": self.text()});
        match self {
            Self::Note(note) => {
                let known = writer.records(&note.id, Collection::Memory)?;
                let edit = match known.last() {
                    Some(record) => RecordEdit::Replace(record.number, json!(truth)),
                    None => RecordEdit::Add(json!(truth)),
                };
                writer.edit_records(note, Collection::Memory, &[edit], (event, &payload))?;
            }
            Self::Learning { of, number, .. } => {
                let records = writer.records(&of.id, Collection::Learnings)?;
                let Some(record) = records.into_iter().find(|it| it.number == *number) else {
                    return Err(Error::internal("the learning is gone"));
                };
                let mut body = record.body;
                if let Some(body) = body.as_object_mut() {
                    for name in [
                        "confirmed_at",
                        "confirmed_by",
                        "retired_at",
                        "retired_by",
                        "replaced_by",
                    ] {
                        body.shift_remove(name);
                    }
                    if let serde_json::Value::Object(said) = json!(truth) {
                        body.extend(said);
                    }
                }
                let edit = RecordEdit::Replace(*number, body);
                writer.edit_records(of, Collection::Learnings, &[edit], (event, &payload))?;
            }
            Self::Project(learning) => {
                let said = match (&truth.retired_by, &truth.confirmed_by) {
                    (Some(by), _) => {
                        marks::retirement(by, &learning.text, truth.replaced_by.as_deref())
                    }
                    (None, by) => {
                        marks::confirmation(by.as_deref().unwrap_or_default(), &learning.text)
                    }
                };
                writer.append_journal(JournalKind::Learnings, &said, &Timestamp::now())?;
                let payload = json!({"file": "learnings.txt"});
                writer.note(EventType::JournalAppended, &payload)?;
            }
        }
        Ok(())
    }

    pub fn confirm(&self, writer: &Writer<'_>, by: &str) -> Result<Truth> {
        let truth = Truth::confirmed(by);
        self.store(writer, &truth, EventType::MemoryConfirmed)?;
        Ok(truth)
    }
}

/// Says that something does not hold any more, and what holds instead.
pub fn retire(
    writer: &Writer<'_>,
    reference: &Reference,
    by: &str,
    replaced_by: Option<&str>,
) -> Result<Truth> {
    let one_line = replaced_by.map(|it| it.split_whitespace().collect::<Vec<_>>().join(" "));
    let truth = reference.truth(writer)?.retired(by, one_line.as_deref());
    reference.store(writer, &truth, EventType::MemoryRetired)?;
    Ok(truth)
}
