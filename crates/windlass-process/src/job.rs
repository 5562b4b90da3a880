//! One job: what it is, what it has written, and waiting for it.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use regex::Regex;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::error::{Error, Result};
use crate::output::pattern::Matcher;
use crate::output::read::{self, Found, Page, Tail};
use crate::output::ring::{Ring, Totals};
use crate::output::{ReadOptions, Stream, StreamFilter};
use crate::port::{self, Listener};
use crate::spec::{Limits, Spec};

/// The number of a job within its supervisor; unlike a pid it is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub u64);

/// A job, shared by all who look at it.
pub type JobHandle = Arc<Job>;

/// What has become of the job's own process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It runs.
    Running,
    /// It has ended with this code.
    Exited(i32),
    /// It was ended by this signal.
    Signaled(i32),
    /// It was lost, and why.
    Failed(String),
}

impl JobState {
    /// Whether it still runs.
    pub fn is_running(&self) -> bool {
        *self == Self::Running
    }
}

/// How a stop came out. No process of the job is left in any case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// All ended within the grace.
    Graceful {
        /// What became of the job's own process.
        state: JobState,
    },
    /// At least one process had to be killed.
    Killed {
        /// What became of the job's own process.
        state: JobState,
    },
    /// It had ended before.
    AlreadyFinished {
        /// What became of the job's own process.
        state: JobState,
    },
}

/// The end of a job that was waited for, as seen from something else that was waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It ended first.
    Job(JobState),
    /// The time was over first.
    TimedOut,
}

/// How the wait for a line came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternWait {
    /// This line matches.
    Found(String),
    /// It did not come before this.
    Not(Ended),
}

/// How the wait for a port came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortWait {
    /// The job listens; or someone does, where it cannot be told who.
    Listening,
    /// The time was over, and a process listens there that does not belong to the job.
    HeldByAnother,
    /// It did not come before this.
    Not(Ended),
}

/// What the executor tells those who wait.
#[derive(Clone, Debug)]
pub struct Status {
    pub state: JobState,
    pub finished_at: Option<SystemTime>,
    pub tree: Tree,
}

/// What is left of the job's processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tree {
    There,
    Gone { killed: bool },
    Stuck { left: u32 },
}

/// What is kept of the output, and who waits for more of it.
pub struct Output {
    pub ring: Ring,
    matchers: Vec<Matcher>,
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
    /// Its number.
    pub id: JobId,
    /// The process of the program itself.
    pub pid: i32,
    /// What the caller calls it.
    pub label: String,
    /// What the caller attached to it.
    pub data: Option<Arc<dyn Any + Send + Sync>>,
    /// When it was started.
    pub started_at: SystemTime,
    pub(crate) shim_pid: Option<i32>,
    pub(crate) status: watch::Sender<Status>,
    /// Written so that those who wait for output need not ask again and again.
    pub(crate) written: watch::Sender<u64>,
    output: Mutex<Output>,
    stops: mpsc::UnboundedSender<Duration>,
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
            tree: Tree::There,
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
            stops,
        };
        (job, stop_requests)
    }

    pub(crate) fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What has become of it.
    pub fn state(&self) -> JobState {
        self.status.borrow().state.clone()
    }

    /// When its process ended.
    pub fn finished_at(&self) -> Option<SystemTime> {
        self.status.borrow().finished_at
    }

    /// Changes whenever something was written: the number of bytes so far.
    pub fn watch_output(&self) -> watch::Receiver<u64> {
        self.written.subscribe()
    }

    /// What came and what is gone.
    pub fn totals(&self) -> Totals {
        self.output().ring.totals()
    }

    /// The last `lines` lines, as many of them as fit.
    pub fn tail(&self, lines: usize, options: &ReadOptions) -> Tail {
        read::tail(&mut self.output().ring, lines, options)
    }

    /// What was written from byte `cursor` on, as much of it as fits.
    pub fn from(&self, cursor: u64, options: &ReadOptions) -> Page {
        read::from(&mut self.output().ring, cursor, options)
    }

    /// Lines that match, each with `context` lines on both sides.
    pub fn grep(&self, pattern: &Regex, context: usize, options: &ReadOptions) -> Found {
        read::grep(&mut self.output().ring, pattern, context, options)
    }

    /// Waits until it has ended; `None` where the time is over first, and `None` as the limit waits
    /// as long as it takes.
    pub async fn wait_exit(&self, limit: Option<Duration>) -> Option<JobState> {
        within(limit, self.ended()).await
    }

    async fn ended(&self) -> JobState {
        let mut status = self.status.subscribe();
        match status.wait_for(|status| !status.state.is_running()).await {
            Ok(status) => status.state.clone(),
            Err(_) => self.state(),
        }
    }

    /// Waits for a line that matches, from the first one that is kept on. Colours do not count.
    pub async fn wait_pattern(
        &self,
        pattern: Regex,
        filter: StreamFilter,
        limit: Option<Duration>,
    ) -> PatternWait {
        let (mut matcher, mut found) = Matcher::new(pattern, filter);
        {
            // Under one lock, so that nothing is written between the past and the future.
            let mut output = self.output();
            output.ring.make_contiguous();
            for (_, stream, run) in output.ring.segments_from(0) {
                matcher.feed(stream, run);
            }
            output.matchers.push(matcher);
        }
        let wait = async {
            tokio::select! {
                biased;
                Ok(line) = &mut found => PatternWait::Found(line),
                state = self.ended() => PatternWait::Not(Ended::Job(state)),
            }
        };
        match within(limit, wait).await {
            None => PatternWait::Not(Ended::TimedOut),
            // All output was looked at before the end was told.
            Some(PatternWait::Not(ended)) => match found.try_recv() {
                Ok(line) => PatternWait::Found(line),
                Err(_) => PatternWait::Not(ended),
            },
            Some(found) => found,
        }
    }

    /// Waits until the job listens on `port` of this machine's loopback address.
    pub async fn wait_port(&self, port: u16, limit: Option<Duration>) -> PortWait {
        let mut seen = Listener::None;
        let listening = async {
            loop {
                seen = port::listener(self.pid, self.shim_pid, port).await;
                if matches!(seen, Listener::Job | Listener::Unknown) {
                    return;
                }
                tokio::time::sleep(port::ROUND).await;
            }
        };
        let wait = async {
            tokio::select! {
                () = listening => PortWait::Listening,
                state = self.ended() => PortWait::Not(Ended::Job(state)),
            }
        };
        match within(limit, wait).await {
            Some(outcome) => outcome,
            None if seen == Listener::Another => PortWait::HeldByAnother,
            None => PortWait::Not(Ended::TimedOut),
        }
    }

    /// Ends the whole tree: TERM, and KILL after `grace`. Answers when no process is left.
    pub async fn stop(&self, grace: Duration) -> Result<Stopped> {
        let was_running = self.state().is_running();
        // Where nobody listens any more, the tree is gone.
        let _ = self.stops.send(grace);
        let mut status = self.status.subscribe();
        let status = match status.wait_for(|status| status.tree != Tree::There).await {
            Ok(status) => status.clone(),
            Err(_) => self.status.borrow().clone(),
        };
        let state = status.state;
        match status.tree {
            Tree::Stuck { left } => Err(Error::Unkillable { left }),
            _ if !was_running => Ok(Stopped::AlreadyFinished { state }),
            Tree::Gone { killed: true } => Ok(Stopped::Killed { state }),
            Tree::Gone { killed: false } | Tree::There => Ok(Stopped::Graceful { state }),
        }
    }
}

async fn within<T>(limit: Option<Duration>, wait: impl Future<Output = T>) -> Option<T> {
    match limit {
        Some(limit) => timeout(limit, wait).await.ok(),
        None => Some(wait.await),
    }
}
