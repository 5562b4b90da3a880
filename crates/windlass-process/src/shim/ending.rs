//! Ending a tree: TERM to everyone once, and after the grace KILL until none is left.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::tree;

/// How often the tree is looked at anew, since a fork tells nobody.
const TERM_ROUND: Duration = Duration::from_millis(20);
const KILL_ROUND: Duration = Duration::from_millis(2);

/// How often the tree is looked at within one round of killing.
const KILL_PASSES: usize = 50;

/// A process that lives this long after KILL hangs in the kernel or is not ours to end.
const KILL_PATIENCE: Duration = Duration::from_secs(10);

/// The end of a tree that is under way.
pub struct Ending {
    /// When KILL begins; `None` is never.
    deadline: Option<Instant>,
    told: BTreeSet<i32>,
    killing_since: Option<Instant>,
}

impl Ending {
    /// An end without hurry.
    pub fn new() -> Self {
        Self {
            deadline: None,
            told: BTreeSet::new(),
            killing_since: None,
        }
    }

    /// KILL begins at `deadline` at the latest.
    pub fn hurry(&mut self, deadline: Option<Instant>) {
        self.deadline = match (self.deadline, deadline) {
            (Some(before), Some(now)) => Some(before.min(now)),
            (before, now) => before.or(now),
        };
    }

    /// How long to sleep until the next round.
    pub fn patience(&self) -> Duration {
        if self.killing_since.is_some() {
            return KILL_ROUND;
        }
        let until = self
            .deadline
            .map(|at| at.saturating_duration_since(Instant::now()));
        until.map_or(TERM_ROUND, |until| until.min(TERM_ROUND))
    }

    /// Whether TERM was not enough.
    pub fn has_killed(&self) -> bool {
        self.killing_since.is_some()
    }

    /// Whether KILL was not enough either.
    pub fn has_given_up(&self) -> bool {
        self.killing_since
            .is_some_and(|since| since.elapsed() > KILL_PATIENCE)
    }

    /// One round over the processes that are there now.
    pub fn press_on(&mut self, main: Pid, members: &[Pid]) {
        if self.deadline.is_some_and(|at| Instant::now() >= at) && !members.is_empty() {
            self.killing_since.get_or_insert_with(Instant::now);
            kill(main, members);
            return;
        }
        for member in members {
            if self.told.insert(member.as_raw_nonzero().get()) {
                tree::signal(main, *member, Signal::TERM);
                // A stopped process would not hear of it.
                tree::signal(main, *member, Signal::CONT);
            }
        }
    }
}

/// Kills `members`, and at once whoever they started in the meantime: one that forks and ends
/// without pause is gone from the list before it can be told.
fn kill(main: Pid, members: &[Pid]) {
    let mut members = members.to_vec();
    for _ in 0..KILL_PASSES {
        for member in &members {
            tree::signal(main, *member, Signal::KILL);
        }
        let left = tree::members(main);
        if left == members {
            break;
        }
        members = left;
    }
}
