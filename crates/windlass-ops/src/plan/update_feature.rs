use crate::prelude::*;
use windlass_core::{Dialect, EntityType, Patch};

use super::features::FeatureOutput;
use super::named_entities::required;
use super::tasks::Changes;

pub struct UpdateFeature;

/// Update feature fields. What is not given stays as it is; lists are replaced as a whole, and an
/// empty text clears a field.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the feature.
    pub name: String,
    /// What people call it.
    #[serde(default)]
    #[arg(long)]
    pub display_name: Option<String>,
    /// What it is for.
    #[serde(default)]
    #[arg(long)]
    pub description: Option<String>,
    /// Four of A-Z and 0-9, unique.
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

impl Operation for UpdateFeature {
    type Input = Input;
    type Output = FeatureOutput;

    const DECLARATION: Declaration = Declaration::write("update_feature", Toolset::Plan)
        .sdk("features.update")
        .cli(&["features", "update"])
        .idempotent()
        .examples(&[Example::new(
            "Where it ends",
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
        if let Some(name) = &input.display_name {
            required("display_name", name)?;
        }
        context.write(|writer| {
            let feature = writer.by_name("name", EntityType::Feature, &input.name)?;
            let mut fields = Changes::default();
            fields.list("knowledge_paths", input.knowledge_paths.as_deref());
            fields.list("context_files", input.context_files.as_deref());
            fields.text("architecture", input.architecture.as_deref());
            fields.text("boundaries", input.boundaries.as_deref());
            fields.list("dependencies", input.dependencies.as_deref());

            fields.text("acronym", input.acronym.as_deref());
            let patch = Patch {
                title: input.display_name.clone(),
                content: input.description.clone().map(Some),
                properties: fields.0,
                ..Patch::default()
            };
            let feature = writer.update(&feature.id, &patch, Dialect::Plan)?;
            FeatureOutput::read(writer, &feature)
        })
    }
}
