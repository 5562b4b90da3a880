//! `--loop` and `--parallel`: the next ready task, again and again, in one folder or in several git
//! worktrees at once.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use windlass_core::{Error, ErrorKind, Result};
use windlass_ops::{AnyOutput as _, Context, Number, Worktree};

use super::outcome::Outcome;
use super::round::{EndedRound, Launch};
use crate::surface::cli::caller::operation;
use crate::surface::cli::output;

/// How often another task is tried, if others take the next one first.
const TRIES: usize = 20;

/// The rounds of one launch.
pub struct Rounds<'a> {
    pub launch: &'a Launch,
    /// How many sessions may still be started.
    left: AtomicU32,
    /// Set when no more sessions are to be started.
    over: AtomicBool,
}

impl<'a> Rounds<'a> {
    pub fn new(launch: &'a Launch, sessions: u32) -> Self {
        Self {
            launch,
            left: AtomicU32::new(sessions),
            over: AtomicBool::new(false),
        }
    }

    /// One session after another in the project's own folder.
    pub async fn one_by_one(&self, context: &Context) -> Result<Vec<EndedRound>> {
        let mut ended = Vec::new();
        while self.takes_another() {
            let Some(round) = self.next(context).await? else {
                break;
            };
            self.consider(&round);
            ended.push(round);
        }
        Ok(ended)
    }

    /// Sessions beside each other, each in a worktree of its own.
    pub async fn side_by_side(
        &self,
        context: &Context,
        open: &(dyn Fn(&Worktree) -> Result<Context> + Sync),
        at_once: u32,
    ) -> Result<Vec<EndedRound>> {
        let workers = (0..at_once).map(|_| self.in_worktrees(context, open));
        let results = futures::future::join_all(workers).await;
        let mut ended = Vec::new();
        for result in results {
            ended.extend(result?);
        }
        Ok(ended)
    }

    /// One worker: a new worktree for each session.
    async fn in_worktrees(
        &self,
        context: &Context,
        open: &(dyn Fn(&Worktree) -> Result<Context> + Sync),
    ) -> Result<Vec<EndedRound>> {
        let mut ended = Vec::new();
        while self.takes_another() {
            if self.next_task(context).await?.is_none() {
                self.over.store(true, Ordering::Relaxed);
                break;
            }
            let worktree = Worktree::add(context.workspace.project())?;
            let round = match open(&worktree) {
                Ok(own) => self.next(&own).await,
                Err(error) => Err(error),
            };
            let kept = worktree.remove_if_clean();
            if round.is_err() {
                self.over.store(true, Ordering::Relaxed);
            }
            if let Some(kept) = kept {
                output::note(&kept);
            }
            match round? {
                Some(round) => {
                    self.consider(&round);
                    ended.push(round);
                }
                None => break,
            }
        }
        Ok(ended)
    }

    fn takes_another(&self) -> bool {
        let open = !self.over.load(Ordering::Relaxed) && !self.launch.stopping.is_cancelled();
        let take = |left: u32| left.checked_sub(1);
        open && self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
    }

    fn consider(&self, round: &EndedRound) {
        if !round.outcome.goes_on() {
            self.over.store(true, Ordering::Relaxed);
        }
        if round.outcome == Outcome::Asked {
            let task = round.task.unwrap_or_default();
            output::note(&format!(
                "Task {task} waits for an answer: windlass questions list. No further task is taken."
            ));
        }
    }

    /// A session on the next ready task; nothing if none is ready.
    async fn next(&self, context: &Context) -> Result<Option<EndedRound>> {
        for _ in 0..TRIES {
            let Some(task) = self.next_task(context).await? else {
                self.over.store(true, Ordering::Relaxed);
                return Ok(None);
            };
            match self.launch.round(context, Some(&task)).await {
                Err(error) if error.kind() == ErrorKind::TaskClaimed => {}
                round => return round.map(Some),
            }
        }
        Err(Error::internal("others always took the next task first"))
    }

    async fn next_task(&self, context: &Context) -> Result<Option<Number>> {
        let input = json!({
            "feature": self.launch.feature,
            "discipline": self.launch.discipline,
        });
        let none = CancellationToken::new();
        let call = windlass_ops::call(operation("board_next")?, context.clone(), input, none);
        let next = call.await?.to_json();
        let number = next["task"]["number"].as_i64();
        Ok(number.map(|number| {
            let Ok(number) = number.to_string().parse();
            number
        }))
    }
}
