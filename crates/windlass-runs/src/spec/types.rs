//! The types of a RunSpec, with the field names of the JSON format.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ordered steps to run, with the expectations of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunSpec {
    /// The id of the run; generated if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// An issue that the run belongs to, for example a GitHub issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// The title of the run.
    pub title: String,
    /// The runtime that executes the steps.
    pub runtime: RuntimeName,
    /// The steps, executed one after another; the first that fails ends the run.
    pub steps: Vec<Step>,
    /// Environment of all steps. Each value is a plain value, env:NAME, file:PATH, or value:TEXT
    /// for a text that begins with one of these prefixes. A value from env: or file: is a secret
    /// and is masked in all outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_refs: Option<BTreeMap<String, String>>,
}

/// One step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// The name of the step.
    pub name: String,
    /// The shell that runs the command.
    pub shell: Shell,
    /// The script that the shell runs. bash and sh stop at the first command that fails.
    pub command: String,
    /// The folder in which it runs, relative to the project; the project folder if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Seconds after which the step and all its processes are stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_sec: Option<Seconds>,
    /// The expectations when the command has ended. If omitted, the exit code must be 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
    /// Globs, relative to the step's folder, of files to store as artifacts when the step has
    /// ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Vec<String>>,
}

/// Expectations when a command has ended; all must be met.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expect {
    /// The exit code; 0 if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Regular expressions that must each match somewhere in standard output; ^ and $ match at line
    /// ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout_regex: Option<Vec<String>>,
    /// Regular expressions that must each match somewhere in standard error; ^ and $ match at line
    /// ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr_regex: Option<Vec<String>>,
    /// Files that must each exist, relative to the step's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_exists: Option<Vec<String>>,
}

/// A duration in seconds, possibly with a fraction; it is written as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Seconds(serde_json::Number);

impl Seconds {
    /// As a duration; an invalid number becomes zero, which validation rejects.
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
    /// bash, which stops at the first command that fails, including inside a pipe.
    Bash,
    /// PowerShell 7.
    Pwsh,
    /// The system's POSIX shell, which stops at the first command that fails.
    Sh,
}

impl Shell {
    /// All shells, in the order in which messages list them.
    pub const ALL: [Self; 3] = [Self::Bash, Self::Pwsh, Self::Sh];

    /// The name in JSON and of the program.
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

/// The runtime that executes the steps of a run.
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
    /// All runtimes, in the order in which messages list them.
    pub const ALL: [Self; 6] = [
        Self::Dummy,
        Self::Local,
        Self::Docker,
        Self::GithubRunner,
        Self::EcsTask,
        Self::Ssm,
    ];

    /// The name in JSON.
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

/// The meaning of a value of `envRefs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvRef<'a> {
    /// A plain value, not a secret.
    Value(&'a str),
    /// A variable of the server's environment; a secret.
    Environment(&'a str),
    /// A file of the project; a secret.
    File(&'a str),
}

impl<'a> EnvRef<'a> {
    /// Parses a value of `envRefs`.
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

    /// The `envRefs` entry that means exactly `text`, whatever its prefix.
    pub fn literal(text: &str) -> String {
        match EnvRef::of(text) {
            EnvRef::Value(same) if same == text => text.to_owned(),
            _ => format!("value:{text}"),
        }
    }
}
