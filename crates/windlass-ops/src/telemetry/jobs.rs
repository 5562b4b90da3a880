//! The span of a job.

use std::sync::Arc;

use windlass_core::Origin;
use windlass_process::JobHandle;

use super::scope::Scope;
use super::span::{Attributes, Nanoseconds, SpanKind, shortened};
use crate::commands::{confirm_text, exit_code, state_name};

/// Waits for the end of a job and sends its span.
pub async fn follow_job(scope: Arc<Scope>, origin: Origin, job: JobHandle, runner: &'static str) {
    let begun = scope.begin();
    job.wait_exit(None).await;
    let state = job.state();
    let code = exit_code(&state);
    let error = match confirm_text(&job) {
        Err(error) => Some(error.kind().name()),
        Ok(()) => (code != Some(0)).then_some(if code.is_some() { "exit_code" } else { "lost" }),
    };
    let times = (
        Nanoseconds::of(job.started_at),
        job.finished_at()
            .map_or_else(Nanoseconds::now, Nanoseconds::of),
    );
    let attributes = Attributes::of(&origin)
        .name("windlass.command", &job.label)
        .word("windlass.runner", runner)
        .word("windlass.job.state", state_name(&state))
        .number("process.pid", job.pid)
        .number_if("process.exit.code", code)
        .error(error);
    let name = format!("job {}", shortened(&job.label));
    begun.end_at(times, name, SpanKind::Internal, attributes, error.is_some());
}
