//! Stopping a tree: TERM to every process of that moment, and after the grace period KILL until none
//! is left. What they start to clean up after themselves is not disturbed until then.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::os;

/// How often the tree is read again, since nothing notifies of the end of a grandchild.
const TERM_INTERVAL: Duration = Duration::from_millis(20);
const KILL_INTERVAL: Duration = Duration::from_millis(2);

/// How often the tree is read within one round of killing.
const KILL_PASSES: usize = 50;

/// A process that is alive this long after KILL hangs in the kernel or cannot be killed by this
/// user.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);

/// The state of stopping a tree.
pub struct Ending {
    /// When KILL begins; `None` means never.
    deadline: Option<Instant>,
    /// Whether the processes of the moment of the stop have been asked to end.
    asked: bool,
    killing_since: Option<Instant>,
}

impl Ending {
    /// Without a deadline for KILL.
    pub fn new() -> Self {
        Self {
            deadline: None,
            asked: false,
            killing_since: None,
        }
    }

    /// KILL begins at `deadline` at the latest.
    pub fn kill_by(&mut self, deadline: Option<Instant>) {
        self.deadline = match (self.deadline, deadline) {
            (Some(before), Some(now)) => Some(before.min(now)),
            (before, now) => before.or(now),
        };
    }

    /// How long to sleep until the next round.
    pub fn sleep_time(&self) -> Duration {
        if self.killing_since.is_some() {
            return KILL_INTERVAL;
        }
        let until = self
            .deadline
            .map(|at| at.saturating_duration_since(Instant::now()));
        until.map_or(TERM_INTERVAL, |until| until.min(TERM_INTERVAL))
    }

    /// Whether KILL was needed.
    pub fn has_killed(&self) -> bool {
        self.killing_since.is_some()
    }

    /// Whether KILL was not enough.
    pub fn has_given_up(&self) -> bool {
        self.killing_since
            .is_some_and(|since| since.elapsed() > KILL_TIMEOUT)
    }

    /// One round over the processes that exist now.
    pub fn signal_round(&mut self, main: Pid, members: &[Pid]) {
        if self.deadline.is_some_and(|at| Instant::now() >= at) && !members.is_empty() {
            self.killing_since.get_or_insert_with(Instant::now);
            kill(main, members);
            return;
        }
        if std::mem::replace(&mut self.asked, true) {
            return;
        }
        for member in members {
            os::signal(main, *member, Signal::TERM);
            // A stopped process would not handle TERM.
            os::signal(main, *member, Signal::CONT);
        }
    }
}

/// Kills `members`, and immediately the processes that they started meanwhile: a process that forks
/// and exits all the time is no longer in the list when it is signalled.
fn kill(main: Pid, members: &[Pid]) {
    let mut members = members.to_vec();
    for _ in 0..KILL_PASSES {
        for member in &members {
            os::signal(main, *member, Signal::KILL);
        }
        let left = os::members(main);
        if left == members {
            break;
        }
        members = left;
    }
}
