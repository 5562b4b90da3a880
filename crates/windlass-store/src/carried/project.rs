//! Entries of a document as rows. They may come from anyone: no entry changes a row of another task.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension as _, params};
use serde_json::json;
use windlass_core::workflow::{GateDefinition, HelpStatus, ReviewStatus};
use windlass_core::{EntityId, Result};

use super::Carried;
use super::bodies::{CommentBody, HelpBody, NumberBody, ResultBody, ReviewBody};
use super::numbers::numbers_as_text;
use super::work::Work;
use crate::document::Record;
use crate::error::StorageContext as _;
use crate::writer::Writer;

/// When entries become rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// More may follow: nothing is concluded from what is missing.
    Arrived,
    /// Everything that there is has arrived. Conclusions are written.
    Settled,
}

impl Writer<'_> {
    /// Writes what a document says about reviews, comments, gate results and help requests into the
    /// rows.
    pub(crate) fn project_work(&self, record: &Record, stage: Stage) -> Result<()> {
        if record.work.is_empty() {
            return Ok(());
        }
        let mut work = Work::of(record);
        // Before anything is weighed: what is of another task has no weight here.
        self.keep_own("reviews", work.task, &work.numbers, &mut work.reviews)?;
        self.keep_own(
            "review_comments",
            work.task,
            &work.numbers,
            &mut work.comments,
        )?;
        self.keep_own("help_requests", work.task, &work.numbers, &mut work.help)?;
        for (id, body, status) in work.reviews() {
            self.project_review(&work, id, body, status)?;
            if stage == Stage::Settled {
                self.conclude_review(id, body, status)?;
            }
        }
        for (id, body) in &work.comments {
            if work.reviews.contains_key(body.review.as_str()) {
                self.project_comment(&work, id, body)?;
            }
        }
        for body in &work.results {
            if work.reviews.contains_key(body.review.as_str()) {
                self.project_result(body)?;
            }
        }
        for (id, body, status) in work.help() {
            self.project_help(&work, id, body, status)?;
            if stage == Stage::Settled && body.status != status.name() {
                self.carry(Carried::Help(id.to_owned()));
            }
        }
        Ok(())
    }

    /// Keeps the entries that have a number and are not of another task.
    fn keep_own<T>(
        &self,
        table: &str,
        task: &EntityId,
        numbers: &BTreeMap<&str, NumberBody>,
        entries: &mut BTreeMap<&str, T>,
    ) -> Result<()> {
        let mut others = Vec::new();
        for id in entries.keys() {
            if !numbers.contains_key(id) || !self.belongs_to(table, id, task)? {
                others.push((*id).to_owned());
            }
        }
        entries.retain(|id, _| !others.iter().any(|other| other == id));
        Ok(())
    }

    /// Whether the row is of that task, or new.
    fn belongs_to(&self, table: &str, id: &str, task: &EntityId) -> Result<bool> {
        let owner: Option<String> = self
            .connection()
            .prepare_cached(&format!("SELECT task FROM {table} WHERE id = ?1"))
            .and_then(|mut statement| statement.query_row([id], |row| row.get(0)).optional())
            .stored()?;
        Ok(owner.is_none_or(|owner| owner == task.as_str()))
    }

    fn project_review(
        &self,
        work: &Work<'_>,
        id: &str,
        body: &ReviewBody,
        status: ReviewStatus,
    ) -> Result<()> {
        let number = &work.numbers[id];
        self.connection()
            .prepare_cached(
                "INSERT INTO reviews (id, number, former_numbers, task, turn, place, status, session,
                     actor, round, summary, start_commit, start_tree, submit_commit, submit_tree,
                     submitted_at, gates_completed_at, agent_completed_at, human_completed_at,
                     created_at, updated_at, here)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                     ?18, ?19, ?20, ?21, 0)
                 ON CONFLICT (id) DO UPDATE SET number = ?2, former_numbers = ?3, turn = ?5,
                     here = here AND place = ?6, place = ?6, status = ?7, session = ?8, actor = ?9,
                     round = ?10, summary = ?11, start_commit = ?12, start_tree = ?13,
                     submit_commit = ?14, submit_tree = ?15, submitted_at = ?16,
                     gates_completed_at = ?17, agent_completed_at = ?18, human_completed_at = ?19,
                     created_at = ?20, updated_at = ?21",
            )
            .and_then(|mut statement| {
                statement.execute(params![
                    id,
                    number.number,
                    numbers_as_text(&number.former),
                    work.task.as_str(),
                    body.turn,
                    body.place,
                    status.name(),
                    body.session,
                    body.actor,
                    body.round,
                    body.summary,
                    body.start_commit,
                    body.start_tree,
                    body.submit_commit,
                    body.submit_tree,
                    body.submitted_at.as_str(),
                    body.gates_completed_at.as_ref().map(|at| at.as_str()),
                    body.agent_completed_at.as_ref().map(|at| at.as_str()),
                    body.human_completed_at.as_ref().map(|at| at.as_str()),
                    body.created_at.as_str(),
                    body.updated_at.as_str(),
                ])
            })
            .stored()?;
        self.add_work_aliases("reviews", id, &number.former)
    }

    fn conclude_review(&self, id: &str, body: &ReviewBody, status: ReviewStatus) -> Result<()> {
        if body.status != status.name() {
            self.carry(Carried::Review(id.to_owned()));
        }
        // What runs here for a submission that no longer counts ends.
        if let Some(review) = self.find_review(id)?
            && !(review.here && review.status.is_active())
        {
            self.cancel_gates(&review)?;
        }
        Ok(())
    }

    fn project_comment(&self, work: &Work<'_>, id: &str, body: &CommentBody) -> Result<()> {
        let number = &work.numbers[id];
        self.connection()
            .prepare_cached(
                "INSERT INTO review_comments (id, number, former_numbers, review, task, author,
                     session, file_path, line_start, line_end, side, body, created_at, resolved_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
                 ON CONFLICT (id) DO UPDATE SET number = ?2, former_numbers = ?3, review = ?4,
                     author = ?6, session = ?7, file_path = ?8, line_start = ?9, line_end = ?10,
                     side = ?11, body = ?12, created_at = ?13, resolved_at = ?14",
            )
            .and_then(|mut statement| {
                statement.execute(params![
                    id,
                    number.number,
                    numbers_as_text(&number.former),
                    body.review,
                    work.task.as_str(),
                    body.author,
                    body.session,
                    body.file_path,
                    body.line_start,
                    body.line_end,
                    body.side,
                    body.body,
                    body.created_at.as_str(),
                    body.resolved_at.as_ref().map(|at| at.as_str()),
                ])
            })
            .stored()?;
        self.add_work_aliases("review_comments", id, &number.former)
    }

    /// A result of this machine is not replaced by what others say about it.
    fn project_result(&self, body: &ResultBody) -> Result<()> {
        let limits = GateDefinition::new("", "");
        self.connection()
            .prepare_cached(
                "INSERT INTO gate_results (review, gate, attempt, place, here, round, position, scope,
                     name, command, timeout_secs, max_retries, poll_interval_secs, max_pending_secs,
                     status, exit_code, message, stdout, stderr, polls, started_at, completed_at)
                 VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7, ?8, '', ?9, ?10, ?11, ?12, ?13, ?14, ?15,
                     ?16, ?17, ?18, ?19, ?20)
                 ON CONFLICT (review, gate, attempt, place) DO UPDATE SET round = ?5, position = ?6,
                     scope = ?7, name = ?8, max_retries = ?10, status = ?13, exit_code = ?14,
                     message = ?15, stdout = ?16, stderr = ?17, polls = ?18, started_at = ?19,
                     completed_at = ?20
                 WHERE here = 0",
            )
            .and_then(|mut statement| {
                statement.execute(params![
                    body.review,
                    body.gate,
                    body.attempt,
                    body.place,
                    body.round,
                    body.position,
                    body.scope,
                    body.name,
                    limits.timeout_secs,
                    body.max_retries,
                    limits.poll_interval_secs,
                    limits.max_pending_secs,
                    body.status,
                    body.exit_code,
                    body.message,
                    body.stdout,
                    body.stderr,
                    body.polls,
                    body.started_at.as_ref().map(|at| at.as_str()),
                    body.completed_at.as_ref().map(|at| at.as_str()),
                ])
            })
            .stored()?;
        Ok(())
    }

    fn project_help(
        &self,
        work: &Work<'_>,
        id: &str,
        body: &HelpBody,
        status: HelpStatus,
    ) -> Result<()> {
        let number = &work.numbers[id];
        self.connection()
            .prepare_cached(
                "INSERT INTO help_requests (id, number, former_numbers, task, from_status, category,
                     reason, suggested_options, status, response, chosen_option, session, created_at,
                     responded_at, resumed_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
                 ON CONFLICT (id) DO UPDATE SET number = ?2, former_numbers = ?3, from_status = ?5,
                     category = ?6, reason = ?7, suggested_options = ?8, status = ?9, response = ?10,
                     chosen_option = ?11, session = ?12, created_at = ?13, responded_at = ?14,
                     resumed_at = ?15",
            )
            .and_then(|mut statement| {
                statement.execute(params![
                    id,
                    number.number,
                    numbers_as_text(&number.former),
                    work.task.as_str(),
                    body.from_status,
                    body.category,
                    body.reason,
                    json!(body.suggested_options).to_string(),
                    status.name(),
                    body.response,
                    body.chosen_option,
                    body.session,
                    body.created_at.as_str(),
                    body.responded_at.as_ref().map(|at| at.as_str()),
                    body.resumed_at.as_ref().map(|at| at.as_str()),
                ])
            })
            .stored()?;
        self.add_work_aliases("help_requests", id, &number.former)
    }
}
