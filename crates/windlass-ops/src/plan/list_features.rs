use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{EntityType, Result};

use super::answers::{all_of, named_columns};
use super::named::NamedRow;
use crate::view::{Render, View};

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct ListFeatures;

/// List all features with descriptions.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl Operation for ListFeatures {
    type Input = Input;
    type Output = Features;

    const DECLARATION: Declaration = Declaration {
        name: "list_features",
        toolset: Toolset::Plan,
        cli: &["features", "list"],
        sdk: "features.list",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "All features",
            cli: &["features", "list"],
            input: "{}",
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Features> {
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
