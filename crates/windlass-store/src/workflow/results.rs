//! The result of each attempt of each gate of a review.

use rusqlite::{OptionalExtension as _, Row};
use windlass_core::workflow::{GateDefinition, GateStatus, GatesOutcome, Verdict};
use windlass_core::{EntityId, Result, Timestamp};

use super::gates::{EffectiveGate, GateScope, definition};
use super::reviews::Review;
use crate::error::StorageContext as _;
use crate::reader::Reader;

const COLUMNS: &str = "review, gate, attempt, round, scope, status, exit_code, message, stdout,
    stderr, polls, next_poll_at, started_at, completed_at, name, command, timeout_secs,
    max_retries, poll_interval_secs, max_pending_secs, place, here, position";

/// One attempt of one gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateResult {
    pub review: String,
    /// The id of an added gate, or `file:NAME`.
    pub gate: String,
    /// Counted from one within the review.
    pub attempt: u32,
    /// The submission that it checked.
    pub place: String,
    /// Whether it ran on this machine.
    pub here: bool,
    /// Its place among the gates of the review.
    pub position: i64,
    pub round: i64,
    /// `repo`, or a task's id.
    pub scope: String,
    pub status: GateStatus,
    pub exit_code: Option<i32>,
    /// Why it waits, or could not run.
    pub message: Option<String>,
    pub stdout: String,
    pub stderr: String,
    /// How often it has run.
    pub polls: u32,
    /// When it runs again, in milliseconds since 1970.
    pub next_poll_at: Option<i64>,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub definition: GateDefinition,
}

impl GateResult {
    /// The gate as it was queued, so that it can be queued again.
    pub(super) fn as_gate(&self) -> EffectiveGate {
        let scope = match self.scope.as_str() {
            "repo" => GateScope::Repo,
            task => GateScope::Task(EntityId::from_stored(task)),
        };
        EffectiveGate {
            id: self.gate.clone(),
            number: None,
            scope,
            definition: self.definition.clone(),
            waiting: None,
        }
    }
}

/// How one execution ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateEnd {
    pub status: GateStatus,
    pub exit_code: Option<i32>,
    pub message: Option<String>,
    pub stdout: String,
    pub stderr: String,
}

fn result(row: &Row<'_>) -> rusqlite::Result<GateResult> {
    Ok(GateResult {
        review: row.get(0)?,
        gate: row.get(1)?,
        attempt: row.get(2)?,
        round: row.get(3)?,
        scope: row.get(4)?,
        status: GateStatus::parse(row.get_ref(5)?.as_str()?).unwrap_or(GateStatus::Cancelled),
        exit_code: row.get(6)?,
        message: row.get(7)?,
        stdout: row.get(8)?,
        stderr: row.get(9)?,
        polls: row.get(10)?,
        next_poll_at: row.get(11)?,
        started_at: row
            .get::<_, Option<String>>(12)?
            .map(Timestamp::from_stored),
        completed_at: row
            .get::<_, Option<String>>(13)?
            .map(Timestamp::from_stored),
        definition: definition(row, 14)?,
        place: row.get(20)?,
        here: row.get(21)?,
        position: row.get(22)?,
    })
}

impl Reader<'_> {
    /// Every attempt, in the order of the gates.
    pub fn gate_results(&self, review: &Review) -> Result<Vec<GateResult>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM gate_results WHERE review = ?1
                 ORDER BY round, position, gate, attempt, place"
            ))
            .and_then(|mut statement| statement.query_map([&review.id], result)?.collect())
            .stored()
    }

    /// The last attempt of each gate of the current round.
    pub fn current_results(&self, review: &Review) -> Result<Vec<GateResult>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM gate_results g
                 WHERE review = ?1 AND round = ?2 AND place = ?3 AND attempt =
                     (SELECT max(attempt) FROM gate_results
                      WHERE review = g.review AND gate = g.gate AND place = g.place)
                 ORDER BY position, gate"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map((&review.id, review.round, &review.place), result)?
                    .collect()
            })
            .stored()
    }

    pub(super) fn gate_result(
        &self,
        review: &str,
        gate: &str,
        attempt: u32,
    ) -> Result<Option<GateResult>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM gate_results WHERE review = ?1 AND gate = ?2 AND attempt = ?3
                     AND here = 1"
            ))
            .and_then(|mut statement| {
                statement
                    .query_row((review, gate, attempt), result)
                    .optional()
            })
            .stored()
    }

    /// How often a gate has failed in a review.
    pub fn failed_attempts(&self, review: &str, gate: &str) -> Result<u32> {
        self.count_attempts("status IN ('failed', 'timeout')", review, gate)
    }

    pub(super) fn last_attempt(&self, review: &str, gate: &str) -> Result<u32> {
        self.connection()
            .prepare_cached(
                "SELECT ifnull(max(attempt), 0) FROM gate_results WHERE review = ?1 AND gate = ?2",
            )
            .and_then(|mut statement| statement.query_row((review, gate), |row| row.get(0)))
            .stored()
    }

    fn count_attempts(&self, condition: &str, review: &str, gate: &str) -> Result<u32> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT count(*) FROM gate_results WHERE review = ?1 AND gate = ?2 AND {condition}"
            ))
            .and_then(|mut statement| statement.query_row((review, gate), |row| row.get(0)))
            .stored()
    }

    /// The combined result of the gates of a review.
    pub fn gates_outcome(&self, review: &Review) -> Result<GatesOutcome> {
        let mut verdicts = Vec::new();
        for result in self.current_results(review)? {
            verdicts.push(Verdict {
                status: result.status,
                failed_attempts: self.failed_attempts(&review.id, &result.gate)?,
                max_retries: result.definition.max_retries,
            });
        }
        Ok(GatesOutcome::of(&verdicts))
    }
}
