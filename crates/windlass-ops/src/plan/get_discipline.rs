use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{EntityType, Result};

use super::disciplines::DisciplineView;

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct GetDiscipline;

/// Get full discipline details.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the discipline.
    pub name: String,
}

impl Operation for GetDiscipline {
    type Input = Input;
    type Output = DisciplineView;

    const DECLARATION: Declaration = Declaration {
        name: "get_discipline",
        toolset: Toolset::Plan,
        cli: &["disciplines", "show"],
        sdk: "disciplines.get",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "The discipline backend",
            cli: &["disciplines", "show", "backend"],
            input: r#"{"name": "backend"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<DisciplineView> {
        context.read(|reader| {
            let discipline = reader.by_name("name", EntityType::Discipline, &input.name)?;
            Ok(DisciplineView::from(&discipline))
        })
    }
}
