use crate::prelude::*;

use super::features::FeatureOutput;
use super::named_entities::create;
use crate::entity_fields::{Feature, FieldArguments, New};

pub struct CreateFeature;

/// Create a new feature: a part of the product that tasks belong to.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub fields: FieldArguments<New<Feature>>,
}

impl Operation for CreateFeature {
    type Input = Input;
    type Output = FeatureOutput;

    const DECLARATION: Declaration = Declaration::write("create_feature", Toolset::Plan)
        .sdk("features.create")
        .cli(&["features", "create"])
        .examples(&[Example::new(
            "Billing, which builds on auth",
            &[
                "features",
                "create",
                "billing",
                "Billing",
                "--dependencies",
                "auth",
            ],
            r#"{"name": "billing", "display_name": "Billing", "dependencies": ["auth"]}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<FeatureOutput> {
        context.write(|writer| {
            let feature = create(writer, input.fields)?;
            FeatureOutput::read(writer, &feature)
        })
    }
}
