//! Job records: what was started, by whom, and how it ended. The store does not handle the
//! processes themselves.

use rusqlite::{OptionalExtension as _, Row};
use serde_json::{Value as Json, json};
use windlass_core::{EventType, Result, Timestamp};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// How many job records are stored.
const MAX_RECORDS: u32 = 10_000;

/// A job that has just been started.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub pid: i32,
    pub unique_name: String,
    pub started_at: Timestamp,
    /// The process that supervises it, and the address of its job socket.
    pub owner: Json,
    /// What was started: command, arguments, folder, file.
    pub details: Json,
}

/// How a job ended.
#[derive(Debug, Clone)]
pub struct JobEnd {
    /// `exited` or `failed`.
    pub state: &'static str,
    pub ended_at: Timestamp,
    pub exit_code: Option<i32>,
    pub reason: Option<String>,
    pub tail: Option<String>,
    pub total_bytes: Option<i64>,
}

/// A stored job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRecord {
    pub id: i64,
    pub pid: i32,
    pub unique_name: String,
    pub state: String,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub exit_code: Option<i32>,
    pub reason: Option<String>,
    pub actor: String,
    pub source: String,
    pub session: String,
    pub owner: Json,
    pub details: Json,
    pub tail: Option<String>,
    pub total_bytes: Option<i64>,
}

impl JobRecord {
    pub fn is_running(&self) -> bool {
        self.state == "running"
    }
}

/// Which jobs are requested. Newest first.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    pub unique_name: Option<String>,
    pub running: bool,
    pub limit: u32,
}

impl JobFilter {
    /// Written as a literal condition, so that SQLite uses the index of running jobs.
    fn state(&self) -> &'static str {
        if self.running {
            "state = 'running'"
        } else {
            "true"
        }
    }
}

const COLUMNS: &str = "id, pid, unique_name, state, started_at, ended_at, exit_code, reason, \
                       actor, source, session, owner, details, tail, total_bytes";

fn record(row: &Row<'_>) -> rusqlite::Result<JobRecord> {
    let json = |at: usize| -> rusqlite::Result<Json> {
        Ok(serde_json::from_str(row.get_ref(at)?.as_str()?).unwrap_or_default())
    };
    Ok(JobRecord {
        id: row.get(0)?,
        pid: row.get(1)?,
        unique_name: row.get(2)?,
        state: row.get(3)?,
        started_at: Timestamp::from_stored(row.get(4)?),
        ended_at: row.get::<_, Option<String>>(5)?.map(Timestamp::from_stored),
        exit_code: row.get(6)?,
        reason: row.get(7)?,
        actor: row.get(8)?,
        source: row.get(9)?,
        session: row.get(10)?,
        owner: json(11)?,
        details: json(12)?,
        tail: row.get(13)?,
        total_bytes: row.get(14)?,
    })
}

impl Reader<'_> {
    pub fn jobs(&self, filter: &JobFilter) -> Result<Vec<JobRecord>> {
        let state = filter.state();
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM jobs WHERE {state} AND (?1 IS NULL OR unique_name = ?1)
                 ORDER BY id DESC LIMIT ?2"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map((&filter.unique_name, filter.limit), record)?
                    .collect()
            })
            .stored()
    }

    /// How many jobs match, whatever the limit.
    pub fn count_jobs(&self, filter: &JobFilter) -> Result<u64> {
        let state = filter.state();
        let sql =
            format!("SELECT count(*) FROM jobs WHERE {state} AND (?1 IS NULL OR unique_name = ?1)");
        let count: i64 = self
            .connection()
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row([&filter.unique_name], |row| row.get(0)))
            .stored()?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// The latest job with this pid; the system reuses pids.
    pub fn job_by_pid(&self, pid: i32) -> Result<Option<JobRecord>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM jobs WHERE pid = ?1 ORDER BY id DESC LIMIT 1"
            ))
            .and_then(|mut statement| statement.query_row([pid], record).optional())
            .stored()
    }
}

impl Writer<'_> {
    /// Stores a job and returns its number.
    pub fn job_started(&self, job: &NewJob) -> Result<i64> {
        let connection = self.connection();
        connection
            .prepare_cached(
                "INSERT INTO jobs (pid, unique_name, state, started_at, actor, source, session, owner, details)
                 VALUES (?1, ?2, 'running', ?3, ?4, ?5, ?6, ?7, ?8)",
            )
            .and_then(|mut statement| {
                statement.execute((
                    job.pid,
                    &job.unique_name,
                    job.started_at.as_str(),
                    self.origin.actor.name(),
                    self.origin.source,
                    &self.origin.session,
                    job.owner.to_string(),
                    job.details.to_string(),
                ))
            })
            .stored()?;
        let id = connection.last_insert_rowid();
        connection
            .prepare_cached("DELETE FROM jobs WHERE id <= ?1 - ?2 AND state <> 'running'")
            .and_then(|mut statement| statement.execute((id, MAX_RECORDS)))
            .stored()?;
        self.record_event(
            EventType::JobStarted,
            None,
            &json!({"pid": job.pid, "unique_name": job.unique_name, "command": job.details["command"]}),
        )?;
        Ok(id)
    }

    /// Stores the end of a job. If it has already ended, the first end stays.
    pub fn job_ended(&self, id: i64, end: &JobEnd) -> Result<bool> {
        let found = self
            .connection()
            .prepare_cached(
                "UPDATE jobs SET state = ?2, ended_at = ?3, exit_code = ?4, reason = ?5, tail = ?6,
                     total_bytes = ?7
                 WHERE id = ?1 AND state = 'running' RETURNING pid, unique_name",
            )
            .and_then(|mut statement| {
                statement
                    .query_row(
                        (
                            id,
                            end.state,
                            end.ended_at.as_str(),
                            end.exit_code,
                            &end.reason,
                            &end.tail,
                            end.total_bytes,
                        ),
                        |row| Ok((row.get::<_, i32>(0)?, row.get::<_, String>(1)?)),
                    )
                    .optional()
            })
            .stored()?;
        let Some((pid, unique_name)) = found else {
            return Ok(false);
        };
        let mut payload = json!({"pid": pid, "unique_name": unique_name, "state": end.state});
        if let Some(code) = end.exit_code {
            payload["exit_code"] = json!(code);
        }
        if let Some(reason) = &end.reason {
            payload["reason"] = json!(reason);
        }
        self.record_event(EventType::JobEnded, None, &payload)?;
        Ok(true)
    }

    /// Records in the history that a person changed what agents may run.
    pub fn allowlist_changed(&self, payload: &Json) -> Result<()> {
        self.record_event(EventType::AllowlistChanged, None, payload)
    }

    /// Records in the history that an agent wanted to run what nobody allowed.
    pub fn command_refused(&self, payload: &Json) -> Result<()> {
        self.record_event(EventType::CommandRefused, None, payload)
    }
}
