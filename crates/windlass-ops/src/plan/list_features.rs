use crate::prelude::*;

use super::named_entities::NamedRows;
use crate::entity_fields::Feature;

pub struct ListFeatures;

/// List all features with descriptions.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl ReadOperation for ListFeatures {
    type Input = Input;
    type Output = NamedRows<Feature>;

    const DECLARATION: Declaration = Declaration::read("list_features", Toolset::Plan)
        .sdk("features.list")
        .cli(&["features", "list"])
        .examples(&[Example::new("All features", &["features", "list"], "{}")]);

    async fn run(context: ReadContext, input: Input) -> Result<NamedRows<Feature>> {
        let Input {} = input;
        context.read(NamedRows::read)
    }
}

impl Render for NamedRows<Feature> {
    fn view(&self) -> View {
        self.table("No features. `windlass features create NAME TITLE` creates one.")
    }
}
