use crate::prelude::*;
use windlass_core::EntityType;

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
        context.read(|reader| {
            let counts = reader.statistics()?.entities;
            let count = |kind: EntityType| counts.get(kind.name()).copied().unwrap_or(0);
            Ok(ProjectInfo {
                title,
                description: config.description,
                created_at: reader.first_event_at()?.map(|at| at.as_str().to_owned()),
                tasks: count(EntityType::Task),
                features: count(EntityType::Feature),
                disciplines: count(EntityType::Discipline),
            })
        })
    }
}

/// What the project is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProjectInfo {
    /// From `[project]` in config.toml; the name of its folder if that is not set.
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When something was first recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    pub tasks: i64,
    pub features: i64,
    pub disciplines: i64,
}

impl Render for ProjectInfo {
    fn view(&self) -> View {
        let mut view = View::default().line([Span::new(self.title.clone(), Style::Strong)]);
        if let Some(description) = &self.description {
            view = view.text(description.clone());
        }
        let since = self.created_at.clone().unwrap_or_default();
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
