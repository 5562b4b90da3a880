use crate::prelude::*;
use windlass_core::EntityType;

use super::features::FeatureOutput;

pub struct GetFeature;

/// Get full feature details including learnings and context files.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the feature.
    pub name: String,
}

impl ReadOperation for GetFeature {
    type Input = Input;
    type Output = FeatureOutput;

    const DECLARATION: Declaration = Declaration::read("get_feature", Toolset::Plan)
        .sdk("features.get")
        .cli(&["features", "show"])
        .examples(&[Example::new(
            "The feature auth",
            &["features", "show", "auth"],
            r#"{"name": "auth"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<FeatureOutput> {
        context.read(|reader| {
            reader.consistently(|reader| {
                let feature = reader.by_name("name", EntityType::Feature, &input.name)?;
                FeatureOutput::read(reader, &feature)
            })
        })
    }
}
