use crate::prelude::*;
use windlass_core::EntityType;

use super::features::FeatureOutput;
use super::named_entities::{New, create};
use super::tasks::Changes;

pub struct CreateFeature;

/// Create a new feature: a part of the product that tasks belong to.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the feature.
    pub name: String,
    /// What people call it.
    pub display_name: String,
    /// What it is for.
    #[serde(default)]
    #[arg(long)]
    pub description: Option<String>,
    /// Four of A-Z and 0-9, unique; made from the name if absent.
    #[serde(default)]
    #[arg(long)]
    pub acronym: Option<String>,
    /// Folders and files that explain it: paths in the project.
    #[serde(default)]
    #[arg(long = "knowledge-path")]
    pub knowledge_paths: Option<Vec<String>>,
    /// Files to read first: paths in the project, at most 30.
    #[serde(default)]
    #[arg(long = "context-file")]
    pub context_files: Option<Vec<String>>,
    /// How it is built.
    #[serde(default)]
    #[arg(long)]
    pub architecture: Option<String>,
    /// What does not belong to it.
    #[serde(default)]
    #[arg(long)]
    pub boundaries: Option<String>,
    /// Features that it builds on, by name.
    #[serde(default)]
    #[arg(long, value_delimiter = ',')]
    pub dependencies: Option<Vec<String>>,
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
            let mut fields = Changes::default();
            fields.list("knowledge_paths", input.knowledge_paths.as_deref());
            fields.list("context_files", input.context_files.as_deref());
            fields.text("architecture", input.architecture.as_deref());
            fields.text("boundaries", input.boundaries.as_deref());
            fields.list("dependencies", input.dependencies.as_deref());

            let feature = create(
                writer,
                EntityType::Feature,
                &New {
                    name: &input.name,
                    display_name: &input.display_name,
                    description: input.description.as_deref(),
                    acronym: input.acronym.as_deref(),
                },
                fields,
            )?;
            FeatureOutput::read(writer, &feature)
        })
    }
}
