use crate::prelude::*;
use windlass_commands::allowlist;

use super::start;

pub struct Allowed;

/// Show what people allowed and denied, or why one command may or may not run.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The command to explain.
    #[serde(default)]
    pub name: Option<String>,
}

/// An entry of an allowlist.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AllowlistEntryOutput {
    pub path: String,
    pub scope: String,
    /// The commands that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<String>>,
    /// Those of them that are allowed only with their current definition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub pinned: Vec<String>,
    /// The file that holds the entry.
    pub allowlist: String,
}

impl AllowlistEntryOutput {
    fn new(file: &std::path::Path, entry: &allowlist::Entry) -> Self {
        Self {
            path: entry.path.display().to_string(),
            scope: entry.scope.name().to_owned(),
            tasks: entry.tasks.clone(),
            pinned: entry.pins.keys().cloned().collect(),
            allowlist: file.display().to_string(),
        }
    }
}

/// Why a command may or may not run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explanation {
    pub unique_name: String,
    pub command: String,
    pub file_path: String,
    pub allowlisted: bool,
    pub reason: String,
}

/// The entries of all allowlists, or the one that decides about a command.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Entries {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    pub entries: Vec<AllowlistEntryOutput>,
}

impl Render for Entries {
    fn view(&self) -> View {
        let mut view = View::default();
        if let Some(why) = &self.explanation {
            let (word, style) = if why.allowlisted {
                ("allowed", Style::Good)
            } else {
                ("not allowed", Style::Bad)
            };
            view = view
                .line([
                    Span::new(why.unique_name.clone(), Style::Strong),
                    Span::from(" is "),
                    Span::new(word, style),
                    Span::from(format!(": {}", why.reason)),
                ])
                .line([Span::new(
                    format!("{}: {}", why.file_path, why.command),
                    Style::Dim,
                )]);
        }
        if self.entries.is_empty() {
            return match self.explanation {
                Some(_) => view,
                None => View::nothing("Nothing is allowed yet; see windlass allow."),
            };
        }
        let columns = vec![
            Column::new("SCOPE"),
            Column::new("PATH").shrinking(),
            Column::new("COMMANDS"),
            Column::new("PINNED"),
        ];
        let rows = self.entries.iter().map(|entry| {
            let style = if entry.scope == "Deny" {
                Style::Bad
            } else {
                Style::Good
            };
            let tasks = entry
                .tasks
                .as_ref()
                .map_or("all".to_owned(), |it| it.join(", "));
            vec![
                Span::new(entry.scope.clone(), style),
                Span::from(entry.path.clone()),
                Span::from(tasks),
                Span::new(entry.pinned.join(", "), Style::Dim),
            ]
        });
        view.table(columns, rows.collect())
    }
}

impl ReadOperation for Allowed {
    type Input = Input;
    type Output = Entries;

    const DECLARATION: Declaration = Declaration::read("allowlist_list", Toolset::Commands)
        .sdk("allowlist.list")
        .blocking()
        .cli(&["allowed"])
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "Why build may or may not run",
            &["allowed", "build"],
            r#"{"name": "build"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Entries> {
        let Some(name) = input.name else {
            let entries = context.workspace.allowlist().entries().map_err(|problem| {
                Error::new(ErrorKind::InvalidConfig, problem.to_string())
                    .with_hint("Fix the file; until then nothing is allowed.")
            })?;
            return Ok(Entries {
                explanation: None,
                entries: entries
                    .iter()
                    .map(|(file, entry)| AllowlistEntryOutput::new(file, entry))
                    .collect(),
            });
        };
        let candidate = start::look_up(&context, &name)?;
        let decision = candidate.decision;
        Ok(Entries {
            explanation: Some(Explanation {
                unique_name: candidate.command.unique_name.clone(),
                command: candidate.command.display(),
                file_path: candidate.command.file.clone(),
                allowlisted: decision.allowed,
                reason: decision.reason.message(),
            }),
            entries: decision
                .entry
                .iter()
                .map(|(file, entry)| AllowlistEntryOutput::new(file, entry))
                .collect(),
        })
    }
}
