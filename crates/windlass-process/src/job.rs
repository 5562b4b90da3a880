//! One job: its identity, its state and its output.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use regex::Regex;
use tokio::sync::{mpsc, watch};

use crate::output::pattern::Matcher;
use crate::output::read::{self, Found, Page, Tail};
use crate::output::ring::{Ring, Totals};
use crate::output::{ReadOptions, Stream};
use crate::spec::{Limits, OutputSink, Spec};

/// The number of a job within its supervisor; unlike a pid it is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub u64);

/// A handle to a job; cheap to clone.
///
/// A job runs as long as a handle to it or to its supervisor exists. Without one it could no longer
/// be stopped, so it is then stopped.
#[derive(Clone, Debug)]
pub struct JobHandle {
    pub(crate) job: Arc<Job>,
    /// Never used: the executor detects when the last one is dropped.
    pub(crate) _interest: Arc<watch::Sender<()>>,
}

impl Deref for JobHandle {
    type Target = Job;

    fn deref(&self) -> &Job {
        &self.job
    }
}

/// The state of the job's own process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It is running.
    Running,
    /// It has exited with this code.
    Exited(i32),
    /// It was killed by this signal.
    Signaled(i32),
    /// It was lost, and why.
    Failed(String),
}

impl JobState {
    /// Whether it is running.
    pub fn is_running(&self) -> bool {
        *self == Self::Running
    }
}

/// What the executor publishes to waiting callers.
#[derive(Clone, Debug)]
pub struct Status {
    pub state: JobState,
    pub finished_at: Option<SystemTime>,
    pub tree: Tree,
}

/// The state of the job's process tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tree {
    Running,
    Exited { killed: bool },
    Stuck { left: u32 },
}

/// The stored output, and the matchers that wait for more.
pub struct Output {
    pub ring: Ring,
    pub matchers: Vec<Matcher>,
}

impl Output {
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        self.ring.push(stream, bytes);
        if !self.matchers.is_empty() {
            for matcher in &mut self.matchers {
                matcher.feed(stream, bytes);
            }
            self.matchers.retain(Matcher::is_waiting);
        }
    }
}

/// One job.
pub struct Job {
    /// Its number within the supervisor.
    pub id: JobId,
    /// The pid of the program itself.
    pub pid: i32,
    /// The label that the caller gave it.
    pub label: String,
    /// The data that the caller attached to it.
    pub data: Option<Arc<dyn Any + Send + Sync>>,
    /// When it was started.
    pub started_at: SystemTime,
    pub(crate) shim_pid: Option<i32>,
    pub(crate) status: watch::Sender<Status>,
    /// Updated with each write, so that waiting callers need not poll.
    pub(crate) written: watch::Sender<u64>,
    output: Mutex<Output>,
    pub(crate) sink: Option<Arc<dyn OutputSink>>,
    pub(crate) stops: mpsc::UnboundedSender<Duration>,
}

impl fmt::Debug for Job {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Job")
            .field("id", &self.id)
            .field("pid", &self.pid)
            .field("label", &self.label)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

impl Job {
    pub(crate) fn new(
        id: JobId,
        (pid, shim_pid): (i32, Option<i32>),
        spec: Spec,
        limits: &Limits,
    ) -> (Self, mpsc::UnboundedReceiver<Duration>) {
        let (stops, stop_requests) = mpsc::unbounded_channel();
        let running = Status {
            state: JobState::Running,
            finished_at: None,
            tree: Tree::Running,
        };
        let output = Output {
            ring: Ring::new(limits.ring_lines, limits.ring_bytes),
            matchers: Vec::new(),
        };
        let job = Self {
            id,
            pid,
            label: spec.label,
            data: spec.data,
            started_at: SystemTime::now(),
            shim_pid,
            status: watch::Sender::new(running),
            written: watch::Sender::new(0),
            output: Mutex::new(output),
            sink: spec.sink,
            stops,
        };
        (job, stop_requests)
    }

    pub(crate) fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of its process.
    pub fn state(&self) -> JobState {
        self.status.borrow().state.clone()
    }

    /// When its process ended.
    pub fn finished_at(&self) -> Option<SystemTime> {
        self.status.borrow().finished_at
    }

    /// The number of bytes written so far; changes with each write.
    pub fn watch_output(&self) -> watch::Receiver<u64> {
        self.written.subscribe()
    }

    /// The totals of written and dropped output.
    pub fn totals(&self) -> Totals {
        self.output().ring.totals()
    }

    /// The last `lines` lines, as many as fit.
    pub fn tail(&self, lines: usize, options: &ReadOptions) -> Tail {
        read::tail(&mut self.output().ring, lines, options)
    }

    /// The output from byte `cursor`, as much as fits. The last line of a job that has ended is
    /// complete, with or without a newline.
    pub fn from(&self, cursor: u64, options: &ReadOptions) -> Page {
        let ended = !self.state().is_running();
        let ring = &mut self.output().ring;
        let page = read::from(ring, cursor, options);
        let held_back = page.next < ring.end() && !page.truncated;
        if !(ended && options.whole_lines && held_back) {
            return page;
        }
        let rest = ReadOptions {
            whole_lines: false,
            ..*options
        };
        read::from(ring, cursor, &rest)
    }

    /// Lines that match, each with `context` lines on both sides.
    pub fn grep(&self, pattern: &Regex, context: usize, options: &ReadOptions) -> Found {
        read::grep(&mut self.output().ring, pattern, context, options)
    }
}
