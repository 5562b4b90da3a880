use crate::prelude::*;
use windlass_core::{Dialect, Page, SearchQuery, TaskStatus};
use windlass_store::{Hit, SearchFilter};

use crate::arguments::{TypeName, Words};
use crate::outputs::{EntitySummary, number, status_span};

pub struct SearchFulltext;

/// Find entities by their words, best first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The words to look for.
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
}

/// An entity that was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchHit {
    #[serde(flatten)]
    pub entity: EntitySummary,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The same as people read it.
    #[serde(skip)]
    shown_status: Option<String>,
    pub tags: Vec<String>,
    /// Higher is better; 0 where only filters were given.
    pub score: f64,
    /// A piece of the text, with ** around the words that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

impl From<Hit> for SearchHit {
    fn from(hit: Hit) -> Self {
        let properties = hit.entity.properties_in(Dialect::Knowledge);
        let status = properties.get("status").and_then(|status| status.as_str());
        let canonical = hit.entity.task_status().map(TaskStatus::name);
        Self {
            entity: EntitySummary::from(&hit.entity),
            status: status.map(str::to_owned),
            shown_status: canonical.or(status).map(str::to_owned),
            tags: hit.entity.tags,
            score: rounded(hit.score),
            snippet: hit.snippet,
        }
    }
}

/// A score tells hits apart; more digits would say nothing.
fn rounded(score: f64) -> f64 {
    format!("{score:.2e}").parse().unwrap_or(score)
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchResults {
    pub results: Vec<SearchHit>,
    /// Whether each result contains all words, or only some because none contains all; absent where
    /// they were not found by words alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
    /// Whether there is more than was asked for.
    pub has_more: bool,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Matched {
    All,
    Any,
}

impl SearchResults {
    /// Results of a search that does not go by words alone.
    pub fn all(results: Vec<SearchHit>, has_more: bool) -> Self {
        Self {
            results,
            matched: None,
            has_more,
        }
    }

    /// Whether it is less than what was searched for.
    pub fn is_partial(&self) -> bool {
        self.results.is_empty() || matches!(self.matched, Some(Matched::Any))
    }

    pub fn read(context: &ReadContext, query: SearchQuery, page: Page) -> Result<Self> {
        let mut matched = Matched::All;
        let (results, info) = read_page(page, |page| {
            let filter = SearchFilter { query, page };
            let (hits, every) = context.read(|reader| reader.search(&filter))?;
            if !every {
                matched = Matched::Any;
            }
            Ok(hits.into_iter().map(SearchHit::from).collect())
        })?;
        Ok(Self {
            results,
            matched: Some(matched),
            has_more: info.has_more,
        })
    }
}

impl Render for SearchResults {
    fn view(&self) -> View {
        if self.results.is_empty() {
            return View::nothing("Nothing found.");
        }
        let mut view = View::default();
        if matches!(self.matched, Some(Matched::Any)) {
            view = view.line([Span::new(
                "No entity has all of these words; these have some:",
                Style::Dim,
            )]);
        }
        for hit in &self.results {
            let mut line = vec![
                number(hit.entity.sequence_number),
                Span::from(" "),
                Span::new(hit.entity.title.clone(), Style::Strong),
                Span::new(format!("  {}", hit.entity.kind), Style::Dim),
            ];
            if let Some(status) = &hit.shown_status {
                line.extend([Span::from(" "), status_span(status)]);
            }
            view = view.line(line);
            if let Some(snippet) = &hit.snippet
                && snippet.replace("**", "") != hit.entity.title
            {
                view = view.line(snippet_spans(snippet));
            }
        }
        if self.has_more {
            view = view.line([Span::new(
                "There is more: raise --limit or add words.",
                Style::Dim,
            )]);
        }
        view
    }
}

/// Turns the `**` marks into styled spans.
fn snippet_spans(snippet: &str) -> Vec<Span> {
    let folded = snippet.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut spans = vec![Span::from("    ")];
    for (at, piece) in folded.split("**").enumerate() {
        let style = if at % 2 == 1 {
            Style::Match
        } else {
            Style::Dim
        };
        spans.push(Span::new(piece, style));
    }
    spans
}

impl ReadOperation for SearchFulltext {
    type Input = Input;
    type Output = SearchResults;

    const DECLARATION: Declaration = Declaration::read("search_fulltext", Toolset::Knowledge)
        .sdk("search.fulltext")
        .examples(&[Example::call(
            "Decisions about the database",
            r#"{"query": "database", "type": "decision"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<SearchResults> {
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
        SearchResults::read(&context, query, input.limit.first_page()?)
    }
}
