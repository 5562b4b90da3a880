use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::RepoView;
use super::common;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::view::{Render, View};

pub struct RepoGetByPath;

/// Find the registered place at a path.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// A folder, relative to the project. The project itself if absent.
    #[serde(default)]
    pub path: Option<String>,
}

/// The place that is registered there, or none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RepoAt {
    /// Absent if none is registered there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<RepoView>,
    /// Whether there is one.
    pub found: bool,
}

impl Render for RepoAt {
    fn view(&self) -> View {
        self.repo.as_ref().map_or_else(
            || View::nothing("No repository is registered there."),
            Render::view,
        )
    }
}

impl Operation for RepoGetByPath {
    type Input = Input;
    type Output = RepoAt;

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

    async fn run(context: Context, input: Input) -> Result<RepoAt> {
        let path = common::folder(&context, input.path.as_deref())?;
        let repo = context.read(|reader| reader.repo_at(&path))?;
        Ok(RepoAt {
            found: repo.is_some(),
            repo: repo.map(RepoView::from),
        })
    }
}
