//! Waiting for a job: its end, a line, a port; and stopping it, which is waiting too.
//!
//! Every wait may be given up at any time by dropping it.

use std::time::Duration;

use regex::Regex;
use tokio::time::timeout;

use crate::error::{Error, Result};
use crate::job::{Job, JobState, Tree};
use crate::output::StreamFilter;
use crate::output::pattern::Matcher;
use crate::port::{self, Listener};

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
pub enum WaitEnd {
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
    Not(WaitEnd),
}

/// How the wait for a port came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortWait {
    /// The job listens; or someone does, where it cannot be told who.
    Listening,
    /// The time was over, and a process listens there that does not belong to the job.
    HeldByAnother,
    /// It did not come before this.
    Not(WaitEnd),
}

impl Job {
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
                state = self.ended() => PatternWait::Not(WaitEnd::Job(state)),
            }
        };
        match within(limit, wait).await {
            None => PatternWait::Not(WaitEnd::TimedOut),
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
                state = self.ended() => PortWait::Not(WaitEnd::Job(state)),
            }
        };
        match within(limit, wait).await {
            Some(outcome) => outcome,
            None if seen == Listener::Another => PortWait::HeldByAnother,
            None => PortWait::Not(WaitEnd::TimedOut),
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
