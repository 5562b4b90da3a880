//! The task of each job: it owns the shim and the pipes, and only it changes the job.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Signal};
use tokio::sync::{broadcast, mpsc, watch};

use crate::job::{Job, JobState, Tree};
use crate::marks::end_marked;
use crate::output::Stream;
use crate::pump::{More, Pump};
use crate::shims::{Shim, Shims};
use crate::supervisor::Event;
use crate::table::Slot;
use crate::wire::{Report, Request};

/// A running job.
pub struct Executor {
    pub job: Arc<Job>,
    pub shim: Shim,
    pub stdout: Option<Pump>,
    pub stderr: Option<Pump>,
    pub stops: mpsc::UnboundedReceiver<Duration>,
    pub events: broadcast::Sender<Event>,
    /// Counts toward the limit of running jobs until the job has ended.
    pub slot: Option<Slot>,
    pub shims: Arc<Shims>,
    /// Closed when no handle is left.
    pub interest: watch::Receiver<()>,
}

/// What happens next.
enum Next {
    Report(std::io::Result<Report>),
    Output(Stream),
    Stop(Duration),
    HandlesDropped,
}

impl Executor {
    /// Runs until no process of the job is left. The shim is returned before the end is published,
    /// so that a caller who waited for the end can reuse it.
    pub async fn run(mut self) {
        loop {
            match self.next().await {
                // Dropping the shim makes it end the tree.
                Next::HandlesDropped => return,
                Next::Output(stream) => self.read(stream),
                // If sending fails, the shim has exited, which is detected next.
                Next::Stop(grace) => drop(self.shim.send(&Request::Stop(grace)).await),
                Next::Report(Ok(Report::Exited { code })) => self.finish(JobState::Exited(code)),
                Next::Report(Ok(Report::Signaled { signal })) => {
                    self.finish(JobState::Signaled(signal));
                }
                Next::Report(Ok(Report::TreeEnded { killed, left: 0 })) => {
                    self.shims.give_back(self.shim);
                    return set_tree(&self.job, Tree::Exited { killed });
                }
                Next::Report(Ok(Report::TreeEnded { left, .. })) => {
                    let why = format!("{left} of its processes cannot be killed");
                    self.finish(JobState::Failed(why));
                    return set_tree(&self.job, Tree::Stuck { left });
                }
                Next::Report(Ok(Report::Started { .. } | Report::Failed { .. })) => {}
                Next::Report(Err(_)) => {
                    return self.shim_lost().await;
                }
            }
        }
    }

    async fn next(&mut self) -> Next {
        let (stdout, stderr) = (self.stdout.as_ref(), self.stderr.as_ref());
        tokio::select! {
            () = ready(stdout) => Next::Output(Stream::Stdout),
            () = ready(stderr) => Next::Output(Stream::Stderr),
            report = self.shim.receive() => Next::Report(report),
            Some(grace) = self.stops.recv() => Next::Stop(grace),
            Err(_) = self.interest.changed() => Next::HandlesDropped,
        }
    }

    fn read(&mut self, stream: Stream) {
        let pump = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let Some(open) = pump else { return };
        let more = open.read(&mut |stream, bytes| take(&self.job, &self.events, stream, bytes));
        if more == More::No {
            *pump = None;
        }
    }

    /// The job's own process has ended. What it wrote is in the pipes and belongs to the job; what
    /// other processes write later does not, so the output of a finished job no longer changes.
    fn finish(&mut self, state: JobState) {
        if !self.job.state().is_running() {
            return;
        }
        for pump in [self.stdout.take(), self.stderr.take()]
            .iter_mut()
            .flatten()
        {
            pump.drain(&mut |stream, bytes| take(&self.job, &self.events, stream, bytes));
        }
        self.job.output().ring.close();
        self.slot = None;
        self.job.status.send_modify(|status| {
            status.state = state.clone();
            status.finished_at = Some(SystemTime::now());
        });
        // It is not an error if nobody listens.
        let _ = self.events.send(Event::WaitEnd {
            job: self.job.id,
            state,
        });
    }

    /// The shim was killed. The process group of the job can still be reached, and what has its mark.
    async fn shim_lost(&mut self) {
        if self.job.state().is_running()
            && let Some(group) = Pid::from_raw(self.job.pid)
        {
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
        if let Some(mark) = self.shim.mark() {
            let _ = tokio::task::spawn_blocking(move || end_marked(mark)).await;
        }
        self.finish(JobState::Failed(
            "the process that supervised it was killed".to_owned(),
        ));
        set_tree(&self.job, Tree::Exited { killed: true });
    }
}

fn set_tree(job: &Job, tree: Tree) {
    job.status.send_modify(|status| status.tree = tree);
}

async fn ready(pump: Option<&Pump>) {
    match pump {
        Some(pump) => pump.ready().await,
        None => std::future::pending().await,
    }
}

fn take(job: &Job, events: &broadcast::Sender<Event>, stream: Stream, bytes: &[u8]) {
    if let Some(sink) = &job.sink {
        sink.write(stream, bytes);
        if sink.replaces_ring() {
            return;
        }
    }
    let end = {
        let mut output = job.output();
        output.push(stream, bytes);
        output.ring.end()
    };
    job.written.send_replace(end);
    if events.receiver_count() > 0 {
        let from = end - bytes.len() as u64;
        let _ = events.send(Event::Output {
            job: job.id,
            stream,
            from,
            to: end,
        });
    }
}
