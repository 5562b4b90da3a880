use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::RepoOutput;

pub struct RepoGetByPath;

/// Get the repository that is registered at a path.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// A folder, relative to the project. The project itself if absent.
    #[serde(default)]
    pub path: Option<String>,
}

/// The repository that is registered there, or none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RepoAt {
    /// Absent if none is registered there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<RepoOutput>,
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

impl ReadOperation for RepoGetByPath {
    type Input = Input;
    type Output = RepoAt;

    const DECLARATION: Declaration = Declaration::read("repo_get_by_path", Toolset::Workflow)
        .sdk("repos.get_by_path")
        .blocking()
        .examples(&[Example::call("The project", "{}")]);

    async fn run(context: ReadContext, input: Input) -> Result<RepoAt> {
        let path = common::folder(&context, input.path.as_deref())?;
        let repo = context.read(|reader| reader.repo_at(&path))?;
        Ok(RepoAt {
            found: repo.is_some(),
            repo: repo.map(RepoOutput::from),
        })
    }
}
