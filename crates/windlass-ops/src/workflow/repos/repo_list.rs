use crate::prelude::*;
use crate::workflow::outputs::{RepoOutput, Repos};

pub struct RepoList;

/// List the registered repositories, in which work is checked.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl ReadOperation for RepoList {
    type Input = Input;
    type Output = Repos;

    const DECLARATION: Declaration = Declaration::read("repo_list", Toolset::Workflow)
        .sdk("repos.list")
        .examples(&[Example::call("All of them", "{}")]);

    async fn run(context: ReadContext, _: Input) -> Result<Repos> {
        let repos = context.read(|reader| reader.repos())?;
        let repos: Vec<RepoOutput> = repos.into_iter().map(RepoOutput::from).collect();
        Ok(Repos {
            total: repos.len(),
            repos,
        })
    }
}
