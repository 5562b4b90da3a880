//! The supervisor: all jobs of a server, and their common limits.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;

use crate::error::{Error, Result};
use crate::executor::Executor;
use crate::job::{Job, JobHandle, JobId, JobState};
use crate::marks::MARK;
use crate::output::Stream;
use crate::pump::Pump;
use crate::shims::{Shim, Shims};
use crate::spec::{Limits, ShimCommand, Spec};
use crate::table::{Slot, Table, lock};
use crate::wire::{Report, Request, Start};

/// How many events are buffered for a slow listener before it loses the oldest.
const EVENT_BUFFER: usize = 1024;

/// An event of a job. Output events contain only the position; listeners read the output
/// themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A job was started.
    Started {
        /// The job.
        job: JobId,
    },
    /// A job has written the bytes `from..to`.
    Output {
        /// The job.
        job: JobId,
        /// The stream.
        stream: Stream,
        /// The first byte.
        from: u64,
        /// The position after the last byte.
        to: u64,
    },
    /// The process of a job has ended.
    WaitEnd {
        /// The job.
        job: JobId,
        /// How it ended.
        state: JobState,
    },
}

/// All jobs; a cheap handle that can be cloned.
///
/// When the last handle to it and to its jobs is dropped, when the runtime is dropped, or when the
/// process is killed, the shims stop the running jobs.
#[derive(Clone)]
pub struct Supervisor {
    shared: Arc<Shared>,
}

struct Shared {
    limits: Limits,
    shims: Arc<Shims>,
    events: broadcast::Sender<Event>,
    table: Arc<Mutex<Table>>,
    interest: Arc<watch::Sender<()>>,
}

impl Supervisor {
    /// A supervisor without jobs, for use within a tokio runtime.
    pub fn new(shim: ShimCommand, limits: Limits) -> Self {
        let shared = Shared {
            limits,
            shims: Arc::new(Shims::new(shim)),
            events: broadcast::Sender::new(EVENT_BUFFER),
            table: Arc::default(),
            interest: Arc::new(watch::Sender::new(())),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// The limits of this supervisor.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// Starts a shim ahead of time, so that the first job need not wait for it.
    pub fn warm(&self) -> Result<()> {
        let shim = self.shared.shims.start().map_err(Error::Shim)?;
        self.shared.shims.give_back(shim);
        Ok(())
    }

    /// Starts a job and returns when its program runs.
    pub async fn start(&self, spec: Spec) -> Result<JobHandle> {
        let slot = self.reserve()?;
        let (shim, pid, pumps) = self.launch(&spec).await?;
        let [stdout, stderr] = pumps;
        let (job, stops) = {
            let mut table = lock(&self.shared.table);
            table.last += 1;
            let id = JobId(table.last);
            let (job, stops) = Job::new(id, (pid, shim.pid()), spec, &self.shared.limits);
            let job = Arc::new(job);
            table.jobs.insert(id, Arc::clone(&job));
            table.remove_beyond(self.shared.limits.max_finished);
            (job, stops)
        };
        let _ = self.shared.events.send(Event::Started { job: job.id });
        let executor = Executor {
            job: Arc::clone(&job),
            shim,
            stdout: Some(stdout),
            stderr: Some(stderr),
            stops,
            events: self.shared.events.clone(),
            slot: Some(slot),
            shims: Arc::clone(&self.shared.shims),
            interest: self.shared.interest.subscribe(),
        };
        self.run_to_end(executor, job.id);
        Ok(self.handle(&job))
    }

    /// Counts the job toward the limit before anything is started.
    fn reserve(&self) -> Result<Slot> {
        let mut table = lock(&self.shared.table);
        if table.closed {
            return Err(Error::ShuttingDown);
        }
        let limit = self.shared.limits.max_jobs;
        if table.running >= limit {
            return Err(Error::TooManyJobs { limit });
        }
        table.running += 1;
        Ok(Slot::new(&self.shared.table))
    }

    async fn launch(&self, spec: &Spec) -> Result<(Shim, i32, [Pump; 2])> {
        let shims = &self.shared.shims;
        // An idle shim may have been killed meanwhile; a new one is used then.
        let waiting = match shims.take() {
            Some(shim) => self.hand_over(shim, spec).await.ok(),
            None => None,
        };
        let (shim, report, pumps) = if let Some(launched) = waiting {
            launched
        } else {
            let shim = shims.start().map_err(Error::Shim)?;
            self.hand_over(shim, spec).await.map_err(Error::Shim)?
        };
        match report {
            Report::Started { pid } => Ok((shim, pid, pumps)),
            Report::Failed { errno } => {
                shims.give_back(shim);
                Err(spawn_error(spec, errno))
            }
            _ => Err(Error::Shim(io::ErrorKind::InvalidData.into())),
        }
    }

    async fn hand_over(
        &self,
        mut shim: Shim,
        spec: &Spec,
    ) -> io::Result<(Shim, Report, [Pump; 2])> {
        let (stdout, stdout_end) = io::pipe()?;
        let (stderr, stderr_end) = io::pipe()?;
        let kept = (stdout.try_clone()?, stderr.try_clone()?);
        let pumps = [
            Pump::new(Stream::Stdout, stdout)?,
            Pump::new(Stream::Stderr, stderr)?,
        ];
        let mut start = Start::new(spec, self.shared.limits.grace);
        if let Some(mark) = shim.mark_next() {
            let value = mark.to_string().into();
            start.env.push((MARK.into(), Some(value)));
        }
        let start = Request::Start(start);
        let ends = [
            OwnedFd::from(stdout_end),
            OwnedFd::from(stderr_end),
            OwnedFd::from(kept.0),
            OwnedFd::from(kept.1),
        ];
        shim.send_with(&start, &ends).await?;
        drop(ends);
        let report = shim.receive().await?;
        Ok((shim, report, pumps))
    }

    /// Runs the executor, and removes the job when it is no longer readable.
    fn run_to_end(&self, executor: Executor, id: JobId) {
        let shared = Arc::downgrade(&self.shared);
        let keep = self.shared.limits.keep_finished;
        tokio::spawn(async move {
            executor.run().await;
            tokio::time::sleep(keep).await;
            if let Some(shared) = shared.upgrade() {
                lock(&shared.table).jobs.remove(&id);
            }
        });
    }

    fn handle(&self, job: &Arc<Job>) -> JobHandle {
        JobHandle {
            job: Arc::clone(job),
            _interest: Arc::clone(&self.shared.interest),
        }
    }

    /// All readable jobs, oldest first.
    pub fn jobs(&self) -> Vec<JobHandle> {
        let table = lock(&self.shared.table);
        table.jobs.values().map(|job| self.handle(job)).collect()
    }

    /// The job with this number.
    pub fn job(&self, id: JobId) -> Option<JobHandle> {
        let table = lock(&self.shared.table);
        table.jobs.get(&id).map(|job| self.handle(job))
    }

    /// The latest job whose program has this pid; the system reuses pids.
    pub fn job_by_pid(&self, pid: i32) -> Option<JobHandle> {
        let table = lock(&self.shared.table);
        table
            .jobs
            .values()
            .rev()
            .find(|job| job.pid == pid)
            .map(|job| self.handle(job))
    }

    /// Subscribes to starts, output and ends from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.shared.events.subscribe()
    }

    /// Stops all jobs at once and returns when no process of any is left. Nothing can be started
    /// after that.
    pub async fn shutdown(&self, grace: Duration) {
        lock(&self.shared.table).closed = true;
        loop {
            let mut stops = JoinSet::new();
            for job in self.jobs() {
                stops.spawn(async move { drop(job.stop(grace).await) });
            }
            stops.join_all().await;
            // A job that was being started when the shutdown began has its slot already.
            if lock(&self.shared.table).running == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.shared.shims.close().await;
    }
}

fn spawn_error(spec: &Spec, errno: i32) -> Error {
    let source = if !Path::new(&spec.cwd).is_dir() {
        io::Error::new(io::ErrorKind::NotFound, "the folder does not exist")
    } else if errno == 0 {
        // The only error that does not come from the system.
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "a NUL byte cannot be passed to a program",
        )
    } else {
        io::Error::from_raw_os_error(errno)
    };
    Error::Spawn {
        program: spec.program.to_string_lossy().into_owned(),
        cwd: spec.cwd.clone(),
        source,
    }
}
