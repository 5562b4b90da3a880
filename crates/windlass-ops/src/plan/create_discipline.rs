use crate::prelude::*;

use super::disciplines::DisciplineOutput;
use super::named_entities::create;
use crate::entity_fields::{Discipline, FieldArguments, New};

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
        Ok(DisciplineOutput::from(&discipline))
    }
}
