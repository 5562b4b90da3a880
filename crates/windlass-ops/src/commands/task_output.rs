use crate::prelude::*;
use clap::ValueEnum;
use windlass_process::{StreamFilter, Totals};
use windlass_store::JobRecord;

use super::jobs::{self, Place};
use super::local;
use crate::job_host::{self, Request};

pub struct TaskOutput;

const DEFAULT_LINES: u32 = 200;
/// Who asks for more lines gets this many.
const MOST_LINES: u32 = 1_000;
const CHUNK: usize = 8 * 1024;
/// The most bytes that one call may ask for.
const LARGEST: usize = 64 * 1024;

/// Read the output of a job while it runs and an hour longer.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The PID of the job.
    pub pid: i32,
    /// The last lines, at most 1,000.
    #[serde(default = "default_lines")]
    #[arg(long, short = 'n', default_value_t = DEFAULT_LINES)]
    #[schemars(range(min = 1))]
    pub lines: u32,
    /// Count the rest.
    #[serde(default)]
    #[arg(long)]
    pub show_truncation: bool,
    /// Read on from this byte (next).
    #[serde(default)]
    #[arg(long, conflicts_with_all = ["lines", "grep"])]
    pub from: Option<u64>,
    /// Which output.
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub stream: StreamName,
    /// Lines that match this regex.
    #[serde(default)]
    #[arg(long)]
    pub grep: Option<String>,
    /// Lines around each match.
    #[serde(default)]
    #[arg(long, default_value_t)]
    #[schemars(range(max = 50))]
    pub context: u32,
    /// Keep escape sequences.
    #[serde(default)]
    #[arg(long)]
    pub ansi: bool,
    /// Bytes at most.
    #[serde(default = "default_bytes")]
    #[arg(long, default_value_t = CHUNK)]
    #[schemars(range(min = 1, max = 65536))]
    pub max_bytes: usize,
}

impl Input {
    /// The output of a job from a byte on.
    pub fn from_byte(pid: i32, from: u64) -> Self {
        Self {
            pid,
            lines: DEFAULT_LINES,
            show_truncation: false,
            from: Some(from),
            stream: StreamName::Both,
            grep: None,
            context: 0,
            ansi: false,
            max_bytes: CHUNK,
        }
    }
}

fn default_lines() -> u32 {
    DEFAULT_LINES
}

fn default_bytes() -> usize {
    CHUNK
}

/// Which of the two outputs.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum StreamName {
    #[default]
    Both,
    Stdout,
    Stderr,
}

impl StreamName {
    pub fn filter(self) -> StreamFilter {
        match self {
            Self::Both => StreamFilter::Both,
            Self::Stdout => StreamFilter::Stdout,
            Self::Stderr => StreamFilter::Stderr,
        }
    }
}

/// A part of what a job has written.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    pub pid: i32,
    pub lines: Vec<String>,
    /// Lines ever written.
    pub total_lines: u64,
    /// Bytes ever written.
    pub total_bytes: u64,
    /// Whether there is more than is returned here.
    pub truncated: bool,
    /// Whether the beginning of the output is no longer stored.
    pub buffer_full: bool,
    /// The byte to continue from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
    /// Bytes between the cursor and the first one that is still stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<u64>,
    /// How many lines match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<u64>,
}

impl Output {
    pub fn of(totals: Totals) -> Self {
        Self {
            total_lines: totals.total_lines,
            total_bytes: totals.total_bytes,
            buffer_full: totals.dropped_bytes > 0,
            ..Self::default()
        }
    }
}

impl Render for Output {
    fn view(&self) -> View {
        if self.lines.is_empty() {
            let nothing = match self.matches {
                Some(_) => "No line matches.",
                None => "No output.",
            };
            return View::nothing(nothing);
        }
        let view = View::default().text(self.lines.join("\n"));
        if !self.truncated || self.matches.is_some() {
            return view;
        }
        let rest = match self.next {
            Some(next) if next < self.total_bytes => {
                format!("There is more; continue with --from {next}.")
            }
            _ => "Earlier lines are not shown; --lines N shows more.".to_owned(),
        };
        view.line([Span::new(rest, Style::Dim)])
    }
}

impl ReadOperation for TaskOutput {
    type Input = Input;
    type Output = Output;

    const DECLARATION: Declaration = Declaration::read("task_output", Toolset::Commands)
        .sdk("jobs.output")
        .cli(&["jobs", "output"])
        .examples(&[Example::new(
            "The errors among the output of job 4711, each with the line before and after",
            &[
                "jobs",
                "output",
                "4711",
                "--grep",
                "error",
                "--context",
                "1",
            ],
            r#"{"pid": 4711, "grep": "error", "context": 1}"#,
        )]);

    async fn run(context: ReadContext, mut input: Input) -> Result<Output> {
        input.lines = input.lines.min(MOST_LINES);
        check(&input)?;
        let socket = match jobs::find(&context, input.pid)? {
            Place::Here(job) => return job.output(&input),
            Place::Past(record) => return past(*record, &input),
            Place::Elsewhere(socket) => socket,
        };
        match job_host::ask(&socket, &Request::Output(input.clone())).await {
            // Forgotten there, or its process exited meanwhile: use the record.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::JobNotFound | ErrorKind::JobUnreachable
                ) =>
            {
                match context.read(|reader| reader.job_by_pid(input.pid))? {
                    Some(record) => past(jobs::settled(record), &input),
                    None => Err(error),
                }
            }
            answer => answer,
        }
    }
}

fn check(input: &Input) -> Result<()> {
    if input.lines == 0 {
        return Err(Error::validation("lines", "must be at least 1"));
    }
    if input.context > 50 {
        return Err(Error::validation("context", "must be 0 to 50"));
    }
    if !(1..=LARGEST).contains(&input.max_bytes) {
        return Err(Error::validation("max_bytes", "must be 1 to 65,536"));
    }
    if input.from.is_some() && input.grep.is_some() {
        return Err(Error::validation("from", "cannot be used with grep"));
    }
    if let Some(pattern) = &input.grep {
        local::regex("grep", pattern)?;
    }
    Ok(())
}

/// From the recorded end of the output; cursors do not apply to it.
fn past(record: JobRecord, input: &Input) -> Result<Output> {
    let tail = record.tail.unwrap_or_default();
    let pattern = input.grep.as_deref();
    let pattern = pattern.map(|it| local::regex("grep", it)).transpose()?;
    let fits = |line: &&str| pattern.as_ref().is_none_or(|it| it.is_match(line));
    let mut lines: Vec<&str> = tail.lines().filter(fits).collect();
    let kept = lines.len().min(input.lines as usize);
    let total_bytes = record.total_bytes.and_then(|it| u64::try_from(it).ok());
    let total_bytes = total_bytes.unwrap_or_default();
    let buffer_full = total_bytes > tail.len() as u64;
    Ok(Output {
        pid: record.pid,
        total_lines: tail.lines().count() as u64,
        total_bytes,
        truncated: pattern.is_none() && (kept < lines.len() || buffer_full),
        buffer_full,
        matches: pattern.is_some().then_some(lines.len() as u64),
        lines: lines
            .split_off(lines.len() - kept)
            .into_iter()
            .map(str::to_owned)
            .collect(),
        ..Output::default()
    })
}
