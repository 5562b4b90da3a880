use crate::prelude::*;

use super::named_entities::NamedRows;
use crate::entity_fields::Discipline;

pub struct ListDisciplines;

/// List all disciplines.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl ReadOperation for ListDisciplines {
    type Input = Input;
    type Output = NamedRows<Discipline>;

    const DECLARATION: Declaration = Declaration::read("list_disciplines", Toolset::Plan)
        .sdk("disciplines.list")
        .cli(&["disciplines", "list"])
        .examples(&[Example::new(
            "All disciplines",
            &["disciplines", "list"],
            "{}",
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<NamedRows<Discipline>> {
        let Input {} = input;
        context.read(NamedRows::read)
    }
}

impl Render for NamedRows<Discipline> {
    fn view(&self) -> View {
        self.table("No disciplines. `windlass init --stack generic` creates some.")
    }
}
