use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::{RepoView, Repos};
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct RepoList;

/// List the places where work is checked.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl Operation for RepoList {
    type Input = Input;
    type Output = Repos;

    const DECLARATION: Declaration = Declaration {
        name: "repo_list",
        toolset: Toolset::Workflow,
        cli: &["repos", "list"],
        sdk: "repos.list",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "All of them",
            cli: &["repos", "list"],
            input: "{}",
        }],
    };

    async fn run(context: Context, _: Input) -> Result<Repos> {
        let repos = context.read(|reader| reader.repos())?;
        let repos: Vec<RepoView> = repos.into_iter().map(RepoView::from).collect();
        Ok(Repos {
            total: repos.len(),
            repos,
        })
    }
}
