use crate::prelude::*;
use windlass_core::EntityType;

use super::named_entities::delete;
use super::outputs::Deleted;

pub struct DeleteFeature;

/// Delete a feature. Fails if tasks reference it, or features depend on it, and names them.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the feature.
    pub name: String,
}

impl Operation for DeleteFeature {
    type Input = Input;
    type Output = Deleted;

    const DECLARATION: Declaration = Declaration::destructive("delete_feature", Toolset::Plan)
        .sdk("features.delete")
        .cli(&["features", "delete"])
        .examples(&[Example::new(
            "A feature that nothing refers to",
            &["features", "delete", "search"],
            r#"{"name": "search"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Deleted> {
        context.write(|writer| delete(writer, EntityType::Feature, &input.name))
    }
}
