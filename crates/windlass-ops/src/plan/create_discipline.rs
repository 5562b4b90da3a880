use crate::prelude::*;
use windlass_core::Actor;

use super::disciplines::DisciplineOutput;
use super::named_entities::create;
use crate::entity_fields::{Discipline, FieldArguments, New};
use crate::granted_texts::GrantedTexts;

pub struct CreateDiscipline;

/// Create a new discipline: an area of expertise that tasks need.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub fields: FieldArguments<New<Discipline>>,
}

impl Operation for CreateDiscipline {
    type Input = Input;
    type Output = DisciplineOutput;

    const DECLARATION: Declaration = Declaration::write("create_discipline", Toolset::Plan)
        .sdk("disciplines.create")
        .cli(&["disciplines", "create"])
        .examples(&[Example::new(
            "A discipline for data",
            &["disciplines", "create", "data", "Data", "🗄", "teal"],
            r#"{"name": "data", "display_name": "Data", "icon": "🗄", "color": "teal"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<DisciplineOutput> {
        let discipline = context.write(|writer| create(writer, input.fields))?;
        if context.origin.actor == Actor::Human {
            GrantedTexts::of(&context.workspace).allow_servers(&discipline)?;
        }
        Ok(DisciplineOutput::from(&discipline))
    }
}
