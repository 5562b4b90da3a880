use crate::prelude::*;
use serde_json::json;
use windlass_commands::allowlist::{self, Removed, Scope};

use super::allowlist_file::list_to_change;
use super::grants::{Target, edit_error};

pub struct Revoke;

/// Take back the permission for a command, a file or a folder. A denial stays, unless it is what is
/// taken back. Only a person can do this.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The unique name of a command, a file, or a folder, as given when it was allowed or denied.
    #[arg(value_name = "NAME|FILE|DIR")]
    pub target: String,
    /// Remove the denial instead of the permission.
    #[serde(default)]
    #[arg(long)]
    pub deny: bool,
    /// Revoke it in the list of this machine, which only root can change.
    #[serde(default)]
    #[arg(long)]
    pub system: bool,
}

/// What was revoked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Revoked {
    pub path: String,
    /// Entries that were changed or removed.
    pub entries: usize,
    /// What is denied all the same, by entries about the same path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub still_denied: Vec<String>,
}

impl Render for Revoked {
    fn view(&self) -> View {
        let entries = match self.entries {
            1 => "1 entry".to_owned(),
            count => format!("{count} entries"),
        };
        let view = View::default().line([
            Span::new(format!("Revoked {entries} "), Style::Good),
            Span::from(format!("about {}", self.path)),
        ]);
        let denied = self.still_denied.iter();
        denied.fold(view, |view, denied| {
            view.line([
                Span::new("Still denied: ", Style::Warning),
                Span::from(denied.clone()),
            ])
        })
    }
}

impl Operation for Revoke {
    type Input = Input;
    type Output = Revoked;

    const DECLARATION: Declaration = Declaration::write("allowlist_revoke", Toolset::Commands)
        .sdk("allowlist.revoke")
        .cli(&["revoke"])
        .human_only()
        .errors(ErrorStyle::Result)
        .examples(&[
            Example::new(
                "Take back the permission for a command",
                &["revoke", "build"],
                r#"{"target": "build"}"#,
            ),
            Example::new(
                "Remove a denial",
                &["revoke", "greet", "--deny"],
                r#"{"target": "greet", "deny": true}"#,
            ),
        ]);

    async fn run(context: Context, input: Input) -> Result<Revoked> {
        let target = Target::find(&context, &input.target)?;
        let path = target.path().display().to_string();
        let tasks: Vec<String> = target.name().into_iter().map(str::to_owned).collect();
        let file = list_to_change(&context, input.system, &["revoke", &input.target])?;
        let removed = if input.deny {
            Removed::Denials
        } else {
            Removed::Grants
        };
        let entries =
            allowlist::revoke(&file, target.path(), &tasks, removed).map_err(edit_error)?;
        let still_denied = denials(&context, &target)?;
        if entries == 0 {
            return Err(nothing_to_revoke(&file, &input, &still_denied));
        }
        let change = if input.deny { "revoke_deny" } else { "revoke" };
        let payload = json!({"change": change, "path": path, "tasks": tasks});
        context.write(|writer| writer.allowlist_changed(&payload))?;
        Ok(Revoked {
            path,
            entries,
            still_denied,
        })
    }
}

fn nothing_to_revoke(file: &std::path::Path, input: &Input, still_denied: &[String]) -> Error {
    let verb = if input.deny { "denies" } else { "allows" };
    let error = Error::new(
        ErrorKind::GrantNotFound,
        format!("No entry of {} {verb} '{}'", file.display(), input.target),
    );
    if !input.deny && !still_denied.is_empty() {
        return error
            .with_hint("It is denied. [[allowlist_revoke]] with --deny removes the denial.");
    }
    error.with_hint("[[allowlist_list]] shows what is allowed and by which entry.")
}

/// What entries about the target's path or its name deny.
fn denials(context: &Context, target: &Target) -> Result<Vec<String>> {
    let entries = context.workspace.allowlist().entries();
    let entries = entries.map_err(|problem| edit_error(problem.into()))?;
    let denying = entries.into_iter().filter(|(_, entry)| {
        let names = entry.tasks.as_ref();
        let named = match (names, target.name()) {
            (Some(names), Some(name)) => names.iter().any(|it| it == name),
            _ => true,
        };
        entry.scope == Scope::Deny && target.path().starts_with(&entry.path) && named
    });
    Ok(denying
        .map(|(_, entry)| match entry.tasks {
            Some(tasks) => format!("{} of {}", tasks.join(", "), entry.path.display()),
            None => format!("everything of {}", entry.path.display()),
        })
        .collect())
}
