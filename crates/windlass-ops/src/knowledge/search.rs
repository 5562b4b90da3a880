use crate::prelude::*;
use windlass_core::SearchQuery;

use super::search_fulltext::{SearchHit, SearchResults};
use super::search_semantic::{FoundByMeaning, SearchMode};
use crate::arguments::{TypeName, Words};
use crate::semantic::search_both;

pub struct Search;

/// Find entities by words and by meaning together: exact names, numbers and titles first. Any text is
/// a valid query.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Words, an error message, a name or a question.
    #[command(flatten)]
    pub query: Words,
    /// Only this type.
    #[serde(rename = "type", default)]
    #[arg(id = "type", long = "type", value_name = "TYPE")]
    pub kind: Option<TypeName>,
    /// How many to return, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<20>,
    /// Only what has the words themselves.
    #[serde(default)]
    #[arg(long)]
    pub exact: bool,
}

impl ReadOperation for Search {
    type Input = Input;
    type Output = FoundByMeaning;

    const DECLARATION: Declaration = Declaration::read("search", Toolset::Board)
        .sdk("search.all")
        .cli(&["search"])
        .blocking()
        .examples(&[Example::new(
            "Decisions about the database",
            &["search", "database", "--type", "decision"],
            r#"{"query": "database", "type": "decision"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<FoundByMeaning> {
        if input.query.0.trim().is_empty() {
            return Err(Error::validation("query", "is required"));
        }
        let query = SearchQuery {
            text: input.query.0,
            types: input
                .kind
                .iter()
                .map(TypeName::parse)
                .collect::<Result<_>>()?,
            ..SearchQuery::default()
        };
        let page = input.limit.first_page()?;
        let available = context.workspace.meaning();
        let Some(model) = available.clone().ready().filter(|_| !input.exact) else {
            let found = SearchResults::read(&context, query, page)?;
            let hint = available.hint_unless(!found.is_partial());
            return Ok(FoundByMeaning {
                hint: hint.filter(|_| !input.exact),
                found,
                mode: SearchMode::Fulltext,
                pending: 0,
            });
        };
        let limit = page.limit as usize;
        let mut combined = search_both(&context, &model, &query, limit + 1)?;
        let has_more = combined.hits.len() > limit;
        combined.hits.truncate(limit);
        let results = combined.hits.into_iter().map(|it| SearchHit::from(it.hit));
        Ok(FoundByMeaning {
            found: SearchResults::all(results.collect(), has_more),
            mode: SearchMode::Hybrid,
            hint: None,
            pending: combined.waiting,
        })
    }
}
