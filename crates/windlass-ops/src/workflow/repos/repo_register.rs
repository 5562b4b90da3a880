use crate::git;
use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::RepoOutput;

pub struct RepoRegister;

/// Register a repository in which work is checked: the project, or a linked worktree of it.
/// Submitting work registers it automatically.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// A folder, relative to the project. The project itself if absent.
    #[serde(default)]
    pub path: Option<String>,
}

impl Operation for RepoRegister {
    type Input = Input;
    type Output = RepoOutput;

    const DECLARATION: Declaration = Declaration::write("repo_register", Toolset::Workflow)
        .sdk("repos.register")
        .idempotent()
        .examples(&[Example::call("The project", "{}")]);

    async fn run(context: Context, input: Input) -> Result<RepoOutput> {
        let path = common::folder(&context, input.path.as_deref())?;
        let vcs = git::is_there(path.as_ref()).then_some("git");
        context
            .write(|writer| writer.register_repo(&path, vcs))
            .map(RepoOutput::from)
    }
}
