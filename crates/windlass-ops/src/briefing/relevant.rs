//! Which decisions and learnings belong to a task: those that are related to it, those of its
//! feature, and those that speak of the same things.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Entity, EntityId, EntityType, Page, Result, SearchQuery};
use windlass_store::{Reader, SearchFilter};

use super::Cut;
use crate::context::ReadContext;
use crate::plan::{Journal, learnings_of};

/// How many decisions are looked at.
const DECISIONS: usize = 5;
/// How many decisions the search may add.
const FOUND: u32 = 5;
/// Lines of the project's learnings that are looked at, from the end.
const LINES: usize = 500;

/// A decision that concerns the task.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RelatedDecision {
    /// Its number.
    pub id: i64,
    pub title: String,
    /// The beginning of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl RelatedDecision {
    pub(super) fn within(&self, cut: &mut Cut) -> Self {
        let half = cut.limits.item / 2;
        Self {
            id: self.id,
            title: self.title.clone(),
            text: self.text.as_ref().map(|text| {
                let beginning: String = text.chars().take(half).collect();
                if beginning.len() < text.len() {
                    format!("{beginning}…")
                } else {
                    beginning
                }
            }),
        }
    }
}

/// The decisions that concern a task: related to it or to what it is part of, tagged with its
/// feature, and found by its words.
pub fn decisions(reader: &Reader<'_>, task: &Entity) -> Result<Vec<RelatedDecision>> {
    let mut found: Vec<Entity> = Vec::new();
    let mut add = |decision: Entity| {
        let counts = !matches!(decision.status(), Some("superseded" | "deprecated"));
        let known = found.iter().any(|it| it.id == decision.id);
        if decision.kind == EntityType::Decision && counts && !known {
            found.push(decision);
        }
    };
    let mut around: Vec<EntityId> = vec![task.id.clone()];
    around.extend(reader.ancestors(&task.id)?.into_iter().map(|it| it.id));
    for id in &around {
        let (relations, _) = reader.other_relations(id, 50)?;
        for relation in relations {
            for (other, ..) in [&relation.source, &relation.target] {
                if other != id
                    && let Some(entity) = reader.find_entity(other)?
                {
                    add(entity);
                }
            }
        }
    }
    let of_feature = task.text("feature").map(|feature| SearchQuery {
        types: vec![EntityType::Decision],
        tags: vec![feature.to_owned()],
        ..SearchQuery::default()
    });
    let by_words = SearchQuery {
        text: words(&format!("{} {}", task.title, task.tags.join(" ")))
            .into_iter()
            .collect::<Vec<_>>()
            .join(" "),
        types: vec![EntityType::Decision],
        ..SearchQuery::default()
    };
    for query in of_feature.into_iter().chain([by_words]) {
        let filter = SearchFilter {
            query,
            page: Page {
                limit: FOUND,
                offset: 0,
            },
        };
        for hit in reader.search(&filter)?.0 {
            add(hit.entity);
        }
    }
    Ok(found
        .into_iter()
        .take(DECISIONS)
        .map(|decision| RelatedDecision {
            id: decision.number,
            text: decision.content.filter(|text| !text.trim().is_empty()),
            title: decision.title,
        })
        .collect())
}

/// The learnings of the whole project, without their times.
pub fn of_project(context: &ReadContext) -> Result<Vec<String>> {
    let journal = Journal::Learnings.read(context)?;
    let lines: Vec<&str> = journal.text.lines().collect();
    let from = lines.len().saturating_sub(LINES);
    Ok(lines[from..]
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| without_time(line).to_owned())
        .collect())
}

/// `[2026-11-16T22:30:00Z] text` or `2026-11-16T22:30:00Z text`
fn without_time(line: &str) -> &str {
    let inner = line.trim_start_matches(['[', '-', ' ']);
    let is_time = inner.len() > 10 && inner.as_bytes()[..4].iter().all(u8::is_ascii_digit);
    match inner.split_once(' ') {
        Some((_, text)) if is_time => text.trim_start_matches([']', ' ']),
        _ => line,
    }
}

/// The learnings that fit the task best: its own and those above it first, then those of its feature
/// and of the project that share most words with it.
pub fn learnings(reader: &Reader<'_>, task: &Entity, project: &[String]) -> Result<Vec<String>> {
    let mut chosen: Vec<String> = Vec::new();
    let mut ids: Vec<EntityId> = vec![task.id.clone()];
    ids.extend(
        reader
            .ancestors(&task.id)?
            .into_iter()
            .rev()
            .map(|it| it.id),
    );
    for id in ids {
        for learning in reader.task_learnings(&id)? {
            chosen.push(learning.learning.text);
        }
    }
    let topic = words(&format!(
        "{} {} {}",
        task.title,
        task.content.as_deref().unwrap_or_default(),
        task.tags.join(" ")
    ));
    // What people wrote counts more, and what was learnt more than once.
    let mut ranked: Vec<(usize, String)> = Vec::new();
    if let Some(name) = task.text("feature")
        && let Some(feature) = reader.find_by_name(EntityType::Feature, name)?
    {
        for learning in learnings_of(reader, &feature)? {
            let trusted = usize::from(learning.source == "human");
            let hits = usize::try_from(learning.hit_count).unwrap_or(0).min(5);
            let shared = shared(&topic, &learning.text);
            ranked.push((3 * shared + 2 * trusted + hits + 1, learning.text));
        }
    }
    for line in project {
        let shared = shared(&topic, line);
        if shared > 0 {
            ranked.push((3 * shared, line.clone()));
        }
    }
    ranked.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    chosen.extend(ranked.into_iter().map(|(_, text)| text));
    let mut seen = BTreeSet::new();
    chosen.retain(|text| seen.insert(text.clone()));
    Ok(chosen)
}

fn shared(topic: &BTreeSet<String>, text: &str) -> usize {
    words(text).intersection(topic).count()
}

/// The words of a text that say something.
fn words(text: &str) -> BTreeSet<String> {
    const COMMON: [&str; 24] = [
        "the", "and", "for", "with", "that", "this", "from", "into", "are", "not", "when",
        "should", "must", "can", "has", "have", "its", "use", "add", "all", "new", "make", "via",
        "was",
    ];
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .map(str::to_lowercase)
        .filter(|word| word.chars().count() >= 3 && !COMMON.contains(&word.as_str()))
        .collect()
}
