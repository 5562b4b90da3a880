use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Page, Result};
use windlass_store::Direction;

use crate::answers::{RelationView, relation_columns};
use crate::arguments::Id;
use crate::budget::fit_items;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::view::{Render, Span, Style, View};

pub struct GraphRelations;

/// Show the relations of an entity: what it points to, what points to it, or both.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// Relations that start at it (from), end at it (to), or both.
    #[serde(default)]
    #[arg(long, value_enum, default_value_t = DirectionName::Both)]
    pub direction: DirectionName,
    /// How many to answer, 1 to 100.
    #[serde(default = "default_limit")]
    #[arg(long, default_value_t = 100)]
    #[schemars(range(min = 1, max = 100))]
    pub limit: u32,
    /// How many to skip.
    #[serde(default)]
    #[arg(long, default_value_t = 0)]
    pub offset: u32,
}

fn default_limit() -> u32 {
    windlass_core::MAX_LIMIT
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DirectionName {
    From,
    To,
    #[default]
    Both,
}

/// The relations that were found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Relations {
    pub relations: Vec<RelationView>,
    /// Whether there are more.
    pub has_more: bool,
}

impl Render for Relations {
    fn view(&self) -> View {
        if self.relations.is_empty() {
            return View::nothing("No relations. `windlass relation add FROM TYPE TO` makes one.");
        }
        let rows = self.relations.iter().map(RelationView::row).collect();
        let view = View::default().table(relation_columns(), rows);
        if self.has_more {
            return view.line([Span::new("There is more: --offset goes on.", Style::Dim)]);
        }
        view
    }
}

impl Operation for GraphRelations {
    type Input = Input;
    type Output = Relations;

    const DECLARATION: Declaration = Declaration {
        name: "graph_relations",
        toolset: Toolset::Knowledge,
        cli: &["graph", "relations"],
        sdk: "graph.relations",
        effect: Effect::Read,
        idempotent: true,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "Everything around task 2",
            cli: &["graph", "relations", "2"],
            input: r#"{"id": "2"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Relations> {
        let direction = match input.direction {
            DirectionName::From => Direction::From,
            DirectionName::To => Direction::To,
            DirectionName::Both => Direction::Both,
        };
        let page = Page::new(input.limit, input.offset)?;
        let relations = context.read(|reader| {
            let id = reader.resolve("id", &input.id.0)?;
            reader.relations(&id, direction)
        })?;
        let (offset, limit) = (page.offset as usize, page.limit as usize);
        let has_more = relations.len() > offset.saturating_add(limit);
        let mut relations: Vec<RelationView> = relations
            .into_iter()
            .skip(offset)
            .take(limit)
            .map(RelationView::from)
            .collect();
        let cut = fit_items(&mut relations, context.answer_budget);
        Ok(Relations {
            relations,
            has_more: has_more || cut,
        })
    }
}
