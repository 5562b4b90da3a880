//! Finds what belongs to a topic.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::{Dialect, Entity, EntityId, EntityType, Page, Result, SearchQuery, TaskStatus};
use windlass_store::{Reader, SearchFilter};
use windlass_vectors::Model;

use super::Known;
use crate::context::ReadContext;
use crate::knowledge::SearchMode;
use crate::memory::{MemoryItem, memory_items, truth_of};
use crate::semantic::{Signals, search_both, similar_texts};

/// Entities that the search may bring.
const FOUND: usize = 60;
/// The best of them bring what they are related to.
const EXPANDED: usize = 8;
/// How much speaks for a hit at least, for those that are not related to better ones.
const LEAST: f64 = 0.3;
const LEAST_SIMILAR_LEARNING: f32 = 0.4;

/// Where something is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    Decisions,
    OpenTasks,
    DoneTasks,
    Notes,
    Components,
    Learnings,
    Others,
}

/// Something that belongs to the topic.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub section: Section,
    pub known: Known,
    /// For the order: the newest first.
    pub millis: i64,
    pub number: i64,
}

/// Everything that was found, best first.
pub struct Gathered {
    pub topic: String,
    pub items: Vec<Item>,
    pub replaced: Vec<String>,
    pub relations: Vec<(i64, i64, String)>,
    pub mode: SearchMode,
    pub hint: Option<String>,
}

pub fn gather(context: &ReadContext, topic: &str) -> Result<Gathered> {
    let named = named_entity(context, topic)?;
    let text = named.as_ref().map_or(topic.to_owned(), about_text);
    let topic = named.as_ref().map_or(topic.to_owned(), |entity| {
        format!("#{} {}", entity.number, entity.title)
    });
    let available = context.workspace.meaning();
    let model = available.clone().ready();
    let query = SearchQuery {
        text: text.clone(),
        ..SearchQuery::default()
    };
    let mut hits: Vec<Entity> = named.into_iter().collect();
    hits.extend(match &model {
        Some(model) => by_both(context, model, &query)?,
        None => by_words(context, query)?,
    });
    let found = context.read(|reader| {
        reader.consistently(|reader| {
            let hits = with_related(reader, hits)?;
            let mut sorted = sort(reader, &hits)?;
            let learnings = learnings(reader, &text, model.as_deref())?;
            for learning in learnings {
                add_learning(&mut sorted, learning);
            }
            sorted.2 = relations(reader, &hits)?;
            Ok(sorted)
        })
    })?;
    let (items, replaced, relations) = found;
    Ok(Gathered {
        topic,
        hint: available.hint_unless(!items.is_empty()),
        items,
        replaced,
        relations,
        mode: match model {
            Some(_) => SearchMode::Hybrid,
            None => SearchMode::Fulltext,
        },
    })
}

/// A topic may be an entity, by its number.
fn named_entity(context: &ReadContext, topic: &str) -> Result<Option<Entity>> {
    let digits = topic.strip_prefix('#').unwrap_or(topic);
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return Ok(None);
    }
    context.read(|reader| {
        let id = reader.resolve("topic", topic);
        Ok(id.and_then(|id| reader.entity(&id)).ok())
    })
}

fn about_text(entity: &Entity) -> String {
    let content = entity.content.as_deref().unwrap_or_default();
    let beginning: String = content.chars().take(400).collect();
    format!("{} {} {beginning}", entity.title, entity.tags.join(" "))
}

fn by_both(context: &ReadContext, model: &Model, query: &SearchQuery) -> Result<Vec<Entity>> {
    let counts = |signals: Signals| signals.similarity.max(signals.words) >= LEAST;
    let found = search_both(context, model, query, FOUND)?.hits.into_iter();
    let found = found.filter(|it| counts(it.signals));
    Ok(found.map(|it| it.hit.entity).collect())
}

fn by_words(context: &ReadContext, query: SearchQuery) -> Result<Vec<Entity>> {
    let page = Page {
        limit: u32::try_from(FOUND).unwrap_or(u32::MAX),
        offset: 0,
    };
    let filter = SearchFilter { query, page };
    let (hits, _) = context.read(|reader| reader.search(&filter))?;
    Ok(hits.into_iter().map(|hit| hit.entity).collect())
}

/// Each entity once, and behind them what the best are related to.
fn with_related(reader: &Reader<'_>, hits: Vec<Entity>) -> Result<Vec<Entity>> {
    let mut seen: BTreeSet<EntityId> = BTreeSet::new();
    let mut all: Vec<Entity> = Vec::new();
    for hit in hits {
        if seen.insert(hit.id.clone()) {
            all.push(hit);
        }
    }
    let best: Vec<EntityId> = all.iter().take(EXPANDED).map(|it| it.id.clone()).collect();
    for id in best {
        for other in reader.related(&id)? {
            if seen.insert(other.clone())
                && let Some(entity) = reader.find_entity(&other)?
            {
                all.push(entity);
            }
        }
    }
    Ok(all)
}

type Sorted = (Vec<Item>, Vec<String>, Vec<(i64, i64, String)>);

fn sort(reader: &Reader<'_>, hits: &[Entity]) -> Result<Sorted> {
    let mut items = Vec::new();
    let mut replaced = Vec::new();
    for entity in hits {
        if let Some(line) = no_longer(reader, entity)? {
            replaced.push(line);
            continue;
        }
        items.push(Item {
            section: section(entity),
            millis: entity.updated_at.as_millis(),
            number: entity.number,
            known: Known {
                id: format!("#{}", entity.number),
                kind: entity.kind.name().to_owned(),
                title: entity.title.clone(),
                status: status(entity),
                date: day(entity.updated_at.as_str()),
                text: entity
                    .content
                    .clone()
                    .filter(|it| !it.trim().is_empty())
                    .or_else(|| entity.text("url").map(str::to_owned)),
            },
        });
    }
    Ok((items, replaced, Vec::new()))
}

fn day(timestamp: &str) -> String {
    timestamp.chars().take(10).collect()
}

fn status(entity: &Entity) -> Option<String> {
    let canonical = entity.task_status().map(TaskStatus::name);
    let own = entity.properties_in(Dialect::Knowledge);
    let own = own.get("status").and_then(|it| it.as_str());
    canonical.or(own).map(str::to_owned)
}

fn section(entity: &Entity) -> Section {
    match entity.kind {
        EntityType::Decision => Section::Decisions,
        EntityType::Task if entity.task_status().is_some_and(TaskStatus::is_ended) => {
            Section::DoneTasks
        }
        EntityType::Task => Section::OpenTasks,
        EntityType::Note => Section::Notes,
        EntityType::Component => Section::Components,
        _ => Section::Others,
    }
}

/// The line of something that does not hold any more.
fn no_longer(reader: &Reader<'_>, entity: &Entity) -> Result<Option<String>> {
    let head = format!(
        "#{} {} ({}, {})",
        entity.number,
        entity.title,
        entity.kind.name(),
        day(entity.updated_at.as_str())
    );
    match (entity.kind, entity.status()) {
        (EntityType::Decision, Some("superseded" | "deprecated")) => {
            let by = entity.text("superseded_by").map(EntityId::from_stored);
            let by = by.map(|id| reader.find_entity(&id)).transpose()?.flatten();
            Ok(Some(match by {
                Some(by) => format!("{head}: superseded by #{} {}", by.number, by.title),
                None => format!("{head}: {}", entity.status().unwrap_or_default()),
            }))
        }
        (EntityType::Note, _) => {
            let truth = truth_of(reader, entity)?;
            Ok(truth.is_retired().then(|| match truth.replaced_by {
                Some(instead) => format!("{head}: no longer true; instead: {instead}"),
                None => format!("{head}: no longer true"),
            }))
        }
        _ => Ok(None),
    }
}

/// Learnings about the topic, best first: by meaning, or by the words that they share with it.
fn learnings(reader: &Reader<'_>, topic: &str, model: Option<&Model>) -> Result<Vec<MemoryItem>> {
    let all: Vec<MemoryItem> = memory_items(reader)?
        .into_iter()
        .filter(|item| item.kind == "learning")
        .collect();
    let texts: Vec<&str> = all.iter().map(|it| it.text.as_str()).collect();
    let by_meaning: BTreeMap<usize, f32> = match model {
        Some(model) => similar_texts(reader, &model.embed(topic), &texts)?,
        None => BTreeMap::new(),
    };
    let words = crate::briefing::words(topic);
    let mut ranked: Vec<(f64, usize)> = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        let shared = crate::briefing::words(text).intersection(&words).count();
        #[expect(clippy::cast_precision_loss, reason = "a few words")]
        let by_words = shared as f64 / words.len().max(1) as f64;
        let similarity = by_meaning.get(&place).copied().unwrap_or(0.0);
        if similarity >= LEAST_SIMILAR_LEARNING || by_words >= 0.5 {
            ranked.push((f64::from(similarity).max(by_words), place));
        }
    }
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut seen = BTreeSet::new();
    let ranked = ranked.into_iter().map(|(_, place)| all[place].clone());
    Ok(ranked
        .filter(|item| seen.insert(item.text.clone()))
        .collect())
}

fn add_learning(sorted: &mut Sorted, learning: MemoryItem) {
    let date = day(learning.fresh_at.as_str());
    if learning.truth.is_retired() {
        let instead = learning
            .truth
            .replaced_by
            .map_or(String::new(), |it| format!("; instead: {it}"));
        sorted.1.push(format!(
            "{} {} (learning, {date}): no longer true{instead}",
            learning.reference, learning.text
        ));
        return;
    }
    sorted.0.push(Item {
        section: Section::Learnings,
        millis: learning.fresh_at.as_millis(),
        number: 0,
        known: Known {
            id: learning.reference,
            kind: "learning".to_owned(),
            title: learning.text,
            status: None,
            date,
            text: Some(learning.of)
                .filter(|it| it != "project")
                .map(|of| format!("of {of}")),
        },
    });
}

/// Relations between what was found: numbers of both ends, and the line.
fn relations(reader: &Reader<'_>, hits: &[Entity]) -> Result<Vec<(i64, i64, String)>> {
    let known: BTreeSet<i64> = hits.iter().map(|it| it.number).collect();
    let mut lines = BTreeSet::new();
    for hit in hits {
        for relation in reader.relations_from(std::slice::from_ref(&hit.id))? {
            let (from, to) = (relation.source.1, relation.target.1);
            if known.contains(&from) && known.contains(&to) {
                lines.insert((from, to, format!("#{from} {} #{to}", relation.kind)));
            }
        }
    }
    Ok(lines.into_iter().collect())
}
