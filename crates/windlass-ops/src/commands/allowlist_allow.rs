use crate::prelude::*;
use clap::ValueEnum;

use super::grant_plan::GrantPlan;

pub struct Allow;

/// Allow agents to run a command, all commands of a file, or all of a folder. What is allowed for a
/// command or a file is what its files say now: if they change, it must be allowed again. A folder is
/// allowed whatever its files say. Only a person can do this.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The unique name of a command, a file, or a folder.
    #[arg(value_name = "NAME|FILE|DIR")]
    pub target: String,
    /// How much to allow: the command alone, its whole file, or its whole folder.
    #[serde(default)]
    #[arg(long, value_enum)]
    pub scope: Option<ScopeName>,
    /// Keep the command allowed even if its files change.
    #[serde(default)]
    #[arg(long)]
    pub no_pin: bool,
    /// Allow it in the list of this machine, which only root can change.
    #[serde(default)]
    #[arg(long)]
    pub system: bool,
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
    /// The commands, with the scopes Task and File.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tasks: Vec<String>,
    /// Whether a change of the files that decide revokes the permission.
    pub pinned: bool,
    /// The file that holds the entry.
    pub allowlist: String,
}

impl Render for Granted {
    fn view(&self) -> View {
        let what = match self.scope.as_str() {
            "Task" | "File" => format!("{} of {}", self.tasks.join(", "), self.path),
            _ => format!("all commands below {}", self.path),
        };
        let view = View::default().line([Span::new("Allowed ", Style::Good), Span::from(what)]);
        let note = match (self.pinned, self.scope.as_str()) {
            (true, "File") => {
                "This covers these commands with their current definition: a change and a new command must \
                 be allowed again."
            }
            (true, _) => {
                "This covers its current definition: if that changes, it must be allowed again."
            }
            (false, "Directory") => {
                "Nothing is pinned: this also covers what changes or is added below it."
            }
            (false, _) => "Nothing is pinned: this also covers what its files say later.",
        };
        view.line([Span::new(note, Style::Dim)])
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
        GrantPlan::prepare(context, &input)?.carry_out()
    }
}
