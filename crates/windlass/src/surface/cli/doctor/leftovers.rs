//! Leftovers of processes that were killed.

use windlass_ops::{abandoned_reviews, dead_job_sockets, orphaned_jobs};
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

/// Without a server, nothing runs them until someone asks for it.
pub fn gates(store: &Store) -> Check {
    match abandoned_reviews(store) {
        Ok(reviews) => match reviews.first() {
            None => Check::ok("gates", "No gates without a process that runs them"),
            Some(first) => {
                let numbers: Vec<String> = reviews.iter().map(|it| it.number.to_string()).collect();
                Check::warning(
                    "gates",
                    format!(
                        "The gates of review {} have not finished and no process runs them",
                        numbers.join(", ")
                    ),
                    format!(
                        "Run windlass gates rerun {}, or start a server: it takes them over.",
                        first.number
                    ),
                )
            }
        },
        Err(error) => state::unreadable("gates", &error),
    }
}
