use crate::prelude::*;
use serde_json::json;
use windlass_commands::allowlist;

use super::allowlist_file::list_to_change;
use super::grants::{Target, edit_error};

pub struct Deny;

/// Forbid agents to run a command, or all commands of a file or folder. A denial overrides every
/// permission. Only a person can do this.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The unique name of a command, a file, or a folder.
    #[arg(value_name = "NAME|FILE|DIR")]
    pub target: String,
    /// Deny it in the list of this machine, which only root can change.
    #[serde(default)]
    #[arg(long)]
    pub system: bool,
}

/// What is forbidden now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Denied {
    pub path: String,
    /// The commands; all of the path if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tasks: Vec<String>,
    /// The file that holds the entry.
    pub allowlist: String,
}

impl Render for Denied {
    fn view(&self) -> View {
        let what = match self.tasks.as_slice() {
            [] => format!("everything of {}", self.path),
            tasks => format!("{} of {}", tasks.join(", "), self.path),
        };
        View::default().line([Span::new("Denied ", Style::Warning), Span::from(what)])
    }
}

impl Operation for Deny {
    type Input = Input;
    type Output = Denied;

    const DECLARATION: Declaration = Declaration::write("allowlist_deny", Toolset::Commands)
        .sdk("allowlist.deny")
        .cli(&["deny"])
        .idempotent()
        .human_only()
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "Deny one command",
            &["deny", "greet"],
            r#"{"target": "greet"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Denied> {
        let target = Target::find(&context, &input.target)?;
        let file = list_to_change(&context, input.system, &["deny", &input.target])?;
        deny(&context, &file, &target)
    }
}

/// Writes the entry, and records the change in the history.
pub fn deny(context: &Context, file: &std::path::Path, target: &Target) -> Result<Denied> {
    let tasks: Vec<String> = target.name().into_iter().map(str::to_owned).collect();
    allowlist::deny(file, target.path(), &tasks).map_err(edit_error)?;
    let denied = Denied {
        path: target.path().display().to_string(),
        tasks,
        allowlist: file.display().to_string(),
    };
    let payload = json!({"change": "deny", "path": denied.path, "tasks": denied.tasks});
    context.write(|writer| writer.allowlist_changed(&payload))?;
    Ok(denied)
}
