use crate::prelude::*;
use windlass_core::{Entity, EntityType, RelationType, SearchQuery};

use crate::outputs::EntitySummary;
use crate::semantic::{Signals, search_both};

pub struct GraphSuggest;

/// List entities that are probably related to one and are not yet, with scores. Nothing is added:
/// relation_create does that.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// How many to return, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<10>,
}

/// An entity that may be related.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggestion {
    #[serde(flatten)]
    pub entity: EntitySummary,
    /// 0 to 1.
    pub score: f64,
    /// A relation that the rules allow between the two.
    pub relation_type: String,
    /// Whether the entity that was asked about is the source of that relation.
    pub from_here: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggestions {
    pub suggestions: Vec<Suggestion>,
    /// Why they are less good than they could be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Render for Suggestions {
    fn view(&self) -> View {
        if self.suggestions.is_empty() {
            return View::nothing("Nothing seems to be related that is not already.");
        }
        let mut view = View::default();
        for it in &self.suggestions {
            let mut line = vec![Span::new(format!("{:.2}  ", it.score), Style::Dim)];
            line.extend(it.entity.spans());
            let direction = if it.from_here { "→" } else { "←" };
            line.push(Span::new(
                format!("  {} {direction}", it.relation_type),
                Style::Dim,
            ));
            view = view.line(line);
        }
        match &self.hint {
            Some(hint) => view.line([Span::new(hint.clone(), Style::Dim)]),
            None => view,
        }
    }
}

/// Below that, similarity says nothing.
const LEAST: f64 = 0.35;

/// The relation that fits the types of two entities, and whether the first is its source.
fn fitting(one: &Entity, other: &Entity) -> (RelationType, bool) {
    use EntityType::{Component, Decision, Note, Task};
    match (one.kind, other.kind) {
        (Task, Decision) => (RelationType::Implements, true),
        (Decision, Task) => (RelationType::Implements, false),
        (Task, Component) => (RelationType::BelongsTo, true),
        (Component, Task) => (RelationType::BelongsTo, false),
        (Note, Component) => (RelationType::Documents, true),
        (Component, Note) => (RelationType::Documents, false),
        _ => (RelationType::References, true),
    }
}

impl ReadOperation for GraphSuggest {
    type Input = Input;
    type Output = Suggestions;

    const DECLARATION: Declaration = Declaration::read("graph_suggest", Toolset::Board)
        .sdk("graph.suggest")
        .cli(&["graph", "suggest"])
        .blocking()
        .examples(&[Example::new(
            "What task 2 may be related to",
            &["graph", "suggest", "2"],
            r#"{"id": "2"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Suggestions> {
        let limit = input.limit.first_page()?.limit as usize;
        let (entity, related) = context.read(|reader| {
            let id = reader.resolve("id", &input.id.0)?;
            let entity = reader.entity(&id)?;
            let related = reader.related(&id)?;
            Ok((entity, related))
        })?;
        let available = context.workspace.meaning();
        let content: String = entity
            .content
            .iter()
            .flat_map(|it| it.chars().take(600))
            .collect();
        let query = SearchQuery {
            text: format!("{}\n{}\n{content}", entity.title, entity.tags.join(" ")),
            ..SearchQuery::default()
        };
        let most = limit + related.len() + 1;
        let found: Vec<(Entity, f64)> = match available.clone().ready() {
            Some(model) => search_both(&context, &model, &query, most.max(60))?
                .hits
                .into_iter()
                .map(|it| {
                    let score = score(it.signals);
                    (it.hit.entity, score)
                })
                .collect(),
            None => by_words(&context, query, most)?,
        };
        let mut found: Vec<(Entity, f64)> = found
            .into_iter()
            .filter(|(other, score)| {
                *score >= LEAST && other.id != entity.id && !related.contains(&other.id)
            })
            .collect();
        found.sort_by(|one, other| {
            other
                .1
                .total_cmp(&one.1)
                .then(one.0.number.cmp(&other.0.number))
        });
        found.truncate(limit);
        let suggestions = found.into_iter().map(|(other, score)| {
            let (relation, from_here) = fitting(&entity, &other);
            Suggestion {
                entity: EntitySummary::from(&other),
                score: (score * 100.0).round() / 100.0,
                relation_type: relation.name().to_owned(),
                from_here,
            }
        });
        let suggestions: Vec<Suggestion> = suggestions.collect();
        Ok(Suggestions {
            hint: available.hint_unless(!suggestions.is_empty()),
            suggestions,
        })
    }
}

/// Meaning first; words help where there are many in common.
fn score(signals: Signals) -> f64 {
    (signals.similarity + 0.3 * signals.words).min(1.0)
}

/// Without a model: entities that share words, the best one counting as 1.
fn by_words(context: &ReadContext, query: SearchQuery, most: usize) -> Result<Vec<(Entity, f64)>> {
    let page = windlass_core::Page {
        limit: u32::try_from(most.min(100)).unwrap_or(100),
        offset: 0,
    };
    let filter = windlass_store::SearchFilter { query, page };
    let (hits, _) = context.read(|reader| reader.search(&filter))?;
    let best = hits
        .get(1)
        .or(hits.first())
        .map_or(1.0, |hit| hit.score)
        .max(f64::MIN_POSITIVE);
    Ok(hits
        .into_iter()
        .map(|hit| (hit.entity, (hit.score / best).min(1.0)))
        .collect())
}
