use crate::prelude::*;
use windlass_store::Direction;

use crate::outputs::{RelationOutput, more_line, relation_columns};

pub struct GraphRelations;

/// List the relations of an entity.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number or id.
    pub id: Id,
    /// Those that start at it (from) or end at it (to).
    #[serde(default)]
    #[arg(long, value_enum, default_value_t = DirectionName::Both)]
    pub direction: DirectionName,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<100>,
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
    pub relations: Vec<RelationOutput>,
    #[serde(flatten)]
    pub page: PageInfo,
}

impl Render for Relations {
    fn view(&self) -> View {
        if self.relations.is_empty() {
            return View::nothing(
                "No relations. `windlass relation add FROM TYPE TO` creates one.",
            );
        }
        let rows = self.relations.iter().map(RelationOutput::row).collect();
        let view = View::default().table(relation_columns(), rows);
        if self.page.has_more {
            return more_line(view, self.relations.len(), self.page.offset, None);
        }
        view
    }
}

impl ReadOperation for GraphRelations {
    type Input = Input;
    type Output = Relations;

    const DECLARATION: Declaration = Declaration::read("graph_relations", Toolset::Knowledge)
        .sdk("graph.relations")
        .cli(&["graph", "relations"])
        .examples(&[Example::new(
            "Everything around task 2",
            &["graph", "relations", "2"],
            r#"{"id": "2"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Relations> {
        let direction = match input.direction {
            DirectionName::From => Direction::From,
            DirectionName::To => Direction::To,
            DirectionName::Both => Direction::Both,
        };
        let page = input.paging.page()?;
        let (relations, page) = read_page(page, |page| {
            let relations = context.read(|reader| {
                let id = reader.resolve("id", &input.id.0)?;
                reader.relations(&id, direction, page)
            })?;
            Ok(relations.into_iter().map(RelationOutput::from).collect())
        })?;
        Ok(Relations { relations, page })
    }
}
