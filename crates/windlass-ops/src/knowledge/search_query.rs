use crate::prelude::*;
use windlass_core::SearchQuery;

use super::search_fulltext::SearchResults;
use crate::arguments::Words;

pub struct SearchQueryOperation;

/// Find entities by filters and words. Filters: type:task status:todo priority:high tag:auth
/// created:>2026-01-01 updated:<2026-02-01. Without words the newest come first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// For example: type:task tag:auth login
    #[command(flatten)]
    pub query: Words,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<20>,
}

impl ReadOperation for SearchQueryOperation {
    type Input = Input;
    type Output = SearchResults;

    const DECLARATION: Declaration = Declaration::read("search_query", Toolset::Knowledge)
        .sdk("search.query")
        .cli(&["query"])
        .examples(&[Example::new(
            "Open tasks about logging in",
            &["query", "type:task", "status:todo", "auth"],
            r#"{"query": "type:task status:todo auth"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<SearchResults> {
        let query = SearchQuery::parse(&input.query.0)?;
        SearchResults::read(&context, query, input.paging.page()?)
    }
}
