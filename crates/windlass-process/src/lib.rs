//! The supervisor of jobs: it starts programs, keeps their output within limits, waits for them,
//! and ends whole process trees.
//!
//! It knows nothing of projects, commands or protocols, prints nothing and asks nobody.
//!
//! Each job runs under a *shim*: the same executable, started with a hidden subcommand that calls
//! [`shim_main`]. The shim adopts every process of the job, however it was forked, so a stop leaves
//! none behind, and it ends the tree when the server goes away in whatever manner. Data never
//! passes through it: the server reads the job's pipes itself.
//!
//! A job has ended when its own process has, not when its pipes close. What it left running in the
//! background is then stopped too (TERM, grace, KILL), since nothing may outlive its job unseen.

mod error;
mod executor;
mod job;
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
pub use output::read::{Chunk, Found, FoundLine, Line, Page, Tail};
pub use output::ring::Totals;
pub use output::text::strip_ansi;
pub use output::{Ansi, Progress, ReadOptions, Stream, StreamFilter};
pub use shim::shim_main;
pub use spec::{Limits, OutputSink, ShimCommand, Spec};
pub use supervisor::{Event, Supervisor};
pub use wait::{PatternWait, PortWait, Stopped, WaitEnd};
