use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::RepoView;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct RepoUnregister;

/// Forget a registered place. Reviews whose gates run there wait until it is registered again.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for RepoUnregister {
    type Input = Input;
    type Output = RepoView;

    const DECLARATION: Declaration = Declaration {
        name: "repo_unregister",
        toolset: Toolset::Workflow,
        cli: &["repos", "unregister"],
        sdk: "repos.unregister",
        effect: Effect::Destructive,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "By number",
            cli: &["repos", "unregister", "1"],
            input: r#"{"id": "1"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<RepoView> {
        context
            .write(|writer| writer.unregister_repo(&input.id.0))
            .map(RepoView::from)
    }
}
