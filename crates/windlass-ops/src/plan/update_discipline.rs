use crate::prelude::*;
use windlass_core::Actor;

use super::disciplines::DisciplineOutput;
use super::named_entities::update;
use crate::entity_fields::{Changed, Discipline, FieldArguments};
use crate::granted_texts::GrantedTexts;

pub struct UpdateDiscipline;

/// Update discipline fields. Only the given fields change; lists are replaced as a whole, and an
/// empty text clears a field.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub fields: FieldArguments<Changed<Discipline>>,
}

impl Operation for UpdateDiscipline {
    type Input = Input;
    type Output = DisciplineOutput;

    const DECLARATION: Declaration = Declaration::write("update_discipline", Toolset::Plan)
        .sdk("disciplines.update")
        .cli(&["disciplines", "update"])
        .idempotent()
        .examples(&[Example::new(
            "Set its conventions",
            &[
                "disciplines",
                "update",
                "backend",
                "--conventions",
                "No unwrap",
            ],
            r#"{"name": "backend", "conventions": "No unwrap"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<DisciplineOutput> {
        let discipline = context.write(|writer| update(writer, input.fields))?;
        if context.origin.actor == Actor::Human {
            GrantedTexts::of(&context.workspace).allow_servers(&discipline)?;
        }
        Ok(DisciplineOutput::from(&discipline))
    }
}
