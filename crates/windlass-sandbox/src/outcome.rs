//! The outcome of a script.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The outcome of a script, however it ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Its value, or why it has none.
    pub result: Result<Json, Failure>,
    /// Whether the value was longer than allowed and was cut.
    pub truncated: bool,
    /// What it logged, in order.
    pub logs: Vec<LogEntry>,
    /// Whether some log entries were dropped.
    pub logs_truncated: bool,
    /// What it probably did by mistake, for example a call that was not awaited.
    pub warnings: Vec<String>,
    /// The calls that it made, in order. Their effects remain however the script ended.
    pub calls: Vec<CallRecord>,
    /// The number of calls that are not listed.
    pub calls_unlisted: usize,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}

/// Why a script has no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind of failure.
    pub code: ErrorCode,
    /// What happened.
    pub message: String,
    /// For an SDK error that the script did not catch: the kind of that error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The stack frames of the script, with lines and columns of its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// Where in the source it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Box<SourceLocation>>,
}

impl Failure {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            tag: None,
            hint: None,
            stack: None,
            location: None,
        }
    }

    /// The deadline was reached.
    pub(crate) fn timeout(timeout: std::time::Duration) -> Self {
        let milliseconds = timeout.as_millis();
        Self::new(
            ErrorCode::Timeout,
            format!("The script did not finish within {milliseconds} ms"),
        )
        .with_hint("The effects of its calls remain. Do less in one script, or request more time.")
    }

    /// The memory limit was exceeded.
    pub(crate) fn memory_limit(bytes: usize) -> Self {
        let megabytes = bytes / (1024 * 1024);
        Self::new(
            ErrorCode::MemoryLimit,
            format!("The script needed more than {megabytes} MB of memory"),
        )
        .with_hint(
            "Process fewer items at a time. Reference cycles are freed only when the script ends.",
        )
    }

    /// The limit of calls was exceeded.
    pub(crate) fn too_many_calls(most: usize) -> Self {
        Self::new(
            ErrorCode::TooManyCalls,
            format!("The script made more than {most} calls"),
        )
        .with_hint("Use methods that handle many items in one call, or split the work into several scripts.")
    }

    /// The calls without a result hold too much.
    pub(crate) fn too_many_arguments(bytes: usize) -> Self {
        let megabytes = bytes / (1024 * 1024);
        Self::new(
            ErrorCode::MemoryLimit,
            format!(
                "The arguments of the script's calls without a result have more than {megabytes} MB"
            ),
        )
        .with_hint("Await calls with long arguments or long results before making more of them.")
    }

    /// The kernel does not restrict the worker.
    pub(crate) fn not_isolated() -> Self {
        Self::new(
            ErrorCode::NotIsolated,
            "The script was not run: this system does not restrict the process that would run it \
             (no seccomp filters)",
        )
        .with_hint(
            "Use Linux on x86_64, aarch64 or riscv64, without a container profile that blocks \
             seccomp. A person can accept the risk: set unjailed = true under [code] in \
             .windlass/config.toml, then run windlass allow .windlass/config.toml.",
        )
    }

    pub(crate) fn with_hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }
}

/// A location in the source of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLocation {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The text of the line.
    pub source: String,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The script threw something and did not catch it.
    JsRuntimeError,
    /// A call of the SDK failed and the script did not catch the error.
    SdkError,
    /// The deadline was reached.
    Timeout,
    /// The source is not a valid script: it is too long, or it cannot be parsed.
    InvalidParams,
    /// It exceeded its memory limit.
    MemoryLimit,
    /// It waits for something that can never happen.
    Deadlock,
    /// The process that ran it exited.
    WorkerCrashed,
    /// It exceeded its limit of calls.
    TooManyCalls,
    /// Its value is too long even to be shortened.
    ResultTooLarge,
    /// It was not run, because the system does not restrict workers.
    NotIsolated,
}

impl ErrorCode {
    /// Its name in JSON.
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
            Self::NotIsolated => "not_isolated",
        }
    }
}

/// One line of the log of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    /// The method of `console` that was called.
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
    /// It succeeded.
    Ok,
    /// It failed with this code.
    Error(String),
    /// Its result is unknown: the script was stopped first.
    Pending,
}
