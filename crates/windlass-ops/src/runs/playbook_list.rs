use crate::prelude::*;
use windlass_runs::playbooks::{PlaybookSummary, Playbooks};

use super::playbook_check::ProblemOutput;

pub struct PlaybookList;

/// List all playbooks: the built-in ones, and those of the project in .windlass/playbooks/.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

/// All playbooks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listing {
    pub playbooks: Vec<PlaybookSummary>,
    /// Files that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub problems: Vec<ProblemOutput>,
}

impl Render for Listing {
    fn view(&self) -> View {
        let columns = vec![
            Column::new("ID"),
            Column::new("RUNTIME"),
            Column::new("STEPS").right(),
            Column::new("WHERE"),
            Column::new("ABOUT").shrinking(),
        ];
        let rows = self.playbooks.iter().map(|playbook| {
            let about = playbook.description.as_ref().unwrap_or(&playbook.name);
            vec![
                Span::new(playbook.id.clone(), Style::Strong),
                Span::from(playbook.spec.runtime.name()),
                Span::from(playbook.spec.steps.len().to_string()),
                Span::new(playbook.file.as_deref().unwrap_or("built in"), Style::Dim),
                Span::from(about.clone()),
            ]
        });
        let view = View::default().table(columns, rows.collect());
        self.problems
            .iter()
            .fold(view, |view, problem| view.line(problem.line()))
    }
}

impl ReadOperation for PlaybookList {
    type Input = Input;
    type Output = Listing;

    const DECLARATION: Declaration = Declaration::read("playbook_list", Toolset::Runs)
        .sdk("playbooks.list")
        .blocking()
        .cli(&["playbooks", "list"])
        .examples(&[Example::new("All of them", &["playbooks", "list"], "{}")]);

    async fn run(context: ReadContext, _: Input) -> Result<Listing> {
        let loaded = Playbooks::load(context.workspace.settings_root());
        Ok(Listing {
            playbooks: loaded.playbooks.iter().map(|it| it.view()).collect(),
            problems: loaded.problems.iter().map(ProblemOutput::from).collect(),
        })
    }
}
