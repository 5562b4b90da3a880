use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Error, ErrorKind, Result};

use super::answers::RepoView;
use super::common;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct RepoGetByPath;

/// Find the registered place at a path.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// A folder, relative to the project. The project itself if absent.
    #[serde(default)]
    pub path: Option<String>,
}

impl Operation for RepoGetByPath {
    type Input = Input;
    type Output = RepoView;

    const DECLARATION: Declaration = Declaration {
        name: "repo_get_by_path",
        toolset: Toolset::Workflow,
        cli: &["repos", "at"],
        sdk: "repos.get_by_path",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "The project",
            cli: &["repos", "at"],
            input: "{}",
        }],
    };

    async fn run(context: Context, input: Input) -> Result<RepoView> {
        let path = common::folder(&context, input.path.as_deref())?;
        let found = context.read(|reader| reader.repo_at(&path))?;
        found.map(RepoView::from).ok_or_else(|| {
            Error::new(
                ErrorKind::RepoNotFound,
                format!("No repository is registered at {path}"),
            )
            .with("path", path.as_str())
            .with_hint("repo_register registers it.")
        })
    }
}
