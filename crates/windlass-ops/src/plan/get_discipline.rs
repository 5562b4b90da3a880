use crate::prelude::*;
use windlass_core::EntityType;

use super::disciplines::DisciplineOutput;

pub struct GetDiscipline;

/// Get full discipline details.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the discipline.
    pub name: String,
}

impl ReadOperation for GetDiscipline {
    type Input = Input;
    type Output = DisciplineOutput;

    const DECLARATION: Declaration = Declaration::read("get_discipline", Toolset::Plan)
        .sdk("disciplines.get")
        .cli(&["disciplines", "show"])
        .examples(&[Example::new(
            "The discipline backend",
            &["disciplines", "show", "backend"],
            r#"{"name": "backend"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<DisciplineOutput> {
        context.read(|reader| {
            let discipline = reader.by_name("name", EntityType::Discipline, &input.name)?;
            Ok(DisciplineOutput::from(&discipline))
        })
    }
}
