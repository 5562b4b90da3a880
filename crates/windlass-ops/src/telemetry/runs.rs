//! The span of a run, with one inside of it for each step. All of it is in the record of the run.
//! Titles and names of steps are texts of whoever wrote them, and stay here.

use windlass_core::{Origin, Timestamp};
use windlass_runs::record::{Failure, FailureKind, RunRecord, StepRecord, StepStatus};

use super::scope::Scope;
use super::span::{Attributes, Nanoseconds, SpanKind, shortened};

/// Sends the spans of a run that has ended.
pub fn run_ended(scope: &Scope, origin: &Origin, record: &RunRecord) {
    let begun = scope.begin();
    let inside = begun.inside();
    for (index, step) in record.steps().iter().enumerate() {
        step_ended(&inside, record, index, step);
    }
    let started = record.started_at().unwrap_or(record.created_at());
    let times = times(started, record.completed_at());
    let attributes = Attributes::of(origin)
        .id("windlass.run", record.run_id())
        .word("windlass.runtime", record.runtime().name())
        .word("windlass.run.status", record.status().name());
    let (name, attributes) = match record.playbook_id() {
        Some(id) => (
            format!("run {}", shortened(id)),
            attributes.name("windlass.playbook", id),
        ),
        None => ("run".to_owned(), attributes),
    };
    let failed = record.status().name() != "success";
    let attributes = attributes.error(failed.then(|| error_of(record.failure())));
    begun.end_at(times, name, SpanKind::Internal, attributes, failed);
}

fn step_ended(scope: &Scope, record: &RunRecord, index: usize, step: &StepRecord) {
    // A step that was skipped never began.
    let Some(started) = &step.started_at else {
        return;
    };
    let number = i64::try_from(index + 1).unwrap_or(i64::MAX);
    let failed = step.status != StepStatus::Success;
    let attributes = Attributes::default()
        .id("windlass.run", record.run_id())
        .number("windlass.step", number)
        .word("windlass.step.status", step.status.name())
        .number_if("process.exit.code", step.exit_code)
        .error(failed.then(|| error_of(step.failure.as_ref())));
    scope.begin().end_at(
        times(started, step.completed_at.as_ref()),
        format!("step {number}"),
        SpanKind::Internal,
        attributes,
        failed,
    );
}

fn times(started: &Timestamp, ended: Option<&Timestamp>) -> (Nanoseconds, Nanoseconds) {
    let begin = Nanoseconds::from(started);
    (begin, ended.map_or(begin, Nanoseconds::from))
}

/// The kind of a failure, never its message.
fn error_of(failure: Option<&Failure>) -> &'static str {
    match failure.map(|failure| failure.kind) {
        Some(FailureKind::ExitCode) => "exit_code",
        Some(FailureKind::StdoutRegex) => "stdout_regex",
        Some(FailureKind::StderrRegex) => "stderr_regex",
        Some(FailureKind::FileExists) => "file_exists",
        Some(FailureKind::Timeout) => "timeout",
        Some(FailureKind::Cancelled) => "cancelled",
        Some(FailureKind::Start) => "start",
        Some(FailureKind::Environment) => "environment",
        Some(FailureKind::Interrupted) => "interrupted",
        Some(FailureKind::NotRecorded) => "not_recorded",
        None => "failed",
    }
}
