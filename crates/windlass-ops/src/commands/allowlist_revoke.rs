use crate::prelude::*;
use serde_json::json;
use windlass_commands::allowlist;

use super::allowlist_file::list_to_change;
use super::grants::{Target, edit_error};

pub struct Revoke;

/// Remove the allowlist entries for a command, a file or a folder, both permissions and denials. Only
/// a person can do this.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The unique name of a command, a file, or a folder, as given when it was allowed or denied.
    #[arg(value_name = "NAME|FILE|DIR")]
    pub target: String,
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
}

impl Render for Revoked {
    fn view(&self) -> View {
        let entries = match self.entries {
            1 => "1 entry".to_owned(),
            count => format!("{count} entries"),
        };
        View::default().line([
            Span::new(format!("Revoked {entries} "), Style::Good),
            Span::from(format!("about {}", self.path)),
        ])
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
        .examples(&[Example::new(
            "Revoke the entry for a command",
            &["revoke", "build"],
            r#"{"target": "build"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Revoked> {
        let target = Target::find(&context, &input.target)?;
        let path = target.path().display().to_string();
        let tasks: Vec<String> = target.name().into_iter().map(str::to_owned).collect();
        let file = list_to_change(&context, input.system, &["revoke", &input.target])?;
        let entries = allowlist::revoke(&file, target.path(), &tasks).map_err(edit_error)?;
        if entries == 0 {
            return Err(Error::new(
                ErrorKind::GrantNotFound,
                format!("No entry of {} is about '{}'", file.display(), input.target),
            )
            .with_hint("[[allowlist_list]] shows what is allowed and by which entry."));
        }
        let payload = json!({"change": "revoke", "path": path, "tasks": tasks});
        context.write(|writer| writer.allowlist_changed(&payload))?;
        Ok(Revoked { path, entries })
    }
}
