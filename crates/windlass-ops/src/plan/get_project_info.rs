use crate::prelude::*;
use std::path::Path;
use std::time::UNIX_EPOCH;

use windlass_core::{EntityType, Timestamp};

pub struct GetProjectInfo;

/// Get project title, description and creation date, and the number of tasks, features and
/// disciplines.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl ReadOperation for GetProjectInfo {
    type Input = Input;
    type Output = ProjectInfo;

    const DECLARATION: Declaration = Declaration::read("get_project_info", Toolset::Plan)
        .sdk("plan.get_project_info")
        .blocking()
        .examples(&[Example::call("What this project is", "{}")]);

    async fn run(context: ReadContext, input: Input) -> Result<ProjectInfo> {
        let Input {} = input;
        let config = context.workspace.config()?.project.clone();
        let folder = context.workspace.root().file_name();
        let title = config.title.unwrap_or_else(|| {
            folder.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        });
        let state = context.workspace.project().state();
        context.read(|reader| {
            let counts = reader.statistics()?.entities;
            let count = |kind: EntityType| counts.get(kind.name()).copied().unwrap_or(0);
            Ok(ProjectInfo {
                title,
                description: config.description.unwrap_or_default(),
                created_at: match reader.first_event_at()? {
                    Some(at) => at.to_seconds(),
                    None => folder_created_at(state).to_seconds(),
                },
                tasks: count(EntityType::Task),
                features: count(EntityType::Feature),
                disciplines: count(EntityType::Discipline),
            })
        })
    }
}

/// When the state of a project without history was made.
fn folder_created_at(state: &Path) -> Timestamp {
    let metadata = state.metadata();
    let at = metadata.and_then(|it| it.created().or_else(|_| it.modified()));
    let since_1970 = at.ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let millis = since_1970.and_then(|it| i64::try_from(it.as_millis()).ok());
    millis.map_or_else(Timestamp::now, Timestamp::from_millis)
}

/// What the project is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProjectInfo {
    /// From `[project]` in config.toml; the name of its folder if that is not set.
    pub title: String,
    /// From `[project]` in config.toml; empty if that is not set.
    pub description: String,
    /// When something was first recorded, or the project was set up.
    pub created_at: String,
    pub tasks: i64,
    pub features: i64,
    pub disciplines: i64,
}

impl Render for ProjectInfo {
    fn view(&self) -> View {
        let mut view = View::default().line([Span::new(self.title.clone(), Style::Strong)]);
        if !self.description.is_empty() {
            view = view.text(self.description.clone());
        }
        let since = self.created_at.clone();
        view.fields(vec![
            ("created".to_owned(), Span::from(since)),
            ("tasks".to_owned(), Span::from(self.tasks.to_string())),
            ("features".to_owned(), Span::from(self.features.to_string())),
            (
                "disciplines".to_owned(),
                Span::from(self.disciplines.to_string()),
            ),
        ])
    }
}
