//! What processes left behind that were killed.

use windlass_ops::{dead_job_sockets, orphaned_jobs};
use windlass_store::{Project, Store};

use super::check::{Check, counted};
use super::state;

pub fn sockets(project: &Project) -> Check {
    let sockets = dead_job_sockets(project.state());
    match sockets.first() {
        None => Check::ok("sockets", "No socket of a process that has gone"),
        Some(first) => Check::warning(
            "sockets",
            format!(
                "{} of processes that have gone, for example {}",
                counted(sockets.len(), "socket"),
                first.display()
            ),
            "The next job that is started removes them.",
        ),
    }
}

/// They are told as failed wherever they are shown, so there is nothing to do about them.
pub fn jobs(store: &Store) -> Check {
    match orphaned_jobs(store) {
        Ok(jobs) if jobs.is_empty() => {
            Check::ok("jobs", "None lost the process that looked after it")
        }
        Ok(jobs) => Check::ok(
            "jobs",
            format!(
                "{} lost the process that looked after it and is shown as failed: interrupted",
                counted(jobs.len(), "job")
            ),
        ),
        Err(error) => state::unreadable("jobs", &error),
    }
}
