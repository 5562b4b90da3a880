use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{EntityType, Result};

use super::answers::Deleted;
use super::named::delete;

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

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

    const DECLARATION: Declaration = Declaration {
        name: "delete_feature",
        toolset: Toolset::Plan,
        cli: &["features", "delete"],
        sdk: "features.delete",
        effect: Effect::Destructive,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "A feature that nothing refers to",
            cli: &["features", "delete", "search"],
            input: r#"{"name": "search"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Deleted> {
        context.write(|writer| delete(writer, EntityType::Feature, &input.name))
    }
}
