use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::RepoView;
use super::{common, git};
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct RepoRegister;

/// Register a place where work is checked: the project, or a linked worktree of it. Handing work in registers the place by
/// itself.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// A folder, relative to the project. The project itself if absent.
    #[serde(default)]
    pub path: Option<String>,
}

impl Operation for RepoRegister {
    type Input = Input;
    type Output = RepoView;

    const DECLARATION: Declaration = Declaration {
        name: "repo_register",
        toolset: Toolset::Workflow,
        cli: &["repos", "register"],
        sdk: "repos.register",
        effect: Effect::Write,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "The project",
            cli: &["repos", "register"],
            input: "{}",
        }],
    };

    async fn run(context: Context, input: Input) -> Result<RepoView> {
        let path = common::folder(&context, input.path.as_deref())?;
        let vcs = git::is_there(path.as_ref()).then_some("git");
        context
            .write(|writer| writer.register_repo(&path, vcs))
            .map(RepoView::from)
    }
}
