//! What can go wrong with a job, in words for the one who asked for it.

use std::io;
use std::path::PathBuf;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a job could not be started or controlled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The limit of jobs that run at once is reached; nothing was started.
    #[error(
        "{limit} jobs are running already, which is the limit: stop one or wait until one ends"
    )]
    TooManyJobs {
        /// The limit that holds.
        limit: usize,
    },
    /// [`shutdown`](crate::Supervisor::shutdown) has begun; nothing was started.
    #[error("the supervisor is shutting down and starts no more jobs")]
    ShuttingDown,
    /// The program itself could not be started.
    #[error("cannot start `{program}` in {}: {source}", cwd.display())]
    Spawn {
        /// The program as it was asked for.
        program: String,
        /// The folder in which it was to run.
        cwd: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The shim, a part of this program, could not be started or has gone away.
    #[error("the supervisor of the job did not start: {0}")]
    Shim(#[source] io::Error),
    /// The job has no process any more, yet was not seen to end.
    #[error("processes of the job could not be ended: {left} are left")]
    Unkillable {
        /// How many are left.
        left: u32,
    },
}
