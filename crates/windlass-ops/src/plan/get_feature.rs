use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{EntityType, Result};

use super::features::FeatureView;

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct GetFeature;

/// Get full feature details including learnings and context files.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the feature.
    pub name: String,
}

impl Operation for GetFeature {
    type Input = Input;
    type Output = FeatureView;

    const DECLARATION: Declaration = Declaration {
        name: "get_feature",
        toolset: Toolset::Plan,
        cli: &["features", "show"],
        sdk: "features.get",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "The feature auth",
            cli: &["features", "show", "auth"],
            input: r#"{"name": "auth"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<FeatureView> {
        context.read(|reader| {
            reader.consistently(|reader| {
                let feature = reader.by_name("name", EntityType::Feature, &input.name)?;
                FeatureView::read(reader, &feature)
            })
        })
    }
}
