use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{EntityType, Result};

use super::answers::{all_of, named_columns};
use super::named::NamedRow;
use crate::view::{Render, View};

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct ListDisciplines;

/// List all disciplines.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl Operation for ListDisciplines {
    type Input = Input;
    type Output = Disciplines;

    const DECLARATION: Declaration = Declaration {
        name: "list_disciplines",
        toolset: Toolset::Plan,
        cli: &["disciplines", "list"],
        sdk: "disciplines.list",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "All disciplines",
            cli: &["disciplines", "list"],
            input: "{}",
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Disciplines> {
        let Input {} = input;
        context.read(|reader| {
            let disciplines = all_of(reader, EntityType::Discipline)?;
            Ok(Disciplines {
                disciplines: disciplines.iter().map(NamedRow::from).collect(),
            })
        })
    }
}

/// The disciplines of the project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Disciplines {
    pub disciplines: Vec<NamedRow>,
}

impl Render for Disciplines {
    fn view(&self) -> View {
        if self.disciplines.is_empty() {
            return View::nothing("No disciplines. `windlass init --stack generic` makes some.");
        }
        let rows = self.disciplines.iter().map(NamedRow::row).collect();
        View::default().table(named_columns(), rows)
    }
}
