//! The task behind each job: it owns the shim and the pipes, and is the only one to change the job.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Signal};
use tokio::sync::{broadcast, mpsc};

use crate::job::{Job, JobState, Tree};
use crate::output::Stream;
use crate::pump::{More, Pump};
use crate::shims::Shim;
use crate::supervisor::{Event, Slot};
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
}

/// What happens next.
enum Next {
    Report(std::io::Result<Report>),
    Output(Stream),
    Stop(Duration),
}

impl Executor {
    /// Runs until no process of the job is left. Gives back the shim if it can be used again.
    pub async fn run(mut self) -> Option<Shim> {
        loop {
            match self.next().await {
                Next::Output(stream) => self.read(stream),
                // A shim that does not hear of it is gone, which is seen next.
                Next::Stop(grace) => drop(self.shim.send(&Request::Stop(grace)).await),
                Next::Report(Ok(Report::Exited { code })) => self.finish(JobState::Exited(code)),
                Next::Report(Ok(Report::Signaled { signal })) => {
                    self.finish(JobState::Signaled(signal));
                }
                Next::Report(Ok(Report::Gone { killed, left: 0 })) => {
                    self.tree_is(Tree::Gone { killed });
                    return Some(self.shim);
                }
                Next::Report(Ok(Report::Gone { left, .. })) => {
                    self.finish(JobState::Failed(format!(
                        "{left} of its processes cannot be ended"
                    )));
                    self.tree_is(Tree::Stuck { left });
                    return None;
                }
                Next::Report(Ok(Report::Started { .. } | Report::Failed { .. })) => {}
                Next::Report(Err(_)) => {
                    self.lose();
                    return None;
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
        let _ = self.events.send(Event::Ended {
            job: self.job.id,
            state,
        });
    }

    fn tree_is(&self, tree: Tree) {
        self.job.status.send_modify(|status| status.tree = tree);
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
        self.tree_is(Tree::Gone { killed: true });
    }
}

async fn ready(pump: Option<&Pump>) {
    match pump {
        Some(pump) => pump.ready().await,
        None => std::future::pending().await,
    }
}

fn take(job: &Job, events: &broadcast::Sender<Event>, stream: Stream, bytes: &[u8]) {
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
