use crate::prelude::*;
use crate::workflow::outputs::RepoOutput;

pub struct RepoUnregister;

/// Unregister a repository. Reviews whose gates run there wait until it is registered again.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for RepoUnregister {
    type Input = Input;
    type Output = RepoOutput;

    const DECLARATION: Declaration = Declaration::destructive("repo_unregister", Toolset::Workflow)
        .sdk("repos.unregister")
        .examples(&[Example::call("By number", r#"{"id": "1"}"#)]);

    async fn run(context: Context, input: Input) -> Result<RepoOutput> {
        context
            .write(|writer| writer.unregister_repo(&input.id.0))
            .map(RepoOutput::from)
    }
}
