use crate::prelude::*;
use clap::ValueEnum;
use serde_json::json;
use windlass_commands::allowlist::{self, Scope};

use super::grants::{Target, edit_error};

pub struct Allow;

/// Allow agents to run a command, all commands of a file, or all of a folder. Permission for a
/// command covers its current definition: if the definition changes, it must be allowed again. Only a
/// person can do this.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The unique name of a command, a file, or a folder.
    #[arg(value_name = "NAME|FILE|DIR")]
    pub target: String,
    /// How much to allow: the command alone, its whole file, or its whole folder.
    #[serde(default)]
    #[arg(long, value_enum)]
    pub scope: Option<ScopeName>,
    /// Keep the command allowed even if its definition changes.
    #[serde(default)]
    #[arg(long)]
    pub no_pin: bool,
    /// Only if the command is still the one with this fingerprint, as allowlist_wishes shows it.
    #[serde(default)]
    #[arg(long, value_name = "SHA256")]
    pub fingerprint: Option<String>,
}

/// How much is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeName {
    /// One command.
    Task,
    /// All commands of a file.
    File,
    /// All commands of a folder.
    Directory,
}

/// What is allowed now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Granted {
    pub path: String,
    pub scope: String,
    /// The commands, with scope Task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tasks: Vec<String>,
    /// Whether a change of the definition revokes the permission.
    pub pinned: bool,
    /// The file that holds the entry.
    pub allowlist: String,
}

impl Render for Granted {
    fn view(&self) -> View {
        let what = match self.scope.as_str() {
            "Task" => format!("{} of {}", self.tasks.join(", "), self.path),
            "File" => format!("all commands of {}", self.path),
            _ => format!("all commands below {}", self.path),
        };
        let view = View::default().line([Span::new("Allowed ", Style::Good), Span::from(what)]);
        if !self.pinned {
            return view;
        }
        view.line([Span::new(
            "This covers its current definition: if that changes, it must be allowed again.",
            Style::Dim,
        )])
    }
}

impl Operation for Allow {
    type Input = Input;
    type Output = Granted;

    const DECLARATION: Declaration = Declaration::write("allowlist_allow", Toolset::Commands)
        .sdk("allowlist.allow")
        .cli(&["allow"])
        .idempotent()
        .human_only()
        .errors(ErrorStyle::Result)
        .examples(&[
            Example::new(
                "One command, with its current definition",
                &["allow", "build"],
                r#"{"target": "build"}"#,
            ),
            Example::new(
                "Every command of a file",
                &["allow", "./Makefile", "--scope", "file"],
                r#"{"target": "./Makefile", "scope": "file"}"#,
            ),
        ]);

    async fn run(context: Context, input: Input) -> Result<Granted> {
        let target = Target::find(&context, &input.target)?;
        target.check_unchanged(input.fingerprint.as_deref())?;
        grant(&context, &target, input.scope, !input.no_pin)
    }
}

/// Writes the entry, and records the change in the history.
pub fn grant(
    context: &Context,
    target: &Target,
    scope: Option<ScopeName>,
    pin: bool,
) -> Result<Granted> {
    let folder = |path: &std::path::Path| path.parent().unwrap_or(path).to_owned();
    let mismatch = |wanted: &str| {
        Err(Error::validation(
            "scope",
            format!("{wanted} cannot be used for {}", target.path().display()),
        ))
    };
    let (path, scope, tasks) = match (target, scope) {
        (
            Target::Command(command, path) | Target::Text(command, path),
            None | Some(ScopeName::Task),
        ) => {
            let pinned = pin.then(|| command.fingerprint.clone());
            (
                path.clone(),
                Scope::Task,
                vec![(command.name.clone(), pinned)],
            )
        }
        (Target::File(_) | Target::Folder(_), Some(ScopeName::Task)) => return mismatch("task"),
        (Target::Folder(_), Some(ScopeName::File)) => return mismatch("file"),
        (Target::Folder(path), _) => (path.clone(), Scope::Directory, Vec::new()),
        (_, Some(ScopeName::Directory)) => (folder(target.path()), Scope::Directory, Vec::new()),
        (_, _) => (target.path().to_owned(), Scope::File, Vec::new()),
    };
    let file = context.workspace.allowlist().own_file().to_owned();
    allowlist::allow(&file, &path, scope, &tasks).map_err(edit_error)?;
    let granted = Granted {
        path: path.display().to_string(),
        scope: scope.name().to_owned(),
        pinned: tasks.iter().any(|(_, pin)| pin.is_some()),
        tasks: tasks.into_iter().map(|(name, _)| name).collect(),
        allowlist: file.display().to_string(),
    };
    let payload = json!({"change": "allow", "path": granted.path, "scope": granted.scope, "tasks": granted.tasks});
    context.write(|writer| writer.allowlist_changed(&payload))?;
    Ok(granted)
}
