//! The record of one step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Timestamp;

use super::clock::millis_between;
use super::failure::Failure;
use super::status::StepStatus;

/// The record of one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepRecord {
    /// The step's name.
    pub name: String,
    /// Its status.
    pub status: StepStatus,
    /// The exit code of the command; 128 plus the signal number if a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The last 4,000 characters of standard output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// The last 4,000 characters of standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// Whether stdout or stderr is shortened here; the complete output is an artifact.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub output_truncated: bool,
    /// When it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub completed_at: Option<Timestamp>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Why it did not succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Its artifacts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactRecord>,
}

/// The kind of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ArtifactKind {
    /// A complete output, with secrets masked.
    Log,
    /// A file that a glob of the step matched.
    File,
}

/// An artifact of a step, or why it was not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactRecord {
    /// Its kind.
    pub kind: ArtifactKind,
    /// `stdout.log`, `stderr.log`, or the path relative to the project; the glob if nothing
    /// matched.
    pub name: String,
    /// Its key in the artifact store; missing if it was not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Its size in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Its SHA-256 in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Why it was not stored, or not completely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

impl ArtifactRecord {
    /// An artifact that was not stored.
    pub fn skipped(kind: ArtifactKind, name: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            key: None,
            bytes: None,
            sha256: None,
            skipped: Some(why.into()),
        }
    }
}

/// The result of a step that ran.
#[derive(Debug, Clone)]
pub struct StepEnd {
    pub status: StepStatus,
    pub exit_code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub output_truncated: bool,
    pub failure: Option<Failure>,
    pub artifacts: Vec<ArtifactRecord>,
}

impl StepEnd {
    /// The result of a step that could not be executed.
    pub fn failed(failure: Failure) -> Self {
        Self {
            status: StepStatus::Failed,
            exit_code: None,
            stdout: String::new(),
            stderr: String::new(),
            output_truncated: false,
            failure: Some(failure),
            artifacts: Vec::new(),
        }
    }
}

impl StepRecord {
    /// Creates a step that has not started.
    pub fn pending(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            status: StepStatus::Pending,
            exit_code: None,
            stdout: None,
            stderr: None,
            output_truncated: false,
            started_at: None,
            completed_at: None,
            duration_ms: None,
            failure: None,
            artifacts: Vec::new(),
        }
    }

    pub(super) fn start(&mut self, now: Timestamp) {
        self.status = StepStatus::Running;
        self.started_at = Some(now);
    }

    pub(super) fn end(&mut self, now: Timestamp, end: StepEnd) {
        self.duration_ms = self
            .started_at
            .as_ref()
            .map(|from| millis_between(from, &now));
        self.completed_at = Some(now);
        self.status = end.status;
        self.exit_code = end.exit_code;
        self.stdout = Some(end.stdout);
        self.stderr = Some(end.stderr);
        self.output_truncated = end.output_truncated;
        self.failure = end.failure;
        self.artifacts = end.artifacts;
    }
}
