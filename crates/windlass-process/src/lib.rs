//! The job supervisor: it starts programs, stores a limited amount of their output, waits for them,
//! and stops whole process trees.
//!
//! It does not depend on projects, commands or protocols, and prints nothing.
//!
//! Each job runs under a *shim*: the same executable, started with a hidden subcommand that calls
//! [`shim_main`]. The shim adopts every process of the job, however it was forked, so a stop leaves
//! none behind, and it stops the tree when the server exits for any reason. No data passes through
//! it: the server reads the job's pipes itself.
//!
//! A job has ended when its own process has, not when its pipes close. Background processes that it
//! leaves are then stopped too (TERM, grace period, KILL), since nothing may outlive its job
//! unnoticed.

// A build for another system ends here, with a sentence instead of a hundred errors.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("Windlass does not run on this system yet. On Windows, build it in WSL.");

mod error;
mod executor;
mod job;
mod marks;
mod os;
mod output;
mod port;
mod pump;
mod shim;
mod shims;
mod spec;
mod supervisor;
mod table;
mod wait;
mod wire;

pub use error::{Error, Result};
pub use job::{Job, JobHandle, JobId, JobState};
pub use marks::{ProcessStat, end_abandoned};
pub use os::{namespace, process_stat};
pub use output::read::{Chunk, Found, FoundLine, Line, Page, Tail};
pub use output::ring::Totals;
pub use output::text::strip_ansi;
pub use output::{Ansi, Progress, ReadOptions, Stream, StreamFilter};
pub use shim::shim_main;
pub use spec::{Limits, OutputSink, ShimCommand, Spec};
pub use supervisor::{Event, Supervisor};
pub use wait::{PatternWait, PortWait, Stopped, WaitEnd};
