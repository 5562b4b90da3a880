use crate::prelude::*;

use super::features::FeatureOutput;
use super::named_entities::update;
use crate::entity_fields::{Changed, Feature, FieldArguments};

pub struct UpdateFeature;

/// Update feature fields. Only the given fields change; lists are replaced as a whole, and an empty
/// text clears a field.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub fields: FieldArguments<Changed<Feature>>,
}

impl Operation for UpdateFeature {
    type Input = Input;
    type Output = FeatureOutput;

    const DECLARATION: Declaration = Declaration::write("update_feature", Toolset::Plan)
        .sdk("features.update")
        .cli(&["features", "update"])
        .idempotent()
        .examples(&[Example::new(
            "Set its boundaries",
            &[
                "features",
                "update",
                "auth",
                "--boundaries",
                "No user profiles",
            ],
            r#"{"name": "auth", "boundaries": "No user profiles"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<FeatureOutput> {
        context.write(|writer| {
            let feature = update(writer, input.fields)?;
            FeatureOutput::read(writer, &feature)
        })
    }
}
