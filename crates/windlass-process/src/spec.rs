//! What to start, and the limits that apply to all jobs.

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::output::Stream;

/// Limits of a [`Supervisor`](crate::Supervisor).
#[derive(Clone, Debug)]
pub struct Limits {
    /// Jobs that may run at the same time; finished ones do not count.
    pub max_jobs: usize,
    /// Lines of output stored for a job.
    pub ring_lines: usize,
    /// Bytes of output stored for a job.
    pub ring_bytes: usize,
    /// Time between TERM and KILL if the caller sets none, and for background processes of a job.
    pub grace: Duration,
    /// How long a finished job stays readable.
    pub keep_finished: Duration,
    /// Finished jobs that stay readable; the oldest are removed first, so that memory stays
    /// limited.
    pub max_finished: usize,
    /// How long a surface waits for a job to end before it reports that the job is running.
    pub first_capture: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_jobs: 50,
            ring_lines: 1000,
            ring_bytes: 5 << 20,
            grace: Duration::from_secs(5),
            keep_finished: Duration::from_hours(1),
            max_finished: 200,
            first_capture: Duration::from_secs(1),
        }
    }
}

/// How to start the shim: an executable with arguments that make it call
/// [`shim_main`](crate::shim_main).
#[derive(Clone, Debug)]
pub struct ShimCommand {
    /// Usually the running executable.
    pub program: PathBuf,
    /// The hidden subcommand.
    pub args: Vec<OsString>,
}

/// Receives the output of a job: every byte, in the order of its stream, before the end of the job
/// is published. It is called where the pipes are read, so that a slow sink slows the job down and
/// nothing accumulates.
pub trait OutputSink: Send + Sync {
    /// Receives what was written to `stream`. Characters arrive whole unless the job itself splits
    /// them.
    fn write(&self, stream: Stream, bytes: &[u8]);

    /// Whether the job then stores none of it, so that nobody can read it from the job or wait for
    /// a line of it.
    fn replaces_ring(&self) -> bool {
        true
    }
}

/// One program to run.
#[derive(Clone)]
pub struct Spec {
    /// A path, or a name that is looked up in `PATH` of the job's environment.
    pub program: OsString,
    /// Its arguments, passed unchanged.
    pub args: Vec<OsString>,
    /// The folder in which it runs.
    pub cwd: PathBuf,
    /// Changes to the inherited environment: a value is set, `None` is removed.
    pub env: BTreeMap<OsString, Option<OsString>>,
    /// The caller's label for the job.
    pub label: String,
    /// Data that the caller attaches to the job.
    pub data: Option<Arc<dyn Any + Send + Sync>>,
    /// Where the output goes, instead of the ring or in addition to it.
    pub sink: Option<Arc<dyn OutputSink>>,
}

impl Spec {
    /// A program without arguments, run in `cwd`.
    pub fn new(program: impl Into<OsString>, cwd: impl Into<PathBuf>) -> Self {
        let program = program.into();
        Self {
            label: program.to_string_lossy().into_owned(),
            program,
            args: Vec::new(),
            cwd: cwd.into(),
            env: BTreeMap::new(),
            data: None,
            sink: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets one variable of the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), Some(value.into()));
        self
    }

    /// Sends the output to `sink`.
    #[must_use]
    pub fn output_to(mut self, sink: Arc<dyn OutputSink>) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Removes one variable of the environment.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), None);
        self
    }
}
