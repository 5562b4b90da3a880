use crate::prelude::*;
use serde_json::{Map, json};
use windlass_core::{Dialect, EntityType, MAX_CONTEXT_FILES, Patch, check_path};

pub struct AddFeatureContextFile;

/// Register a relevant file path on a feature. Registering a file twice has no further effect.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the feature.
    pub feature_name: String,
    /// The path in the project, from its root.
    pub file_path: String,
}

impl Operation for AddFeatureContextFile {
    type Input = Input;
    type Output = FeatureFiles;

    const DECLARATION: Declaration = Declaration::write("add_feature_context_file", Toolset::Plan)
        .sdk("features.add_context_file")
        .cli(&["features", "add-file"])
        .idempotent()
        .examples(&[Example::new(
            "Register one file",
            &["features", "add-file", "auth", "src/login.rs"],
            r#"{"feature_name": "auth", "file_path": "src/login.rs"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<FeatureFiles> {
        let path = check_path("file_path", &input.file_path)?;
        context.write(|writer| {
            let name = &input.feature_name;
            let feature = writer.by_name("feature_name", EntityType::Feature, name)?;
            let mut files = feature.texts("context_files").to_vec();
            let added = !files.contains(&path);
            if added {
                if files.len() >= MAX_CONTEXT_FILES {
                    return Err(Error::validation(
                        "file_path",
                        format!("{name} has {MAX_CONTEXT_FILES} context files, which is the limit"),
                    )
                    .with("value", path.as_str())
                    .with_hint("[[update_feature]] with context_files replaces the list."));
                }
                files.push(path.clone());
                let patch = Patch {
                    properties: Map::from_iter([("context_files".to_owned(), json!(files))]),
                    ..Patch::default()
                };
                writer.update(&feature.id, &patch, Dialect::Plan)?;
            }
            Ok(FeatureFiles {
                feature: name.clone(),
                added,
                context_files: files,
            })
        })
    }
}

/// The files of a feature.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FeatureFiles {
    pub feature: String,
    /// Whether the file is new there.
    pub added: bool,
    pub context_files: Vec<String>,
}

impl Render for FeatureFiles {
    fn view(&self) -> View {
        let said = if self.added {
            "Added."
        } else {
            "It was already registered."
        };
        View::nothing(said).list("context files", &self.context_files)
    }
}
