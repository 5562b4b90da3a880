use crate::prelude::*;
use windlass_core::Entity;
use windlass_store::Writer;

use crate::outputs::{EntitySummary, number};

pub struct EntityDelete;

/// Delete an entity and its relations. A task that other tasks depend on cannot be deleted.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number or id.
    pub id: Id,
}

/// What was deleted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Deleted {
    #[serde(flatten)]
    pub entity: EntitySummary,
    /// Always true.
    pub deleted: bool,
}

impl Render for Deleted {
    fn view(&self) -> View {
        View::default().line([
            Span::from("Deleted "),
            number(self.entity.sequence_number),
            Span::from(format!(" {}", self.entity.title)),
        ])
    }
}

impl Operation for EntityDelete {
    type Input = Input;
    type Output = Deleted;

    const DECLARATION: Declaration = Declaration::destructive("entity_delete", Toolset::Knowledge)
        .sdk("entities.delete")
        .cli(&["delete"])
        .examples(&[Example::new(
            "By number",
            &["delete", "4"],
            r#"{"id": "4"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Deleted> {
        let entity = context.write(|writer| delete(writer, &input))?;
        Ok(Deleted {
            entity: EntitySummary::from(&entity),
            deleted: true,
        })
    }
}

/// Also used by the batch.
pub fn delete(writer: &Writer<'_>, input: &Input) -> Result<Entity> {
    let id = writer.resolve("id", &input.id.0)?;
    writer.delete(&id)
}
