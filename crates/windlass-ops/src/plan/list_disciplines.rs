use crate::prelude::*;
use windlass_core::EntityType;

use super::named_entities::NamedRow;
use super::outputs::{all_of, named_columns};

pub struct ListDisciplines;

/// List all disciplines.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl ReadOperation for ListDisciplines {
    type Input = Input;
    type Output = Disciplines;

    const DECLARATION: Declaration = Declaration::read("list_disciplines", Toolset::Plan)
        .sdk("disciplines.list")
        .cli(&["disciplines", "list"])
        .examples(&[Example::new(
            "All disciplines",
            &["disciplines", "list"],
            "{}",
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Disciplines> {
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
