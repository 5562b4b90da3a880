use super::progress::ProjectProgress;
use crate::prelude::*;

pub struct GetProjectProgress;

/// Get task completion stats: total, done, by status, by feature and by discipline.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl ReadOperation for GetProjectProgress {
    type Input = Input;
    type Output = ProjectProgress;

    const DECLARATION: Declaration = Declaration::read("get_project_progress", Toolset::Plan)
        .sdk("plan.get_project_progress")
        .cli(&["progress"])
        .examples(&[Example::new(
            "The progress of the project",
            &["progress"],
            "{}",
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<ProjectProgress> {
        let Input {} = input;
        context.read(|reader| reader.consistently(ProjectProgress::read))
    }
}
