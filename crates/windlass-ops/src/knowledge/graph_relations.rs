use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;
use windlass_store::Direction;

use crate::answers::{RelationView, more_line, relation_columns};
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::paging::{Limit, PageInfo, read_page};
use crate::view::{Render, View};

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
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<100>,
    /// How many to skip.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub offset: u32,
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
    #[serde(flatten)]
    pub page: PageInfo,
}

impl Render for Relations {
    fn view(&self) -> View {
        if self.relations.is_empty() {
            return View::nothing("No relations. `windlass relation add FROM TYPE TO` makes one.");
        }
        let rows = self.relations.iter().map(RelationView::row).collect();
        let view = View::default().table(relation_columns(), rows);
        if self.page.has_more {
            return more_line(view, self.relations.len(), self.page.offset, None);
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
        long_running: false,
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
        let page = input.limit.page(input.offset)?;
        let (relations, page) = read_page(page, context.answer_budget, |page| {
            let relations = context.read(|reader| {
                let id = reader.resolve("id", &input.id.0)?;
                reader.relations(&id, direction, page)
            })?;
            Ok(relations.into_iter().map(RelationView::from).collect())
        })?;
        Ok(Relations { relations, page })
    }
}
