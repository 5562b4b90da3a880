//! The task behind each job: it owns the shim and the pipes, and is the only one to change the job.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Signal};
use tokio::sync::{broadcast, mpsc, watch};

use crate::job::{Job, JobState, Tree};
use crate::output::Stream;
use crate::pump::{More, Pump};
use crate::shims::{Shim, Shims};
use crate::supervisor::Event;
use crate::table::Slot;
use crate::wire::{Report, Request};

/// A job under way.
pub struct Executor {
    pub job: Arc<Job>,
    pub shim: Shim,
    pub stdout: Option<Pump>,
    pub stderr: Option<Pump>,
    pub stops: mpsc::UnboundedReceiver<Duration>,
    pub events: broadcast::Sender<Event>,
    /// The place among the jobs that run at once, until the job has ended.
    pub slot: Option<Slot>,
    pub shims: Arc<Shims>,
    /// Closed when nobody holds a handle any more.
    pub interest: watch::Receiver<()>,
}

/// What happens next.
enum Next {
    Report(std::io::Result<Report>),
    Output(Stream),
    Stop(Duration),
    Forgotten,
}

impl Executor {
    /// Runs until no process of the job is left. The shim is given back before anyone hears of it, so
    /// that whoever waited finds it.
    pub async fn run(mut self) {
        loop {
            match self.next().await {
                // Dropping the shim makes it end the tree.
                Next::Forgotten => return,
                Next::Output(stream) => self.read(stream),
                // A shim that does not hear of it is gone, which is seen next.
                Next::Stop(grace) => drop(self.shim.send(&Request::Stop(grace)).await),
                Next::Report(Ok(Report::Exited { code })) => self.finish(JobState::Exited(code)),
                Next::Report(Ok(Report::Signaled { signal })) => {
                    self.finish(JobState::Signaled(signal));
                }
                Next::Report(Ok(Report::Gone { killed, left: 0 })) => {
                    self.shims.give_back(self.shim);
                    return tree_is(&self.job, Tree::Gone { killed });
                }
                Next::Report(Ok(Report::Gone { left, .. })) => {
                    let why = format!("{left} of its processes cannot be ended");
                    self.finish(JobState::Failed(why));
                    return tree_is(&self.job, Tree::Stuck { left });
                }
                Next::Report(Ok(Report::Started { .. } | Report::Failed { .. })) => {}
                Next::Report(Err(_)) => {
                    return self.lose();
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
            Err(_) = self.interest.changed() => Next::Forgotten,
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

    /// The job's own process has ended. What it wrote is in the pipes and belongs to it; what others
    /// write from now on does not, so that a finished job stays as it is.
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
        // Nobody has to listen.
        let _ = self.events.send(Event::WaitEnd {
            job: self.job.id,
            state,
        });
    }

    /// The shim was killed. The group is what can still be reached of the job.
    fn lose(&mut self) {
        if self.job.state().is_running()
            && let Some(group) = Pid::from_raw(self.job.pid)
        {
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
        self.finish(JobState::Failed(
            "the process that supervised it was ended from outside".to_owned(),
        ));
        tree_is(&self.job, Tree::Gone { killed: true });
    }
}

fn tree_is(job: &Job, tree: Tree) {
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
