use crate::prelude::*;
use std::time::Duration;

use clap::ValueEnum;
use regex::Regex;

use super::jobs::{self, Place};
use super::local;
use super::outputs::state_span;
use crate::job_host::{self, Request};

pub struct TaskWait;

const DEFAULT_TIMEOUT: f64 = 60.0;
const LONGEST: f64 = 3600.0;

/// Wait until a job ends, writes a matching line, or listens on a port.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The PID of the job.
    pub pid: i32,
    /// What to wait for.
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub until: Until,
    /// A regex.
    #[serde(default)]
    #[arg(long)]
    pub pattern: Option<String>,
    /// With until port.
    #[serde(default)]
    #[arg(long)]
    pub port: Option<u16>,
    /// Seconds.
    #[serde(default = "default_timeout")]
    #[arg(long, default_value_t = DEFAULT_TIMEOUT)]
    #[schemars(range(min = 0, max = 3600))]
    pub timeout: f64,
}

fn default_timeout() -> f64 {
    DEFAULT_TIMEOUT
}

/// What to wait for.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Until {
    /// Its end.
    #[default]
    Exit,
    /// A line of its output.
    Pattern,
    /// That it listens on a port.
    Port,
}

/// What to wait for, with its arguments.
pub enum Condition {
    Exit,
    Pattern(Regex),
    Port(u16),
}

impl Input {
    pub fn limit(&self) -> Result<Duration> {
        Duration::try_from_secs_f64(self.timeout)
            .ok()
            .filter(|_| self.timeout <= LONGEST)
            .ok_or_else(|| Error::validation("timeout", "must be 0 to 3,600 seconds"))
    }

    pub fn until(&self) -> Result<Condition> {
        let needless = |field: &str| {
            Err(Error::validation(
                field,
                format!("cannot be used with until {}", self.until.word()),
            ))
        };
        let missing = |field: &str| {
            Error::validation(
                field,
                format!("is required with until {}", self.until.word()),
            )
        };
        match (self.until, &self.pattern, self.port) {
            (Until::Exit | Until::Port, Some(_), _) => needless("pattern"),
            (Until::Exit | Until::Pattern, _, Some(_)) => needless("port"),
            (Until::Exit, None, None) => Ok(Condition::Exit),
            (Until::Pattern, pattern, None) => {
                let pattern = pattern.as_ref().ok_or_else(|| missing("pattern"))?;
                Ok(Condition::Pattern(local::regex("pattern", pattern)?))
            }
            (Until::Port, None, port) => {
                let port = port.filter(|port| *port > 0);
                Ok(Condition::Port(port.ok_or_else(|| missing("port"))?))
            }
        }
    }
}

impl Until {
    fn word(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Pattern => "pattern",
            Self::Port => "port",
        }
    }
}

/// What ended the wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The job has ended.
    Ended,
    /// A line matched.
    Matched,
    /// The job listens on the port.
    Listening,
    /// The timeout has passed, and a process outside the job listens on the port.
    HeldByAnother,
    /// The timeout has passed.
    TimedOut,
}

/// The result of the wait.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WaitResult {
    pub pid: i32,
    pub outcome: Outcome,
    /// The line that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// running, exited or failed.
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub waited_ms: u64,
}

impl Render for WaitResult {
    fn view(&self) -> View {
        let (text, style) = match self.outcome {
            Outcome::Ended => ("The job has ended: ", Style::Plain),
            Outcome::Matched => ("A line matched; the job is ", Style::Good),
            Outcome::Listening => ("It listens; the job is ", Style::Good),
            Outcome::HeldByAnother => (
                "Another process holds the port; the job is ",
                Style::Warning,
            ),
            Outcome::TimedOut => ("Timed out; the job is ", Style::Warning),
        };
        let view = View::default().line([
            Span::new(text, style),
            state_span(&self.state, self.exit_code),
        ]);
        match &self.line {
            Some(line) => view.text(line.clone()),
            None => view,
        }
    }
}

impl ReadOperation for TaskWait {
    type Input = Input;
    type Output = WaitResult;

    const DECLARATION: Declaration = Declaration::read("task_wait", Toolset::Commands)
        .sdk("jobs.wait")
        .cli(&["jobs", "wait"])
        .long_running()
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "Until the dev server reports that it is ready",
            &[
                "jobs",
                "wait",
                "4711",
                "--until",
                "pattern",
                "--pattern",
                "ready in",
            ],
            r#"{"pid": 4711, "until": "pattern", "pattern": "ready in"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<WaitResult> {
        input.limit()?;
        input.until()?;
        match jobs::find(&context, input.pid)? {
            Place::Here(job) => job.wait(&context, &input).await,
            Place::Elsewhere(socket) => job_host::ask(&socket, &Request::Wait(input)).await,
            Place::Past(record) => Ok(WaitResult {
                pid: record.pid,
                outcome: Outcome::Ended,
                line: None,
                state: record.state,
                exit_code: record.exit_code,
                reason: record.reason,
                waited_ms: 0,
            }),
        }
    }
}
