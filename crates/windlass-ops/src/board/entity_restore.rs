use crate::outputs::{EntitySummary, number};
use crate::prelude::*;

pub struct EntityRestore;

/// Bring a deleted entity back, with its relations, comments and learnings.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number or full id.
    pub id: Id,
}

/// What came back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Restored {
    #[serde(flatten)]
    pub entity: EntitySummary,
    /// How many relations came back with it.
    pub relations: usize,
    /// Relations that no longer fit and were removed, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub dropped: Vec<String>,
}

impl Render for Restored {
    fn view(&self) -> View {
        let mut view = View::default().line([
            Span::new("Restored ", Style::Good),
            number(self.entity.sequence_number),
            Span::from(format!(" {}", self.entity.title)),
        ]);
        for dropped in &self.dropped {
            view = view.line([
                Span::new("Without a relation: ", Style::Warning),
                dropped.as_str().into(),
            ]);
        }
        view
    }
}

impl Operation for EntityRestore {
    type Input = Input;
    type Output = Restored;

    const DECLARATION: Declaration = Declaration::write("entity_restore", Toolset::Board)
        .sdk("board.restore")
        .examples(&[Example::call("By number", r#"{"id": "16"}"#)]);

    async fn run(context: Context, input: Input) -> Result<Restored> {
        let revived = context.write(|writer| {
            let id = writer.resolve_deleted(&input.id.0)?;
            writer.restore(&id)
        })?;
        Ok(Restored {
            entity: EntitySummary::from(&revived.entity),
            relations: revived.relations,
            dropped: revived.dropped,
        })
    }
}
