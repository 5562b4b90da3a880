//! Waiting for a job: its end, a line, a port; and stopping it, which also waits.
//!
//! Every wait can be cancelled at any time by dropping it.

use std::time::Duration;

use regex::Regex;
use tokio::time::timeout;

use crate::error::{Error, Result};
use crate::job::{Job, JobState, Tree};
use crate::output::StreamFilter;
use crate::output::pattern::Matcher;
use crate::port::{self, Listener};

/// The result of a stop. No process of the job is left in any case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// All exited within the grace period.
    Graceful {
        /// The state of the job's own process.
        state: JobState,
    },
    /// At least one process had to be killed.
    Killed {
        /// The state of the job's own process.
        state: JobState,
    },
    /// It had already ended.
    AlreadyFinished {
        /// The state of the job's own process.
        state: JobState,
    },
}

/// Why a wait for something else ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitEnd {
    /// The job ended first.
    Job(JobState),
    /// The time limit was reached first.
    TimedOut,
}

/// The result of waiting for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternWait {
    /// This line matches.
    Found(String),
    /// The wait ended first.
    Not(WaitEnd),
}

/// The result of waiting for a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortWait {
    /// The job listens; or some process does, if it is unknown which.
    Listening,
    /// The time limit was reached, and a process that does not belong to the job listens there.
    HeldByAnother,
    /// The wait ended first.
    Not(WaitEnd),
}

impl Job {
    /// Waits until it has ended; returns `None` if the time limit is reached first. Without a limit
    /// it waits as long as it takes.
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

    /// Waits for a line that matches, starting with the first stored one. Colours are ignored.
    pub async fn wait_pattern(
        &self,
        pattern: Regex,
        filter: StreamFilter,
        limit: Option<Duration>,
    ) -> PatternWait {
        let (mut matcher, mut found) = Matcher::new(pattern, filter);
        {
            // Under one lock, so that no output is missed between the stored part and the new part.
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
            // All output is matched before the end is published.
            Some(PatternWait::Not(ended)) => match found.try_recv() {
                Ok(line) => PatternWait::Found(line),
                Err(_) => PatternWait::Not(ended),
            },
            Some(found) => found,
        }
    }

    /// Waits until the job listens on `port` of the loopback address.
    pub async fn wait_port(&self, port: u16, limit: Option<Duration>) -> PortWait {
        let mut seen = Listener::None;
        let listening = async {
            loop {
                seen = port::listener(self.pid, self.shim_pid, port).await;
                if matches!(seen, Listener::Job | Listener::Unknown) {
                    return;
                }
                tokio::time::sleep(port::POLL_INTERVAL).await;
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

    /// Stops the whole tree: TERM, and KILL after `grace`. Returns when no process is left.
    pub async fn stop(&self, grace: Duration) -> Result<Stopped> {
        let was_running = self.state().is_running();
        // If nobody receives the request, the tree has already exited.
        let _ = self.stops.send(grace);
        let mut status = self.status.subscribe();
        let status = match status.wait_for(|status| status.tree != Tree::Running).await {
            Ok(status) => status.clone(),
            Err(_) => self.status.borrow().clone(),
        };
        let state = status.state;
        match status.tree {
            Tree::Stuck { left } => Err(Error::Unkillable { left }),
            _ if !was_running => Ok(Stopped::AlreadyFinished { state }),
            Tree::Exited { killed: true } => Ok(Stopped::Killed { state }),
            Tree::Exited { killed: false } | Tree::Running => Ok(Stopped::Graceful { state }),
        }
    }
}

async fn within<T>(limit: Option<Duration>, wait: impl Future<Output = T>) -> Option<T> {
    match limit {
        Some(limit) => timeout(limit, wait).await.ok(),
        None => Some(wait.await),
    }
}
