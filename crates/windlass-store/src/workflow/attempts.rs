//! Attempts of gates: queued, started, ended, and how their results change the review.

use serde_json::json;
use windlass_core::workflow::{
    GateStatus, GatesOutcome, MAX_GATE_OUTPUT_BYTES, Phases, ReviewAction, ReviewStatus,
};
use windlass_core::{Error, EventType, Result, TaskStatus, Timestamp};

use super::gates::EffectiveGate;
use super::results::{GateEnd, GateResult};
use super::reviews::Review;
use crate::carried::Carried;
use crate::error::StorageContext as _;
use crate::writer::Writer;

impl Writer<'_> {
    /// Queues one more attempt of a gate for the review.
    pub(super) fn queue_gate(
        &self,
        review: &Review,
        gate: &EffectiveGate,
        position: usize,
    ) -> Result<()> {
        let attempt = self.last_attempt(&review.id, &gate.id)? + 1;
        let status = match gate.waiting {
            Some(_) => GateStatus::Waiting,
            None => GateStatus::Queued,
        };
        let definition = &gate.definition;
        self.connection()
            .prepare_cached(
                "INSERT INTO gate_results (review, gate, attempt, round, position, scope, status,
                     message, name, command, timeout_secs, max_retries, poll_interval_secs,
                     max_pending_secs, place)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            )
            .and_then(|mut statement| {
                statement.execute(rusqlite::params![
                    review.id,
                    gate.id,
                    attempt,
                    review.round,
                    i64::try_from(position).unwrap_or(i64::MAX),
                    gate.scope.stored(),
                    status.name(),
                    gate.waiting,
                    definition.name,
                    definition.command,
                    definition.timeout_secs,
                    definition.max_retries,
                    definition.poll_interval_secs,
                    definition.max_pending_secs,
                    review.place,
                ])
            })
            .stored()?;
        Ok(())
    }

    /// Replaces the placeholder of a gates file that waited for a person with the gates of that
    /// file, which has now been allowed. Does nothing if the review has moved on.
    pub fn replace_waiting(
        &self,
        review_id: &str,
        placeholder: &str,
        gates: &[EffectiveGate],
        phases: Phases,
    ) -> Result<Review> {
        let review = self.review(review_id)?;
        let removed = self
            .connection()
            .prepare_cached(
                "DELETE FROM gate_results WHERE review = ?1 AND gate = ?2 AND status = 'waiting'",
            )
            .and_then(|mut statement| statement.execute((&review.id, placeholder)))
            .stored()?;
        if removed > 0 {
            for (position, gate) in gates.iter().enumerate() {
                self.queue_gate(&review, gate, position)?;
            }
        }
        self.settle_gates(&review, phases)
    }

    /// Stores that an attempt starts, or runs again. Returns whether it still may.
    pub fn gate_started(&self, found: &GateResult) -> Result<bool> {
        let review = self.review(&found.review)?;
        let now = Timestamp::now();
        let changed = self
            .connection()
            .prepare_cached(
                "UPDATE gate_results SET status = 'running', polls = polls + 1, message = NULL,
                     next_poll_at = NULL, started_at = ifnull(started_at, ?4)
                 WHERE review = ?1 AND gate = ?2 AND attempt = ?3
                     AND status IN ('queued', 'running', 'pending', 'waiting')",
            )
            .and_then(|mut statement| {
                statement.execute((&found.review, &found.gate, found.attempt, now.as_str()))
            })
            .stored()?;
        if changed == 0 || !review.status.is_active() {
            return Ok(false);
        }
        if found.polls == 0 {
            self.result_event(EventType::GateStarted, &review, found, None)?;
        }
        Ok(true)
    }

    /// Keeps what a running gate has written so far. Without an event: it ends with one.
    pub fn gate_output(&self, found: &GateResult, stdout: &str, stderr: &str) -> Result<()> {
        self.connection()
            .prepare_cached(
                "UPDATE gate_results SET stdout = ?4, stderr = ?5
                 WHERE review = ?1 AND gate = ?2 AND attempt = ?3 AND status = 'running'",
            )
            .and_then(|mut statement| {
                let texts = (tail(stdout), tail(stderr));
                statement.execute((&found.review, &found.gate, found.attempt, texts.0, texts.1))
            })
            .stored()?;
        Ok(())
    }

    /// Stores that an attempt waits for a person.
    pub fn gate_waits(&self, found: &GateResult, message: &str) -> Result<()> {
        let changed = self
            .connection()
            .prepare_cached(
                "UPDATE gate_results SET status = 'waiting', message = ?4
                 WHERE review = ?1 AND gate = ?2 AND attempt = ?3
                     AND status IN ('queued', 'running', 'pending', 'waiting')
                     AND (status <> 'waiting' OR message IS NOT ?4)",
            )
            .and_then(|mut statement| {
                statement.execute((&found.review, &found.gate, found.attempt, message))
            })
            .stored()?;
        if changed > 0 {
            let review = self.review(&found.review)?;
            self.result_event(EventType::GateWaiting, &review, found, None)?;
        }
        Ok(())
    }

    /// Stores how an execution ended, and moves the review if all its gates have finished.
    pub fn gate_ended(&self, found: &GateResult, end: &GateEnd, phases: Phases) -> Result<Review> {
        let review = self.review(&found.review)?;
        let pending = end.status == GateStatus::Pending;
        let now = Timestamp::now();
        let wait = i64::from(found.definition.poll_interval_secs) * 1000;
        let changed = self
            .connection()
            .prepare_cached(
                "UPDATE gate_results SET status = ?4, exit_code = ?5, message = ?6, stdout = ?7,
                     stderr = ?8, next_poll_at = ?9, completed_at = ?10
                 WHERE review = ?1 AND gate = ?2 AND attempt = ?3 AND status = 'running'",
            )
            .and_then(|mut statement| {
                statement.execute((
                    &found.review,
                    &found.gate,
                    found.attempt,
                    end.status.name(),
                    end.exit_code,
                    &end.message,
                    tail(&end.stdout),
                    tail(&end.stderr),
                    pending.then(|| now.as_millis() + wait),
                    (!pending).then(|| now.as_str().to_owned()),
                ))
            })
            .stored()?;
        if changed == 0 {
            // The work was submitted again or the review has ended; the result of this execution no
            // longer counts.
            return Ok(review);
        }
        self.carry(Carried::Results(review.id.clone()));
        let event = match end.status {
            GateStatus::Passed => EventType::GatePassed,
            GateStatus::Pending => EventType::GatePending,
            _ => EventType::GateFailed,
        };
        let ended = self.gate_result(&found.review, &found.gate, found.attempt)?;
        let ended = ended.ok_or_else(|| Error::internal("a gate's result does not exist"))?;
        if !(pending && found.polls > 1) {
            self.result_event(event, &review, &ended, end.exit_code)?;
        }
        self.settle_gates(&review, phases)
    }

    /// Moves a review whose gates have all finished.
    pub(super) fn settle_gates(&self, review: &Review, phases: Phases) -> Result<Review> {
        let review = self.review(&review.id)?;
        let task = self.find_entity(&review.task)?;
        let in_review =
            task.as_ref().and_then(|task| task.task_status()) == Some(TaskStatus::InReview);
        // A task that waits for a person continues here when it is resumed.
        // Elsewhere other gates are known, and their results are.
        if review.status != ReviewStatus::GatesPending || !in_review || !review.here {
            return Ok(review);
        }
        match self.gates_outcome(&review)? {
            GatesOutcome::Open => Ok(review),
            GatesOutcome::Failed => {
                self.return_unheld(&review.task)?;
                Ok(review)
            }
            GatesOutcome::Escalated => {
                let more = json!({"gates": self.exhausted(&review)?});
                let moved =
                    self.move_review(&review, ReviewAction::GatesExhausted, phases, more)?;
                self.drop_claim(&review.task)?;
                Ok(moved)
            }
            GatesOutcome::Passed => {
                let moved =
                    self.move_review(&review, ReviewAction::GatesPassed, phases, json!({}))?;
                self.complete_if_approved(&moved)?;
                // Others decide from now on.
                self.drop_claim(&review.task)?;
                Ok(moved)
            }
        }
    }

    fn exhausted(&self, review: &Review) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for result in self.current_results(review)? {
            let failed = self.failed_attempts(&review.id, &result.gate)?;
            if result.status.is_failure() && failed >= result.definition.max_retries {
                names.push(result.definition.name);
            }
        }
        Ok(names)
    }

    /// Cancels the open attempts of a review that has ended.
    pub(crate) fn cancel_gates(&self, review: &Review) -> Result<()> {
        let cancelled = self
            .connection()
            .prepare_cached(
                "UPDATE gate_results SET status = 'cancelled', completed_at = ?2
                 WHERE review = ?1 AND status IN ('queued', 'running', 'pending', 'waiting')",
            )
            .and_then(|mut statement| statement.execute((&review.id, Timestamp::now().as_str())))
            .stored()?;
        if cancelled > 0 {
            self.carry(Carried::Results(review.id.clone()));
        }
        Ok(())
    }

    fn result_event(
        &self,
        kind: EventType,
        review: &Review,
        found: &GateResult,
        exit_code: Option<i32>,
    ) -> Result<()> {
        let more = json!({
            "gate_id": found.gate,
            "name": found.definition.name,
            "attempt": found.attempt,
            "max_retries": found.definition.max_retries,
            "exit_code": exit_code,
        });
        self.review_event(kind, review, more)
    }
}

/// The end of an output stream, as much as is stored.
fn tail(text: &str) -> &str {
    end_of(text, MAX_GATE_OUTPUT_BYTES)
}

/// At most so many bytes from the end of a text, cut between characters.
pub(crate) fn end_of(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_end_has_only_whole_characters() {
        assert_eq!(tail("short"), "short");
        let long = format!("{}é", "é".repeat(MAX_GATE_OUTPUT_BYTES));
        let kept = tail(&long);
        assert_eq!(kept.len(), MAX_GATE_OUTPUT_BYTES);
        let odd = format!("{long}a");
        assert_eq!(tail(&odd).len(), MAX_GATE_OUTPUT_BYTES - 1);
    }
}
