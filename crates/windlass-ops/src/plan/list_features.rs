use crate::prelude::*;
use windlass_core::EntityType;

use super::named_entities::NamedRow;
use super::outputs::{all_of, named_columns};

pub struct ListFeatures;

/// List all features with descriptions.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl ReadOperation for ListFeatures {
    type Input = Input;
    type Output = Features;

    const DECLARATION: Declaration = Declaration::read("list_features", Toolset::Plan)
        .sdk("features.list")
        .cli(&["features", "list"])
        .examples(&[Example::new("All features", &["features", "list"], "{}")]);

    async fn run(context: ReadContext, input: Input) -> Result<Features> {
        let Input {} = input;
        context.read(|reader| {
            let features = all_of(reader, EntityType::Feature)?;
            Ok(Features {
                features: features.iter().map(NamedRow::from).collect(),
            })
        })
    }
}

/// The features of the project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Features {
    pub features: Vec<NamedRow>,
}

impl Render for Features {
    fn view(&self) -> View {
        if self.features.is_empty() {
            return View::nothing("No features. `windlass features create NAME TITLE` makes one.");
        }
        let rows = self.features.iter().map(NamedRow::row).collect();
        View::default().table(named_columns(), rows)
    }
}
