//! Why a step or a run did not succeed.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a step or a run did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// What happened; secrets are masked.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The index of the step, from 0; only in the record of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
}

/// The kinds of failure. The first four are named after the expectations of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FailureKind {
    /// The command exited with another code, or was ended by a signal.
    ExitCode,
    /// An expression did not match standard output.
    StdoutRegex,
    /// An expression did not match standard error.
    StderrRegex,
    /// An expected file does not exist.
    FileExists,
    /// The step took longer than its timeout.
    Timeout,
    /// Someone cancelled the run.
    Cancelled,
    /// The command could not be started: the shell, the folder or the runtime is missing.
    Start,
    /// The environment of the run could not be resolved.
    Environment,
    /// The server exited during the run.
    Interrupted,
    /// The run was stopped because it could not be recorded.
    NotRecorded,
}

impl Failure {
    /// Creates a failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            step: None,
        }
    }

    /// Adds a hint: what the reader can do.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the index of the step, for the failure of a run.
    #[must_use]
    pub fn at_step(mut self, step: usize) -> Self {
        self.step = Some(step);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}
