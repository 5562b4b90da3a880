use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::RepoView;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct RepoGet;

/// Read what is known of a registered place.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for RepoGet {
    type Input = Input;
    type Output = RepoView;

    const DECLARATION: Declaration = Declaration {
        name: "repo_get",
        toolset: Toolset::Workflow,
        cli: &["repos", "get"],
        sdk: "repos.get",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "By number",
            cli: &["repos", "get", "1"],
            input: r#"{"id": "1"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<RepoView> {
        context
            .read(|reader| reader.repo(&input.id.0))
            .map(RepoView::from)
    }
}
