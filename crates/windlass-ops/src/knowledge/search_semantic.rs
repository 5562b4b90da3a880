use crate::prelude::*;
use windlass_core::SearchQuery;
use windlass_store::Hit;

use super::search_fulltext::{SearchHit, SearchResults};
use crate::arguments::{TypeName, Words};
use crate::semantic::{Near, Wanted, nearest, piece_of};

pub struct SearchSemantic;

/// Find entities by meaning, nearest first, also in other words. Without a model on this machine it
/// goes by words, and says so.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// A question or a description.
    #[command(flatten)]
    pub query: Words,
    /// Only this type.
    #[serde(rename = "type", default)]
    #[arg(id = "type", long = "type", value_name = "TYPE")]
    pub kind: Option<TypeName>,
    /// How many to return, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<10>,
    /// The least similarity, 0 to 1.
    #[serde(default = "default_threshold")]
    #[arg(long, default_value_t = default_threshold())]
    pub threshold: f64,
}

fn default_threshold() -> f64 {
    0.3
}

/// What was found, and by which search.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundByMeaning {
    #[serde(flatten)]
    pub found: SearchResults,
    pub mode: SearchMode,
    /// Why it is not the search that was asked for, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Texts that were changed lately and are not searched by meaning yet.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub pending: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How results were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SearchMode {
    /// By meaning.
    Semantic,
    /// By meaning and by words.
    Hybrid,
    /// By words.
    Fulltext,
}

impl FoundByMeaning {
    /// What the words find, for a caller who asked for more.
    pub fn by_words(
        context: &ReadContext,
        query: SearchQuery,
        limit: Limit<10>,
        hint: Option<String>,
    ) -> Result<Self> {
        Ok(Self {
            found: SearchResults::read(context, query, limit.first_page()?)?,
            mode: SearchMode::Fulltext,
            hint,
            pending: 0,
        })
    }
}

impl Render for FoundByMeaning {
    fn view(&self) -> View {
        let view = self.found.view();
        match &self.hint {
            Some(hint) => view.line([Span::new(hint.clone(), Style::Dim)]),
            None => view,
        }
    }
}

impl From<Near> for Hit {
    fn from(near: Near) -> Self {
        Self {
            score: f64::from(near.similarity),
            snippet: piece_of(&near.entity, &near.piece),
            entity: near.entity,
        }
    }
}

impl ReadOperation for SearchSemantic {
    type Input = Input;
    type Output = FoundByMeaning;

    const DECLARATION: Declaration = Declaration::read("search_semantic", Toolset::Knowledge)
        .sdk("search.semantic")
        .blocking()
        .examples(&[Example::call(
            "Decisions about where data is kept",
            r#"{"query": "where do we keep data", "type": "decision"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<FoundByMeaning> {
        let text = input.query.0.trim().to_owned();
        if text.is_empty() {
            return Err(Error::validation("query", "is required"));
        }
        if !(0.0..=1.0).contains(&input.threshold) {
            return Err(Error::validation("threshold", "must be 0 to 1"));
        }
        let kinds = input
            .kind
            .iter()
            .map(TypeName::parse)
            .collect::<Result<Vec<_>>>()?;
        let page = input.limit.first_page()?;
        let available = context.workspace.meaning();
        let hint = available.hint();
        let Some(model) = available.ready() else {
            let query = SearchQuery {
                text,
                types: kinds,
                ..SearchQuery::default()
            };
            return FoundByMeaning::by_words(&context, query, input.limit, hint);
        };
        let limit = page.limit as usize;
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let wanted = Wanted {
            kinds: &kinds,
            limit: limit + 1,
            threshold: input.threshold as f32,
        };
        let (mut near, pending) = nearest(&context, &model, &model.embed(&text), wanted)?;
        let has_more = near.len() > limit;
        near.truncate(limit);
        let results = near.into_iter().map(|it| SearchHit::from(Hit::from(it)));
        Ok(FoundByMeaning {
            found: SearchResults::all(results.collect(), has_more),
            mode: SearchMode::Semantic,
            hint: None,
            pending,
        })
    }
}
