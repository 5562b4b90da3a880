use crate::prelude::*;
use windlass_core::EntityType;

use super::named_entities::delete;
use super::outputs::Deleted;

pub struct DeleteDiscipline;

/// Delete a discipline. Fails if tasks reference it, and names them.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the discipline.
    pub name: String,
}

impl Operation for DeleteDiscipline {
    type Input = Input;
    type Output = Deleted;

    const DECLARATION: Declaration = Declaration::destructive("delete_discipline", Toolset::Plan)
        .sdk("disciplines.delete")
        .cli(&["disciplines", "delete"])
        .examples(&[Example::new(
            "A discipline that nothing refers to",
            &["disciplines", "delete", "docs"],
            r#"{"name": "docs"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Deleted> {
        context.write(|writer| delete(writer, EntityType::Discipline, &input.name))
    }
}
