use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Result, SearchQuery};

use super::search_fulltext::SearchResults;
use crate::arguments::Words;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::paging::Limit;

pub struct SearchQueryOperation;

/// Find entities by filters and words together. Filters: type:task status:todo priority:high
/// tag:auth created:>2026-01-01 updated:<2026-02-01; everything else is text to look for. Several
/// filters of one kind widen (tags narrow); without text the newest come first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Filters and words, for example: type:task tag:auth login
    #[command(flatten)]
    pub query: Words,
    /// How many to answer, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<20>,
    /// How many to skip.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub offset: u32,
}

impl Operation for SearchQueryOperation {
    type Input = Input;
    type Output = SearchResults;

    const DECLARATION: Declaration = Declaration {
        name: "search_query",
        toolset: Toolset::Knowledge,
        cli: &["query"],
        sdk: "search.query",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "Open tasks about logging in",
            cli: &["query", "type:task", "status:todo", "auth"],
            input: r#"{"query": "type:task status:todo auth"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<SearchResults> {
        let query = SearchQuery::parse(&input.query.0)?;
        SearchResults::read(&context, query, input.limit.page(input.offset)?)
    }
}
