use crate::prelude::*;
use windlass_commands::Command;
use windlass_runs::playbooks::{Playbook, Playbooks, Problem, Source};

use crate::plain_file;

pub struct PlaybookCheck;

/// Check the playbook files of the project: errors by file and line, and which files a person still
/// has to allow.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

/// Something wrong in a file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProblemOutput {
    pub file: String,
    pub line: usize,
    pub message: String,
}

impl From<&Problem> for ProblemOutput {
    fn from(problem: &Problem) -> Self {
        Self {
            file: problem.file.clone(),
            line: problem.line,
            message: problem.message.clone(),
        }
    }
}

impl ProblemOutput {
    pub fn line(&self) -> [Span; 2] {
        let place = format!("{}:{}: ", self.file, self.line);
        [
            Span::new(place, Style::Warning),
            Span::from(self.message.clone()),
        ]
    }
}

/// A playbook file that can be used.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckedFile {
    pub id: String,
    pub file: String,
    /// Whether a person has allowed its current text.
    pub allowlisted: bool,
    pub reason: String,
}

/// What the check found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked {
    /// Whether no file has a problem.
    pub valid: bool,
    pub files: Vec<CheckedFile>,
    pub problems: Vec<ProblemOutput>,
    /// What is probably a mistake in files that can be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub warnings: Vec<ProblemOutput>,
}

impl Render for Checked {
    fn view(&self) -> View {
        if self.files.is_empty() && self.problems.is_empty() {
            return View::nothing("The project has no playbooks in .windlass/playbooks/.");
        }
        let view = self.files.iter().fold(View::default(), |view, file| {
            let (word, style) = if file.allowlisted {
                ("allowed", Style::Good)
            } else {
                ("not allowed", Style::Warning)
            };
            view.line([
                Span::new(file.id.clone(), Style::Strong),
                Span::from(format!("  {}  ", file.file)),
                Span::new(word, style),
                Span::from(format!(": {}", file.reason)),
            ])
        });
        self.problems
            .iter()
            .chain(&self.warnings)
            .fold(view, |view, problem| view.line(problem.line()))
    }

    fn unsuccessful(&self) -> bool {
        !self.valid
    }
}

impl ReadOperation for PlaybookCheck {
    type Input = Input;
    type Output = Checked;

    const DECLARATION: Declaration = Declaration::read("playbook_check", Toolset::Runs)
        .sdk("playbooks.check")
        .blocking()
        .cli(&["playbooks", "check"])
        .errors(ErrorStyle::Result)
        .examples(&[Example::new("All files", &["playbooks", "check"], "{}")]);

    async fn run(context: ReadContext, _: Input) -> Result<Checked> {
        let loaded = Playbooks::load(context.workspace.settings_root());
        let checked = |playbook: &Playbook| match &playbook.source {
            Source::BuiltIn => None,
            Source::File { path, .. } => {
                let workspace = &context.workspace;
                let text = plain_file::read_text(&workspace.settings_root().join(path)).ok()?;
                let file = Command::of_text(path, &text);
                let decision = workspace
                    .allowlist()
                    .decide(workspace.settings_root(), &file);
                Some(CheckedFile {
                    id: playbook.id.clone(),
                    file: path.clone(),
                    allowlisted: decision.allowed,
                    reason: decision.reason.message(),
                })
            }
        };
        Ok(Checked {
            valid: loaded.problems.is_empty(),
            files: loaded.playbooks.iter().filter_map(checked).collect(),
            problems: loaded.problems.iter().map(ProblemOutput::from).collect(),
            warnings: loaded
                .playbooks
                .iter()
                .flat_map(|playbook| playbook.warnings.iter().map(ProblemOutput::from))
                .collect(),
        })
    }
}
