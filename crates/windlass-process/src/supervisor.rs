//! The supervisor: all jobs of a server, and the limits that hold for them together.

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
use crate::output::Stream;
use crate::pump::Pump;
use crate::shims::{Shim, Shims};
use crate::spec::{Limits, ShimCommand, Spec};
use crate::table::{Slot, Table, lock};
use crate::wire::{Report, Request, Start};

/// Events that wait for a slow listener before it loses the oldest.
const EVENTS_KEPT: usize = 1024;

/// What happens to jobs. Output is told by its place, and read by whoever wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A job was started.
    Started {
        /// Which.
        job: JobId,
    },
    /// A job has written the bytes `from..to`.
    Output {
        /// Which.
        job: JobId,
        /// Where to.
        stream: Stream,
        /// The first byte.
        from: u64,
        /// Behind the last byte.
        to: u64,
    },
    /// The process of a job has ended.
    WaitEnd {
        /// Which.
        job: JobId,
        /// How.
        state: JobState,
    },
}

/// All jobs; a cheap handle that can be cloned.
///
/// When the last handle of it and of its jobs is gone, or the runtime is, or the process is killed in
/// whatever manner, the shims end what still runs.
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
    /// A supervisor without jobs, to be used within a tokio runtime.
    pub fn new(shim: ShimCommand, limits: Limits) -> Self {
        let shared = Shared {
            limits,
            shims: Arc::new(Shims::new(shim)),
            events: broadcast::Sender::new(EVENTS_KEPT),
            table: Arc::default(),
            interest: Arc::new(watch::Sender::new(())),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// The limits that hold.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// Starts a shim ahead, so that the first job need not wait for it.
    pub fn warm(&self) -> Result<()> {
        let shim = self.shared.shims.start().map_err(Error::Shim)?;
        self.shared.shims.give_back(shim);
        Ok(())
    }

    /// Starts a job and answers when its program runs.
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
            table.forget_beyond(self.shared.limits.max_finished);
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
        self.attend(executor, job.id);
        Ok(self.handle(&job))
    }

    /// Takes a place before anything is started.
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
        // One that waited may have been killed in the meantime; a new one is then as good.
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
        let pumps = [
            Pump::new(Stream::Stdout, stdout)?,
            Pump::new(Stream::Stderr, stderr)?,
        ];
        let start = Request::Start(Start::new(spec, self.shared.limits.grace));
        let ends = [OwnedFd::from(stdout_end), OwnedFd::from(stderr_end)];
        shim.send_with(&start, &ends).await?;
        drop(ends);
        let report = shim.receive().await?;
        Ok((shim, report, pumps))
    }

    /// Sees the job through, and forgets it when nobody may ask for it any more.
    fn attend(&self, executor: Executor, id: JobId) {
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

    /// All jobs that can be read, oldest first.
    pub fn jobs(&self) -> Vec<JobHandle> {
        let table = lock(&self.shared.table);
        table.jobs.values().map(|job| self.handle(job)).collect()
    }

    /// The job of this number.
    pub fn job(&self, id: JobId) -> Option<JobHandle> {
        let table = lock(&self.shared.table);
        table.jobs.get(&id).map(|job| self.handle(job))
    }

    /// The job whose program has this pid; the latest, since the system uses pids again.
    pub fn job_by_pid(&self, pid: i32) -> Option<JobHandle> {
        let table = lock(&self.shared.table);
        table
            .jobs
            .values()
            .rev()
            .find(|job| job.pid == pid)
            .map(|job| self.handle(job))
    }

    /// Hears of starts, output and ends from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.shared.events.subscribe()
    }

    /// Stops all jobs at once and answers when no process of any is left. Nothing can be started
    /// after that.
    pub async fn shutdown(&self, grace: Duration) {
        lock(&self.shared.table).closed = true;
        loop {
            let mut stops = JoinSet::new();
            for job in self.jobs() {
                stops.spawn(async move { drop(job.stop(grace).await) });
            }
            stops.join_all().await;
            // A job that was being started when the door was closed has its place already.
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
        // The only reason for which the system is not even asked.
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "a NUL byte cannot be passed on",
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
