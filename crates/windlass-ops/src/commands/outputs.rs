//! The output form of a job, wherever it runs.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Timestamp;
use windlass_process::{Job, JobState};
use windlass_store::JobRecord;

use super::guard::{Guard, known_refusal};
use crate::view::{Column, Span, Style, View};

/// What was started, as it is recorded.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct JobDetails {
    pub source_name: String,
    pub runner: String,
    pub command: String,
    pub args: Vec<String>,
    pub cwd: String,
    pub file_path: String,
}

/// One job.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JobOutput {
    pub pid: i32,
    pub unique_name: String,
    /// The name in the file that defines the command.
    pub source_name: String,
    /// running, exited or failed.
    pub state: String,
    /// When it was started, in seconds since 1970.
    pub started_at: i64,
    /// How long it has been running, or ran.
    pub elapsed_seconds: i64,
    /// What was executed.
    pub command: String,
    /// The arguments that the caller added.
    pub args: Vec<String>,
    pub cwd: String,
    pub file_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who started it.
    pub session: String,
}

impl From<JobRecord> for JobOutput {
    fn from(record: JobRecord) -> Self {
        let details: JobDetails = serde_json::from_value(record.details).unwrap_or_default();
        let started = record.started_at.as_millis();
        let ended = record.ended_at.unwrap_or_else(Timestamp::now).as_millis();
        Self {
            pid: record.pid,
            unique_name: record.unique_name,
            source_name: details.source_name,
            state: record.state,
            started_at: started.div_euclid(1000),
            elapsed_seconds: (ended - started).max(0) / 1000,
            command: details.command,
            args: details.args,
            cwd: details.cwd,
            file_path: details.file_path,
            exit_code: record.exit_code,
            reason: record.reason,
            session: record.session,
        }
    }
}

/// The details attached to a job of this process.
#[derive(Debug)]
pub struct JobFacts {
    pub details: JobDetails,
    pub session: String,
    /// Watches the files of a command that was allowed with a certain text.
    pub guard: Option<Arc<Guard>>,
}

impl JobOutput {
    /// A job of this process, as it is now.
    pub fn of_job(job: &Job) -> Option<Self> {
        let facts = job.data.as_ref()?.downcast_ref::<JobFacts>()?;
        let details = facts.details.clone();
        let refusal = known_refusal(job);
        let state = refusal.map_or_else(|| job.state(), JobState::Failed);
        let started = timestamp(job.started_at).as_millis();
        let ended = job.finished_at().map_or_else(Timestamp::now, timestamp);
        Some(Self {
            pid: job.pid,
            unique_name: job.label.clone(),
            source_name: details.source_name,
            state: state_name(&state).to_owned(),
            started_at: started.div_euclid(1000),
            elapsed_seconds: (ended.as_millis() - started).max(0) / 1000,
            command: details.command,
            args: details.args,
            cwd: details.cwd,
            file_path: details.file_path,
            exit_code: exit_code(&state),
            reason: reason(&state),
            session: facts.session.clone(),
        })
    }
}

/// The state by its name in the commands contract.
pub fn state_name(state: &JobState) -> &'static str {
    match state {
        JobState::Running => "running",
        JobState::Exited(_) => "exited",
        JobState::Signaled(_) | JobState::Failed(_) => "failed",
    }
}

/// The exit code; as in shells, 128 plus the signal number if a signal ended the process.
pub fn exit_code(state: &JobState) -> Option<i32> {
    match state {
        JobState::Exited(code) => Some(*code),
        JobState::Signaled(signal) => Some(128 + signal),
        JobState::Running | JobState::Failed(_) => None,
    }
}

/// Why a job did not exit by itself.
pub fn reason(state: &JobState) -> Option<String> {
    match state {
        JobState::Signaled(signal) => Some(format!("ended by signal {signal}")),
        JobState::Failed(reason) => Some(reason.clone()),
        JobState::Running | JobState::Exited(_) => None,
    }
}

pub fn timestamp(moment: SystemTime) -> Timestamp {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A table of jobs, or the text `nothing` if there are none.
pub fn job_table(jobs: &[JobOutput], nothing: &str) -> View {
    if jobs.is_empty() {
        return View::nothing(nothing);
    }
    let columns = vec![
        Column::new("PID").right(),
        Column::new("NAME"),
        Column::new("STATE"),
        Column::new("TIME").right(),
        Column::new("BY"),
        Column::new("COMMAND").shrinking(),
    ];
    let rows = jobs.iter().map(|job| {
        vec![
            Span::new(job.pid.to_string(), Style::Id),
            Span::new(job.unique_name.clone(), Style::Strong),
            state_span(&job.state, job.exit_code),
            Span::from(duration(job.elapsed_seconds)),
            Span::new(job.session.clone(), Style::Dim),
            Span::from(job.command.clone()),
        ]
    });
    View::default().table(columns, rows.collect())
}

pub fn state_span(state: &str, exit_code: Option<i32>) -> Span {
    match (state, exit_code) {
        ("running", _) => Span::new("running", Style::Good),
        ("exited", Some(0)) => Span::from("exited"),
        (state, Some(code)) => Span::new(format!("{state} {code}"), Style::Bad),
        (state, None) => Span::new(state, Style::Bad),
    }
}

/// Two units at most: `59s`, `2m 5s`, `3h 1m`, `2d 4h`.
fn duration(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        ..60 => format!("{seconds}s"),
        60..3600 => format!("{minutes}m {}s", seconds % 60),
        3600..86_400 => format!("{hours}h {}m", minutes % 60),
        _ => format!("{days}d {}h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_read_well() {
        for (seconds, text) in [
            (0, "0s"),
            (59, "59s"),
            (125, "2m 5s"),
            (10_860, "3h 1m"),
            (187_300, "2d 4h"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn states_in_the_words_of_the_seed() {
        assert_eq!(state_name(&JobState::Signaled(9)), "failed");
        assert_eq!(exit_code(&JobState::Signaled(9)), Some(137));
        assert_eq!(exit_code(&JobState::Exited(3)), Some(3));
        assert_eq!(reason(&JobState::Exited(3)), None);
    }
}
