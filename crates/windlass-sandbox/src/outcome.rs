//! What became of a script.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// What became of a script, whichever way it ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Its value, or why there is none.
    pub result: Result<Json, Failure>,
    /// Whether the value was longer than allowed and was cut.
    pub truncated: bool,
    /// What it logged, in order.
    pub logs: Vec<LogEntry>,
    /// Whether more was logged than is kept.
    pub logs_truncated: bool,
    /// The calls that it made, in order. What they did stays done however the script ended.
    pub calls: Vec<CallRecord>,
    /// Calls made beyond those listed.
    pub calls_unlisted: usize,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}

/// Why a script gave no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind of failure.
    pub code: ErrorCode,
    /// What happened.
    pub message: String,
    /// For an error of the SDK that the script did not catch: the kind of that error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The frames of the script, with lines and columns of its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// Where in the source it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Box<Place>>,
}

impl Failure {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            tag: None,
            hint: None,
            stack: None,
            place: None,
        }
    }

    /// The deadline came.
    pub(crate) fn timeout(timeout: std::time::Duration) -> Self {
        let milliseconds = timeout.as_millis();
        Self::new(
            ErrorCode::Timeout,
            format!("The script did not end within {milliseconds} ms"),
        )
        .with_hint("What its calls did stays done. Do less in one script, or ask for more time.")
    }

    /// It wanted too much memory.
    pub(crate) fn memory_limit(bytes: usize) -> Self {
        let megabytes = bytes / (1024 * 1024);
        Self::new(
            ErrorCode::MemoryLimit,
            format!("The script wanted more than {megabytes} MB of memory"),
        )
        .with_hint("Work on fewer things at a time. Cycles are freed only when the script ends.")
    }

    /// It made too many calls.
    pub(crate) fn too_many_calls(most: usize) -> Self {
        Self::new(
            ErrorCode::TooManyCalls,
            format!("The script made more than {most} calls"),
        )
        .with_hint("Use methods that take or give many things at once, or several scripts.")
    }

    pub(crate) fn with_hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }
}

/// A place in the source of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// The text of the line.
    pub source: String,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The script threw something that it did not catch.
    JsRuntimeError,
    /// A call of the SDK failed and the script did not catch it.
    SdkError,
    /// The deadline came first.
    Timeout,
    /// The source is no script: too long, or it cannot be read.
    InvalidParams,
    /// It wanted more memory than it may have.
    MemoryLimit,
    /// It waits for something that can never come.
    Deadlock,
    /// The process that ran it ended.
    WorkerCrashed,
    /// It made more calls than it may.
    TooManyCalls,
    /// Its value is too long even to be cut.
    ResultTooLarge,
}

impl ErrorCode {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JsRuntimeError => "js_runtime_error",
            Self::SdkError => "sdk_error",
            Self::Timeout => "timeout",
            Self::InvalidParams => "invalid_params",
            Self::MemoryLimit => "memory_limit",
            Self::Deadlock => "deadlock",
            Self::WorkerCrashed => "worker_crashed",
            Self::TooManyCalls => "too_many_calls",
            Self::ResultTooLarge => "result_too_large",
        }
    }
}

/// One line of the log of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    /// Which method of `console` it was.
    pub level: Level,
    /// What was logged.
    pub text: String,
}

/// The methods of `console`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Debug,
    Log,
    Info,
    Warn,
    Error,
}

impl Level {
    pub(crate) const ALL: [Self; 5] = [Self::Debug, Self::Log, Self::Info, Self::Warn, Self::Error];
}

/// One call of the SDK.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallRecord {
    /// `namespace.name`.
    pub method: String,
    /// How it ended.
    pub end: CallEnd,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallEnd {
    /// It was answered.
    Ok,
    /// It failed with this code.
    Error(String),
    /// Its end is not known: the script was stopped first.
    Pending,
}
