//! Operations on a job of this process.

use std::time::{Duration, Instant};

use regex::Regex;
use windlass_core::{Error, Result};
use windlass_process::{
    Ansi, Job, JobState, PatternWait, PortWait, ReadOptions, Stopped, StreamFilter, WaitEnd,
};

use super::guard::confirm_text;
use super::task_output::{self, Output};
use super::task_stop::{self, StopResult};
use super::task_wait::{self, Outcome, WaitResult};
use crate::commands::outputs::{exit_code, reason, state_name};

/// The longest grace between TERM and KILL that a caller may ask for.
pub const MAX_GRACE: Duration = Duration::from_mins(10);

pub fn output(job: &Job, input: &task_output::Input) -> Result<Output> {
    let options = ReadOptions {
        stream: input.stream.filter(),
        ansi: if input.ansi { Ansi::Keep } else { Ansi::Strip },
        max_bytes: input.max_bytes,
        whole_lines: true,
        ..ReadOptions::default()
    };
    let mut output = match (&input.grep, input.from) {
        (Some(pattern), _) => found(job, pattern, input, &options)?,
        (None, Some(from)) => page(job, from, &options),
        (None, None) => tail(job, input, &options),
    };
    confirm_text(job)?;
    output.pid = job.pid;
    Ok(output)
}

fn tail(job: &Job, input: &task_output::Input, options: &ReadOptions) -> Output {
    let tail = job.tail(input.lines as usize, options);
    let shown = tail.lines.len() as u64;
    let missing = tail.totals.total_lines.saturating_sub(shown);
    let mut lines: Vec<String> = tail.lines.into_iter().map(|line| line.text).collect();
    if tail.truncated && input.show_truncation {
        lines.insert(0, format!("[{missing} earlier lines are not shown]"));
    }
    Output {
        lines,
        truncated: tail.truncated,
        next: Some(tail.next),
        ..Output::of(tail.totals)
    }
}

fn page(job: &Job, from: u64, options: &ReadOptions) -> Output {
    let page = job.from(from, options);
    let text: String = page
        .chunks
        .iter()
        .map(|chunk| chunk.text.as_str())
        .collect();
    Output {
        lines: text.lines().map(str::to_owned).collect(),
        truncated: page.truncated,
        next: Some(page.next),
        dropped: (page.dropped > 0).then_some(page.dropped),
        ..Output::of(page.totals)
    }
}

fn found(
    job: &Job,
    pattern: &str,
    input: &task_output::Input,
    options: &ReadOptions,
) -> Result<Output> {
    let found = job.grep(&regex("grep", pattern)?, input.context as usize, options);
    // As grep does: a colon behind the number of a line that matches, a dash for its neighbours.
    let lines = found.lines.into_iter().map(|line| {
        let mark = if line.matches { ':' } else { '-' };
        format!("{}{mark}{}", line.number, line.line.text)
    });
    Ok(Output {
        lines: lines.collect(),
        truncated: found.truncated,
        matches: Some(found.matches as u64),
        ..Output::of(found.totals)
    })
}

pub fn regex(field: &str, pattern: &str) -> Result<Regex> {
    regex::RegexBuilder::new(pattern)
        .size_limit(1 << 20)
        .build()
        .map_err(|problem| {
            let text = problem.to_string();
            let what = text.lines().last().unwrap_or_default().trim();
            Error::validation(field, format!("is not a regular expression: {what}"))
        })
}

pub async fn stop(job: &Job, input: &task_stop::Input, grace: Duration) -> Result<StopResult> {
    let grace = match input.grace_period {
        Some(seconds) => Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|grace| *grace <= MAX_GRACE)
            .ok_or_else(|| Error::validation("grace_period", "must be 0 to 600 seconds"))?,
        None => grace,
    };
    let (status, message) = match job.stop(grace).await {
        Ok(Stopped::Graceful { state }) => (
            "graceful",
            format!("Process stopped gracefully {}", how(&state)),
        ),
        Ok(Stopped::Killed { .. }) => (
            "killed",
            format!(
                "Process did not stop within {} and was killed",
                seconds(grace)
            ),
        ),
        Ok(Stopped::AlreadyFinished { state }) => (
            "graceful",
            format!("Process had already ended {}", how(&state)),
        ),
        Err(problem) => ("failed", problem.to_string()),
    };
    Ok(StopResult {
        pid: job.pid,
        status: status.to_owned(),
        message,
        grace_period_used: grace.as_secs_f64(),
    })
}

fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        1.0 => "1 second".to_owned(),
        count => format!("{count} seconds"),
    }
}

fn how(state: &JobState) -> String {
    match state {
        JobState::Exited(code) => format!("with exit code {code}"),
        JobState::Signaled(signal) => format!("by signal {signal}"),
        JobState::Failed(reason) => format!("({reason})"),
        JobState::Running => String::new(),
    }
}

pub async fn wait(job: &Job, input: &task_wait::Input) -> Result<WaitResult> {
    let begin = Instant::now();
    let limit = Some(input.limit()?);
    let (outcome, line) = match input.until()? {
        task_wait::Condition::Exit => match job.wait_exit(limit).await {
            None => (Outcome::TimedOut, None),
            Some(_) => (Outcome::Ended, None),
        },
        task_wait::Condition::Pattern(pattern) => {
            match job.wait_pattern(pattern, StreamFilter::Both, limit).await {
                PatternWait::Found(line) => (Outcome::Matched, Some(line)),
                PatternWait::Not(ended) => (Outcome::from(&ended), None),
            }
        }
        task_wait::Condition::Port(port) => match job.wait_port(port, limit).await {
            PortWait::Listening => (Outcome::Listening, None),
            PortWait::HeldByAnother => (Outcome::HeldByAnother, None),
            PortWait::Not(ended) => (Outcome::from(&ended), None),
        },
    };
    confirm_text(job)?;
    let state = job.state();
    Ok(WaitResult {
        pid: job.pid,
        outcome,
        line,
        state: state_name(&state).to_owned(),
        exit_code: exit_code(&state),
        reason: reason(&state),
        waited_ms: u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

impl From<&WaitEnd> for Outcome {
    fn from(ended: &WaitEnd) -> Self {
        match ended {
            WaitEnd::Job(_) => Self::Ended,
            WaitEnd::TimedOut => Self::TimedOut,
        }
    }
}
