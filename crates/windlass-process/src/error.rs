//! The errors of starting and controlling jobs, with messages for the caller.

use std::io;
use std::path::PathBuf;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a job could not be started or controlled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The limit of running jobs is reached; nothing was started.
    #[error(
        "{limit} jobs are already running, which is the limit: stop one or wait until one ends"
    )]
    TooManyJobs {
        /// The limit.
        limit: usize,
    },
    /// [`shutdown`](crate::Supervisor::shutdown) has begun; nothing was started.
    #[error("the supervisor is shutting down and cannot start jobs")]
    ShuttingDown,
    /// The program could not be started.
    #[error("cannot start `{program}` in {}: {source}", cwd.display())]
    Spawn {
        /// The program as given.
        program: String,
        /// The folder in which it should run.
        cwd: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The shim process could not be started, or has exited.
    #[error("the supervisor of the job did not start: {0}")]
    Shim(#[source] io::Error),
    /// Processes of the job are left that cannot be killed.
    #[error("{left} processes of the job could not be killed")]
    Unkillable {
        /// How many are left.
        left: u32,
    },
}
