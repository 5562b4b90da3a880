//! Answers that fit. A model's client cuts what is too long, and cuts it badly; so lists end early
//! and say where they go on, and a single entity that is too long is shortened and says so.

use std::io;

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::outputs::EntityOutput;

/// How many characters of a field stay when an entity is shortened.
const FIELD_CHARS: usize = 16_000;
const CONTENT_CHARS: usize = 40_000;
const LIST_ITEMS: usize = 20;

/// Roughly what the entity takes as JSON.
fn size(entity: &EntityOutput) -> usize {
    let properties: usize = entity
        .properties
        .values()
        .map(|value| match value {
            Json::String(text) => text.len(),
            Json::Array(items) => items
                .iter()
                .map(|item| item.as_str().map_or(8, str::len) + 4)
                .sum(),
            _ => 8,
        })
        .sum();
    let tags: usize = entity.tags.iter().map(|tag| tag.len() + 4).sum();
    400 + entity.title.len() + entity.content.as_deref().map_or(0, str::len) + tags + properties
}

/// Shortens an entity that is longer than the whole budget.
pub fn shorten(mut entity: EntityOutput, budget: Option<usize>) -> EntityOutput {
    let Some(budget) = budget else {
        return entity;
    };
    if size(&entity) <= budget {
        return entity;
    }
    if let Some(content) = &mut entity.content
        && let Some(whole) = cut(content, CONTENT_CHARS)
    {
        entity.truncated.insert("content".into(), json!(whole));
    }
    for (name, value) in &mut entity.properties {
        match value {
            Json::String(text) => {
                if let Some(whole) = cut(text, FIELD_CHARS) {
                    entity.truncated.insert(name.clone(), json!(whole));
                }
            }
            Json::Array(items) if items.len() > LIST_ITEMS => {
                entity.truncated.insert(name.clone(), json!(items.len()));
                items.truncate(LIST_ITEMS);
            }
            _ => {}
        }
    }
    entity
}

/// Cuts at a character, and answers the whole length if anything was cut.
pub fn cut(text: &mut String, keep: usize) -> Option<usize> {
    let (end, _) = text.char_indices().nth(keep)?;
    let whole = text.chars().count();
    text.truncate(end);
    Some(whole)
}

/// Counts what is written to it.
struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Cuts a list of small things to what fits the budget; at least one. Says whether it cut.
pub fn fit_items<T: Serialize>(items: &mut Vec<T>, budget: Option<usize>) -> bool {
    let Some(limit) = budget else {
        return false;
    };
    let mut counter = Counter(0);
    let fitting = items
        .iter()
        .take_while(|item| serde_json::to_writer(&mut counter, item).is_ok() && counter.0 <= limit)
        .count()
        .max(1);
    let cut = fitting < items.len();
    items.truncate(fitting);
    cut
}

/// The first entities that fit the budget together; at least one.
pub fn fit(entities: Vec<EntityOutput>, budget: Option<usize>) -> Vec<EntityOutput> {
    let Some(limit) = budget else {
        return entities;
    };
    let mut used = 0;
    let mut kept = Vec::with_capacity(entities.len());
    for entity in entities {
        let entity = shorten(entity, budget);
        used += size(&entity);
        if used > limit && !kept.is_empty() {
            break;
        }
        kept.push(entity);
    }
    kept
}
