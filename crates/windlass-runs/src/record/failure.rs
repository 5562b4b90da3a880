//! Why a step or a run did not succeed.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a step or a run did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// What kind of thing it was.
    pub kind: FailureKind,
    /// What happened, for a person; secrets are masked.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The step, counted from 0; on the record of a run only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
}

/// The kinds of failure. The first four are the expectations of a step, by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FailureKind {
    /// The command ended with another code, or by a signal.
    ExitCode,
    /// An expression did not match standard output.
    StdoutRegex,
    /// An expression did not match standard error.
    StderrRegex,
    /// A file was not there.
    FileExists,
    /// The step took longer than its timeout.
    Timeout,
    /// Someone cancelled the run.
    Cancelled,
    /// The command could not be started: no shell, no folder, no runtime.
    Start,
    /// The environment of the run could not be put together.
    Environment,
    /// The server ended while the run was under way.
    Interrupted,
    /// What happened could not be recorded, so that the run was ended.
    NotRecorded,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            step: None,
        }
    }

    /// What the reader can do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The failure of a run, which names the step.
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
