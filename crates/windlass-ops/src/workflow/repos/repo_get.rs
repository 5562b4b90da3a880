use crate::prelude::*;
use crate::workflow::outputs::RepoOutput;

pub struct RepoGet;

/// Show a registered repository.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl ReadOperation for RepoGet {
    type Input = Input;
    type Output = RepoOutput;

    const DECLARATION: Declaration = Declaration::read("repo_get", Toolset::Workflow)
        .sdk("repos.get")
        .examples(&[Example::call("By number", r#"{"id": "1"}"#)]);

    async fn run(context: ReadContext, input: Input) -> Result<RepoOutput> {
        context
            .read(|reader| reader.repo(&input.id.0))
            .map(RepoOutput::from)
    }
}
