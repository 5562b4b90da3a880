//! Which decisions and learnings belong to a task: those that are related to it, those of its
//! feature, and those that speak of the same things.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Entity, EntityId, EntityType, Page, Result, SearchQuery};
use windlass_store::{Reader, SearchFilter};
use windlass_vectors::Vector;

use super::{Cut, Surroundings};
use crate::context::ReadContext;
use crate::memory::ProjectLearning;
use crate::plan::{Journal, learnings_of};
use crate::semantic::{search_both, similar_texts};

/// How many decisions are looked at.
const DECISIONS: usize = 5;
/// How many decisions the search may add.
const FOUND: u32 = 5;
/// The project's learnings that are looked at, from the end.
const LINES: usize = 500;
/// How much of a task's text says what it is about.
const TOPIC_CHARS: usize = 600;
/// What is less similar to a task has nothing to do with it, unless it shares many of its words.
const LEAST_SIMILAR: f64 = 0.25;
const MANY_SHARED_WORDS: f64 = 0.4;
const LEAST_SIMILAR_LEARNING: f32 = 0.3;

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
pub fn decisions(
    reader: &Reader<'_>,
    task: &Entity,
    about_the_same: &[Entity],
) -> Result<Vec<RelatedDecision>> {
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
    if let Some(query) = of_feature {
        let page = Page {
            limit: FOUND,
            offset: 0,
        };
        for hit in reader.search(&SearchFilter { query, page })?.0 {
            add(hit.entity);
        }
    }
    about_the_same.iter().cloned().for_each(&mut add);
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

/// What the task is about, in a few words.
fn topic(task: &Entity) -> String {
    let content = task.content.as_deref().unwrap_or_default();
    let beginning: String = content.chars().take(TOPIC_CHARS).collect();
    format!("{} {} {beginning}", task.title, task.tags.join(" "))
}

/// What the task means, where a model is installed.
pub fn meaning(context: &ReadContext, task: &Entity) -> Option<Vector> {
    let model = context.workspace.meaning().ready()?;
    Some(model.embed(&topic(task)))
}

/// Decisions that speak of the same things: by words and meaning where a model is installed, by the
/// words of the title and the tags otherwise.
pub fn about_the_same(context: &ReadContext, task: &Entity) -> Result<Vec<Entity>> {
    let mut query = SearchQuery {
        types: vec![EntityType::Decision],
        ..SearchQuery::default()
    };
    if let Some(model) = context.workspace.meaning().ready() {
        query.text = topic(task);
        let found = search_both(context, &model, &query, 2 * DECISIONS)?
            .hits
            .into_iter();
        let found = found.filter(|it| {
            it.signals.similarity >= LEAST_SIMILAR || it.signals.words >= MANY_SHARED_WORDS
        });
        return Ok(found.map(|it| it.hit.entity).collect());
    }
    let spoken = words(&format!("{} {}", task.title, task.tags.join(" ")));
    query.text = spoken.into_iter().collect::<Vec<_>>().join(" ");
    let page = Page {
        limit: FOUND,
        offset: 0,
    };
    let (hits, _) = context.read(|reader| reader.search(&SearchFilter { query, page }))?;
    Ok(hits.into_iter().map(|hit| hit.entity).collect())
}

/// The latest learnings of the whole project that still hold.
pub fn of_project(context: &ReadContext) -> Result<Vec<ProjectLearning>> {
    let mut found = Journal::Learnings.learnings(context)?;
    found.retain(|it| !it.truth.is_retired());
    let from = found.len().saturating_sub(LINES);
    Ok(found.split_off(from))
}

/// The learnings that fit the task best: its own and those above it first, then those of its feature
/// and of the project that are nearest to it. What somebody confirmed lately counts more, and what does
/// not hold any more does not count.
pub fn learnings(
    reader: &Reader<'_>,
    task: &Entity,
    surroundings: &Surroundings,
) -> Result<Vec<String>> {
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
        let own = reader.task_learnings(&id)?.into_iter();
        let own = own.filter(|it| !it.learning.truth.is_retired());
        chosen.extend(own.map(|it| it.learning.text));
    }
    let topic = words(&format!(
        "{} {} {}",
        task.title,
        task.content.as_deref().unwrap_or_default(),
        task.tags.join(" ")
    ));
    let near = |text: &str| -> Result<usize> {
        let Some(meaning) = &surroundings.meaning else {
            return Ok(0);
        };
        let found = similar_texts(reader, meaning, &[text])?;
        let similarity = found.get(&0).copied().unwrap_or(0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 20"
        )]
        let points = (20.0 * (similarity - LEAST_SIMILAR_LEARNING)).max(0.0) as usize;
        Ok(points)
    };
    let mut ranked: Vec<(usize, String)> = Vec::new();
    if let Some(name) = task.text("feature")
        && let Some(feature) = reader.find_by_name(EntityType::Feature, name)?
    {
        for learning in learnings_of(reader, &feature)? {
            if learning.retired_at.is_some() {
                continue;
            }
            // What people wrote counts more, and what was learned more than once.
            let trusted = usize::from(learning.source == "human");
            let confirmed = usize::from(learning.confirmed_at.is_some());
            let hits = usize::try_from(learning.hit_count).unwrap_or(0).min(5);
            let shared = shared(&topic, &learning.text);
            let points = 3 * shared + 2 * trusted + 2 * confirmed + hits + 1;
            ranked.push((points + near(&learning.text)?, learning.text));
        }
    }
    for line in &surroundings.learnings {
        let points = 3 * shared(&topic, &line.text) + near(&line.text)?;
        if points > 0 {
            let confirmed = usize::from(line.truth.confirmed_at.is_some());
            ranked.push((points + 2 * confirmed, line.text.clone()));
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
pub fn words(text: &str) -> BTreeSet<String> {
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
