use crate::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use windlass_commands::CommandSet;
use windlass_commands::allowlist::{self, GrantedFile, GrantedText};

use super::pinned_view::{difference, extent_words};
use super::stale_grants::stale_pins;
use super::start::{self, Candidate};

pub struct Allowed;

/// Show what people allowed and denied here, or why a command may or may not run.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The command to explain.
    #[serde(default)]
    pub name: Option<String>,
    /// For all projects.
    #[serde(default)]
    #[arg(long, conflicts_with = "name")]
    pub all: bool,
}

/// An entry of an allowlist.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AllowlistEntryOutput {
    pub path: String,
    pub scope: String,
    /// The commands that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<String>>,
    /// The commands that are allowed only with the text that was shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub pinned: Vec<String>,
    /// Those of them that have changed since or no longer exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub changed: Vec<String>,
    /// The file that holds the entry.
    pub allowlist: String,
}

impl AllowlistEntryOutput {
    fn new(file: &Path, entry: &allowlist::Entry, commands: &CommandSet) -> Self {
        Self {
            path: entry.path.display().to_string(),
            scope: entry.scope.name().to_owned(),
            tasks: entry.tasks.clone(),
            pinned: entry
                .pins
                .iter()
                .flat_map(BTreeMap::keys)
                .cloned()
                .collect(),
            changed: stale_pins(entry, commands),
            allowlist: file.display().to_string(),
        }
    }

    fn commands(&self) -> String {
        match (&self.tasks, self.pinned.as_slice()) {
            (Some(tasks), _) => tasks.join(", "),
            (None, []) => "all".to_owned(),
            (None, pinned) => pinned.join(", "),
        }
    }

    fn pinned_words(&self) -> Span {
        if !self.changed.is_empty() {
            return Span::new(
                format!("changed: {}", self.changed.join(", ")),
                Style::Warning,
            );
        }
        match (self.scope.as_str(), self.pinned.is_empty()) {
            ("Deny", _) => Span::from(""),
            (_, true) => Span::new("not pinned", Style::Dim),
            (_, false) => Span::new("as allowed", Style::Good),
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
    /// When it was allowed, if it is pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted_at: Option<String>,
    /// The files that it is pinned to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub files: Vec<PinnedFileOutput>,
    /// How the files differ from what was allowed, as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// A file that decides what a command runs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PinnedFileOutput {
    pub path: String,
    /// whole, absent, or which parts of it.
    pub extent: String,
    /// The hash of what was allowed.
    pub sha256: String,
    /// unchanged, changed, added or gone.
    pub state: String,
}

impl PinnedFileOutput {
    fn new(granted: &GrantedFile, state: &str) -> Self {
        Self {
            path: granted.path.clone(),
            extent: granted.extent.clone(),
            sha256: granted.sha256.clone(),
            state: state.to_owned(),
        }
    }
}

/// The entries of the allowlists, or the one that decides about a command.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listing {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    pub entries: Vec<AllowlistEntryOutput>,
    /// How many entries are about other projects and not listed.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub elsewhere: usize,
    /// The project, relative to which people read paths.
    #[serde(skip)]
    root: PathBuf,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Render for Listing {
    fn view(&self) -> View {
        let mut view = View::default();
        if let Some(why) = &self.explanation {
            view = view.join(why.view());
        }
        if self.entries.is_empty() && self.explanation.is_none() {
            view = View::nothing("Nothing is allowed yet; see windlass allow.");
        }
        if !self.entries.is_empty() {
            view = view.join(self.table());
        }
        match self.elsewhere {
            0 => view,
            1 => view.line([Span::new(
                "1 entry is about another project; --all shows it.",
                Style::Dim,
            )]),
            count => view.line([Span::new(
                format!("{count} entries are about other projects; --all shows them."),
                Style::Dim,
            )]),
        }
    }
}

impl Listing {
    fn table(&self) -> View {
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
            let path = match Path::new(&entry.path).strip_prefix(&self.root) {
                Ok(path) if path.as_os_str().is_empty() => ".".to_owned(),
                Ok(path) => path.display().to_string(),
                Err(_) => entry.path.clone(),
            };
            vec![
                Span::new(entry.scope.clone(), style),
                Span::from(path),
                Span::from(entry.commands()),
                entry.pinned_words(),
            ]
        });
        View::default().table(columns, rows.collect())
    }
}

impl Explanation {
    fn view(&self) -> View {
        let (word, style) = if self.allowlisted {
            ("allowed", Style::Good)
        } else {
            ("not allowed", Style::Bad)
        };
        let mut view = View::default()
            .line([
                Span::new(self.unique_name.clone(), Style::Strong),
                Span::from(" is "),
                Span::new(word, style),
                Span::from(format!(": {}", self.reason)),
            ])
            .line([Span::new(
                format!("{}: {}", self.file_path, self.command),
                Style::Dim,
            )]);
        if let Some(moment) = &self.granted_at {
            view = view.line([
                Span::from("Allowed "),
                Span::new(moment.clone(), Style::Moment),
                Span::from(" with these files:"),
            ]);
            let columns = vec![
                Column::new("FILE").shrinking(),
                Column::new("PINNED"),
                Column::new("SINCE"),
            ];
            let rows = self.files.iter().map(|file| {
                let style = if file.state == UNCHANGED {
                    Style::Good
                } else {
                    Style::Warning
                };
                vec![
                    Span::from(file.path.clone()),
                    Span::from(extent_words(&file.extent)),
                    Span::new(file.state.clone(), style),
                ]
            });
            view = view.table(columns, rows.collect());
        }
        view
    }
}

const UNCHANGED: &str = "unchanged";

impl ReadOperation for Allowed {
    type Input = Input;
    type Output = Listing;

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

    async fn run(context: ReadContext, input: Input) -> Result<Listing> {
        let workspace = &context.workspace;
        let root = workspace.discovery()?.root().to_owned();
        let Some(name) = input.name else {
            let entries = workspace.allowlist().entries().map_err(|problem| {
                Error::new(ErrorKind::InvalidConfig, problem.to_string())
                    .with_hint("Fix the file; until then nothing is allowed.")
            })?;
            let commands = workspace.discovery()?.discover();
            let (here, elsewhere): (Vec<_>, Vec<_>) = entries
                .iter()
                .partition(|(_, entry)| input.all || is_about(&root, &entry.path));
            return Ok(Listing {
                explanation: None,
                entries: here
                    .into_iter()
                    .map(|(file, entry)| AllowlistEntryOutput::new(file, entry, &commands))
                    .collect(),
                elsewhere: elsewhere.len(),
                root,
            });
        };
        let candidate = start::look_up(&context, &name)?;
        let commands = workspace.discovery()?.discover();
        let decision = &candidate.decision;
        Ok(Listing {
            explanation: Some(explain(&candidate)),
            entries: decision
                .entry
                .iter()
                .map(|(file, entry)| AllowlistEntryOutput::new(file, entry, &commands))
                .collect(),
            elsewhere: 0,
            root,
        })
    }
}

/// Whether an entry can be about a project: it is inside of it, or around it.
fn is_about(root: &Path, path: &Path) -> bool {
    path.starts_with(root) || root.starts_with(path)
}

fn explain(candidate: &Candidate) -> Explanation {
    let (command, decision) = (&candidate.command, &candidate.decision);
    let mut granted = decision.granted(command);
    if let Some(place) = granted
        .iter()
        .position(|it| it.fingerprint == command.fingerprint)
    {
        granted.swap(0, place);
    }
    let before = granted.first();
    let now = GrantedText::of(command, String::new());
    let diff =
        before.map(|before| difference(std::slice::from_ref(before), std::slice::from_ref(&now)));
    Explanation {
        unique_name: command.unique_name.clone(),
        command: command.display(),
        file_path: command.file.clone(),
        allowlisted: decision.allowed,
        reason: decision.reason.message(),
        granted_at: before.map(|before| before.granted_at.clone()),
        files: before.map_or_else(Vec::new, |before| compared(before, &now)),
        diff: diff.filter(|diff| !diff.is_empty()),
    }
}

/// Each file that was or is pinned, and what became of it.
fn compared(before: &GrantedText, now: &GrantedText) -> Vec<PinnedFileOutput> {
    let find = |files: &[GrantedFile], path: &str| {
        let file = files.iter().find(|file| file.path == path);
        file.map(|file| (file.extent.clone(), file.sha256.clone()))
    };
    let known = before.files.iter().map(|file| {
        let state = match find(&now.files, &file.path) {
            None => "gone",
            Some((extent, sha256)) if extent == file.extent && sha256 == file.sha256 => UNCHANGED,
            Some((extent, _)) if extent == "absent" => "gone",
            Some(_) if file.extent == "absent" => "added",
            Some(_) => "changed",
        };
        PinnedFileOutput::new(file, state)
    });
    let added = now
        .files
        .iter()
        .filter(|file| find(&before.files, &file.path).is_none());
    known
        .chain(added.map(|file| PinnedFileOutput::new(file, "added")))
        .collect()
}
