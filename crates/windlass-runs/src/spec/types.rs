//! The types of a RunSpec. Field names are those of the wire.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ordered steps to run, with what is expected of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunSpec {
    /// The id of the run; generated where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// An issue that the run belongs to, for example a GitHub issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// What the run is, for people.
    pub title: String,
    /// Where the steps run.
    pub runtime: RuntimeName,
    /// The steps, run one after another; the first that fails ends the run.
    pub steps: Vec<Step>,
    /// Environment of all steps: a value, env:NAME, file:PATH, or value:TEXT for a text that begins
    /// like one of these. What comes from env: or file: is a secret and is masked in all outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_refs: Option<BTreeMap<String, String>>,
}

/// One step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// What the step is called.
    pub name: String,
    /// The shell that runs the command.
    pub shell: Shell,
    /// The text that the shell runs. bash and sh stop at the first command that fails.
    pub command: String,
    /// The folder in which it runs, relative to the project; the project itself where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Seconds after which the step and all its processes are ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_sec: Option<Seconds>,
    /// What must hold when the command has ended. Without it, the exit code must be 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
    /// Globs, relative to the step's folder, of files to keep when the step has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Vec<String>>,
}

/// What must hold when a command has ended; all of it must.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expect {
    /// The exit code, 0 where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Each must match somewhere in standard output; ^ and $ are the ends of a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout_regex: Option<Vec<String>>,
    /// Each must match somewhere in standard error; ^ and $ are the ends of a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr_regex: Option<Vec<String>>,
    /// Each must exist, relative to the step's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_exists: Option<Vec<String>>,
}

/// A length of time in seconds, whole or not, written as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Seconds(serde_json::Number);

impl Seconds {
    /// As a duration; a number that cannot be one is zero, which validation refuses.
    pub fn duration(&self) -> Duration {
        let seconds = self.0.as_f64().unwrap_or(0.0);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO)
    }
}

impl From<u32> for Seconds {
    fn from(seconds: u32) -> Self {
        Self(seconds.into())
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// The shell of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Shell {
    /// bash, which stops at the first command that fails, also within a pipe.
    Bash,
    /// PowerShell 7.
    Pwsh,
    /// The system's POSIX shell, which stops at the first command that fails.
    Sh,
}

impl Shell {
    /// All shells, in the order in which messages name them.
    pub const ALL: [Self; 3] = [Self::Bash, Self::Pwsh, Self::Sh];

    /// The name on the wire, which is that of the program too.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Pwsh => "pwsh",
            Self::Sh => "sh",
        }
    }
}

impl fmt::Display for Shell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Where the steps of a run are executed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum RuntimeName {
    /// Nothing is executed; every step succeeds with the same output each time.
    Dummy,
    /// This machine.
    Local,
    /// A container on this machine.
    Docker,
    /// A GitHub Actions workflow.
    GithubRunner,
    /// A task in Amazon ECS.
    EcsTask,
    /// A command of AWS Systems Manager.
    Ssm,
}

impl RuntimeName {
    /// All runtimes, in the order in which messages name them.
    pub const ALL: [Self; 6] = [
        Self::Dummy,
        Self::Local,
        Self::Docker,
        Self::GithubRunner,
        Self::EcsTask,
        Self::Ssm,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dummy => "dummy",
            Self::Local => "local",
            Self::Docker => "docker",
            Self::GithubRunner => "github-runner",
            Self::EcsTask => "ecs-task",
            Self::Ssm => "ssm",
        }
    }
}

impl fmt::Display for RuntimeName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// What a value of `envRefs` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvRef<'a> {
    /// The text itself; no secret.
    Value(&'a str),
    /// A variable of the server's environment; a secret.
    Environment(&'a str),
    /// A file of the project; a secret.
    File(&'a str),
}

impl<'a> EnvRef<'a> {
    /// Reads a value as it stands in `envRefs`.
    pub fn of(value: &'a str) -> Self {
        if let Some(text) = value.strip_prefix("value:") {
            Self::Value(text)
        } else if let Some(name) = value.strip_prefix("env:") {
            Self::Environment(name)
        } else if let Some(path) = value.strip_prefix("file:") {
            Self::File(path)
        } else {
            Self::Value(value)
        }
    }

    /// The entry of `envRefs` that means exactly `text`, whatever it begins with.
    pub fn literal(text: &str) -> String {
        match EnvRef::of(text) {
            EnvRef::Value(same) if same == text => text.to_owned(),
            _ => format!("value:{text}"),
        }
    }
}
