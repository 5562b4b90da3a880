//! Everything that is remembered: notes, learnings of tasks and features, learnings of the project.

use windlass_core::{Entity, EntityType, Learning, Page, Result, Timestamp, Truth};
use windlass_store::{Collection, EntityFilter, JournalKind, Reader, text_digest};

use super::marks::{self, ProjectLearning};

/// A note or a learning.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryItem {
    /// What it is called by other operations: `#12`, `#7.3` or `p1a2b3c4d`.
    pub reference: String,
    /// `note` or `learning`.
    pub kind: &'static str,
    /// What a learning belongs to.
    pub of: String,
    pub text: String,
    pub created_at: Timestamp,
    /// When it was written, changed or confirmed last.
    pub fresh_at: Timestamp,
    pub truth: Truth,
    /// How often it was learned.
    pub hits: u32,
    /// Under which its uses are counted.
    pub key: String,
    /// The entity, if it is one: it has vectors of its own.
    pub entity: Option<Entity>,
}

/// The learnings of the project, oldest first.
pub fn of_project(reader: &Reader<'_>) -> Result<Vec<ProjectLearning>> {
    let entries = reader.journal(JournalKind::Learnings)?.into_iter();
    Ok(marks::learnings(
        entries.map(|entry| (entry.at, entry.text)),
    ))
}

/// What a learning of the project is called.
pub fn project_reference(text: &str) -> String {
    format!("p{}", &text_digest(text)[..8])
}

/// What was said about an entity's text.
pub fn truth_of(reader: &Reader<'_>, entity: &Entity) -> Result<Truth> {
    let records = reader.records(&entity.id, Collection::Memory)?;
    let newest = records.into_iter().next_back();
    Ok(newest
        .and_then(|record| serde_json::from_value(record.body).ok())
        .unwrap_or_default())
}

/// Everything that is remembered, in a fixed order.
pub fn all(reader: &Reader<'_>) -> Result<Vec<MemoryItem>> {
    let mut items = Vec::new();
    let mut offset = 0;
    loop {
        let page = Page { limit: 100, offset };
        let (notes, _) = reader.entities_within(&EntityFilter::of(EntityType::Note), page)?;
        let count = notes.len();
        for note in notes {
            items.push(of_note(reader, note)?);
        }
        if count < 100 {
            break;
        }
        offset += 100;
    }
    for (entity, number, body) in reader.all_learnings()? {
        let Ok(learning) = serde_json::from_value::<Learning>(body) else {
            continue;
        };
        items.push(of_learning(&entity, number, learning));
    }
    items.extend(of_project(reader)?.into_iter().map(of_line));
    Ok(items)
}

fn latest(times: impl IntoIterator<Item = Option<Timestamp>>) -> Timestamp {
    let newest = times.into_iter().flatten().max_by_key(Timestamp::as_millis);
    newest.unwrap_or_else(Timestamp::now)
}

fn of_note(reader: &Reader<'_>, note: Entity) -> Result<MemoryItem> {
    let truth = truth_of(reader, &note)?;
    let mut text = note.title.clone();
    if let Some(content) = note.content.as_deref().filter(|it| !it.trim().is_empty()) {
        text = format!("{text}: {content}");
    }
    Ok(MemoryItem {
        reference: format!("#{}", note.number),
        kind: "note",
        of: String::new(),
        text,
        created_at: note.created_at.clone(),
        fresh_at: latest([Some(note.updated_at.clone()), truth.confirmed_at.clone()]),
        truth,
        hits: 1,
        key: note.id.as_str().to_owned(),
        entity: Some(note),
    })
}

fn of_learning(entity: &Entity, number: i64, learning: Learning) -> MemoryItem {
    let name = entity.text("name").unwrap_or(&entity.title);
    MemoryItem {
        reference: format!("#{}.{number}", entity.number),
        kind: "learning",
        of: format!("{} {name}", entity.kind.name()),
        key: text_digest(&learning.text),
        created_at: learning.created_at.clone(),
        fresh_at: latest([
            Some(learning.created_at),
            learning.truth.confirmed_at.clone(),
        ]),
        truth: learning.truth,
        hits: learning.hit_count,
        text: learning.text,
        entity: None,
    }
}

fn of_line(learning: ProjectLearning) -> MemoryItem {
    MemoryItem {
        reference: project_reference(&learning.text),
        kind: "learning",
        of: "project".to_owned(),
        key: text_digest(&learning.text),
        created_at: learning.at.clone(),
        fresh_at: latest([Some(learning.at), learning.truth.confirmed_at.clone()]),
        truth: learning.truth,
        hits: 1,
        text: learning.text,
        entity: None,
    }
}
