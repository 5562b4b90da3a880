use schemars::JsonSchema;
use serde::Serialize;
use windlass_store::Repo;

use crate::view::{Column, Render, Span, Style, View};

/// A repository in which work is checked.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RepoOutput {
    pub id: String,
    pub number: i64,
    pub path: String,
    pub name: String,
    /// git, or absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcs_type: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

impl From<Repo> for RepoOutput {
    fn from(repo: Repo) -> Self {
        Self {
            id: repo.id,
            number: repo.number,
            path: repo.path,
            name: repo.name,
            vcs_type: repo.vcs_type,
            created_at: repo.created_at.as_str().to_owned(),
            updated_at: repo.updated_at.as_str().to_owned(),
        }
    }
}

impl RepoOutput {
    fn row(&self) -> Vec<Span> {
        vec![
            Span::new(self.number.to_string(), Style::Id),
            Span::from(self.name.clone()),
            Span::from(self.vcs_type.clone().unwrap_or_default()),
            Span::from(self.path.clone()),
        ]
    }
}

impl Render for RepoOutput {
    fn view(&self) -> View {
        View::default().table(columns(), vec![self.row()])
    }
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("REPO").right(),
        Column::new("NAME"),
        Column::new("VCS"),
        Column::new("PATH").shrinking(),
    ]
}

/// The registered repositories.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Repos {
    pub repos: Vec<RepoOutput>,
    pub total: usize,
}

impl Render for Repos {
    fn view(&self) -> View {
        if self.repos.is_empty() {
            return View::nothing("No repositories are registered.");
        }
        View::default().table(columns(), self.repos.iter().map(RepoOutput::row).collect())
    }
}
