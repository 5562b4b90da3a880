use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;
use windlass_runs::playbooks::{PlaybookView, Playbooks};

use super::playbook_check::ProblemView;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::view::{Column, Render, Span, Style, View};

pub struct PlaybookList;

/// List all playbooks: those that are built in, and those of the project in .windlass/playbooks/.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

/// All playbooks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listing {
    pub playbooks: Vec<PlaybookView>,
    /// Files that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub problems: Vec<ProblemView>,
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

impl Operation for PlaybookList {
    type Input = Input;
    type Output = Listing;

    const DECLARATION: Declaration = Declaration {
        name: "playbook_list",
        toolset: Toolset::Runs,
        cli: &["playbooks", "list"],
        sdk: "playbooks.list",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "All of them",
            cli: &["playbooks", "list"],
            input: "{}",
        }],
    };

    async fn run(context: Context, _: Input) -> Result<Listing> {
        let loaded = Playbooks::load(context.workshop.root());
        Ok(Listing {
            playbooks: loaded.playbooks.iter().map(|it| it.view()).collect(),
            problems: loaded.problems.iter().map(ProblemView::from).collect(),
        })
    }
}
