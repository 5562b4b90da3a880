//! Leftovers of processes that were killed.

use windlass_ops::{dead_job_sockets, orphaned_jobs};
use windlass_store::{Project, Store};

use super::check::{Check, counted};
use super::state;

pub fn sockets(project: &Project) -> Check {
    let sockets = dead_job_sockets(project.state());
    match sockets.first() {
        None => Check::ok("sockets", "No sockets of exited processes"),
        Some(first) => Check::warning(
            "sockets",
            format!(
                "{} of exited processes, for example {}",
                counted(sockets.len(), "socket"),
                first.display()
            ),
            "The next job removes them when it starts.",
        ),
    }
}

/// They are shown as failed everywhere, so there is nothing to fix.
pub fn jobs(store: &Store) -> Check {
    match orphaned_jobs(store) {
        Ok(jobs) if jobs.is_empty() => Check::ok("jobs", "No interrupted jobs"),
        Ok(jobs) => Check::ok(
            "jobs",
            format!(
                "{} interrupted because the supervising process exited; shown as failed",
                counted(jobs.len(), "job")
            ),
        ),
        Err(error) => state::unreadable("jobs", &error),
    }
}
