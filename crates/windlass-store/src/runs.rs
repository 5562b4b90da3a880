//! Run records. The rules of runs are elsewhere; the store keeps the records and makes sure that a
//! run is executed only once.

use rusqlite::{OptionalExtension as _, Row};
use serde::Serialize;
use serde_json::{Value as Json, json};
use windlass_core::{Error, ErrorKind, EventType, Result, Timestamp};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// A new run.
#[derive(Debug, Clone)]
pub struct NewRun {
    pub run_id: String,
    pub runtime: String,
    pub playbook_id: Option<String>,
    pub parent_run_id: Option<String>,
    pub created_at: Timestamp,
    pub spec: Json,
    pub record: Json,
}

/// A stored run.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    pub run_id: String,
    pub status: String,
    pub playbook_id: Option<String>,
    pub session: String,
    pub owner: Json,
    /// Whether cancellation was requested.
    pub cancel: bool,
    pub spec: Json,
    pub record: Json,
}

/// Which runs are requested. Newest first.
#[derive(Debug, Clone, Default)]
pub struct RunFilter {
    pub status: Option<String>,
    pub playbook_id: Option<String>,
    pub runtime: Option<String>,
    /// The id that a run has where it is executed.
    pub external_id: Option<String>,
    pub limit: u32,
    pub offset: u32,
}

impl RunFilter {
    /// Written as a literal condition, so that SQLite uses the index of running ones.
    fn status_condition(&self) -> &'static str {
        match self.status.as_deref() {
            Some("running") => "status = 'running' AND ?1 IS NOT NULL",
            _ => "(?1 IS NULL OR status = ?1)",
        }
    }

    /// The condition of a query whose first four parameters are the values of the filter.
    fn condition(&self) -> String {
        let status = self.status_condition();
        format!(
            "{status} AND (?2 IS NULL OR playbook_id = ?2) AND (?3 IS NULL OR runtime = ?3)
             AND (?4 IS NULL OR json_extract(record, '$.external.id') = ?4)"
        )
    }
}

const COLUMNS: &str = "run_id, status, playbook_id, session, owner, cancel, spec, record";

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredRun> {
    let json = |at: usize| -> rusqlite::Result<Json> {
        Ok(serde_json::from_str(row.get_ref(at)?.as_str()?).unwrap_or_default())
    };
    Ok(StoredRun {
        run_id: row.get(0)?,
        status: row.get(1)?,
        playbook_id: row.get(2)?,
        session: row.get(3)?,
        owner: json(4)?,
        cancel: row.get(5)?,
        spec: json(6)?,
        record: json(7)?,
    })
}

/// The text of a record, which is plain data.
fn text_of(record: &impl Serialize) -> String {
    serde_json::to_string(record).unwrap_or_default()
}

impl Reader<'_> {
    pub fn run(&self, run_id: &str) -> Result<Option<StoredRun>> {
        self.connection()
            .prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE run_id = ?1"))
            .and_then(|mut statement| statement.query_row([run_id], stored).optional())
            .stored()
    }

    /// Whether the cancellation of a run was requested. Whoever executes it asks after every change, so
    /// that nothing else of it is read.
    pub fn is_run_cancelled(&self, run_id: &str) -> Result<bool> {
        self.connection()
            .prepare_cached("SELECT cancel FROM runs WHERE run_id = ?1")
            .and_then(|mut statement| statement.query_row([run_id], |row| row.get(0)).optional())
            .map(Option::unwrap_or_default)
            .stored()
    }

    /// The number of runs in each status.
    pub fn run_counts(&self) -> Result<Vec<(String, u64)>> {
        self.connection()
            .prepare_cached("SELECT status, count(*) FROM runs GROUP BY status ORDER BY status")
            .and_then(|mut statement| {
                let counts = statement.query_map([], |row| {
                    let count: i64 = row.get(1)?;
                    Ok((row.get(0)?, u64::try_from(count).unwrap_or(0)))
                })?;
                counts.collect()
            })
            .stored()
    }

    /// How many runs match, whatever the limit.
    pub fn count_runs(&self, filter: &RunFilter) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM runs WHERE {}", filter.condition());
        let count: i64 = self
            .connection()
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                let values = (
                    &filter.status,
                    &filter.playbook_id,
                    &filter.runtime,
                    &filter.external_id,
                );
                statement.query_row(values, |row| row.get(0))
            })
            .stored()?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<StoredRun>> {
        let condition = filter.condition();
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM runs WHERE {condition}
                 ORDER BY id DESC LIMIT ?5 OFFSET ?6"
            ))
            .and_then(|mut statement| {
                let values = (
                    &filter.status,
                    &filter.playbook_id,
                    &filter.runtime,
                    &filter.external_id,
                    filter.limit,
                    filter.offset,
                );
                statement.query_map(values, stored)?.collect()
            })
            .stored()
    }
}

impl Writer<'_> {
    /// Stores a new run. Its id must be new.
    pub fn run_created(&self, run: &NewRun) -> Result<()> {
        let added = self
            .connection()
            .prepare_cached(
                "INSERT INTO runs (run_id, status, runtime, playbook_id, parent_run_id, created_at,
                     session, owner, spec, record)
                 VALUES (?1, 'created', ?2, ?3, ?4, ?5, ?6, '{}', ?7, ?8)
                 ON CONFLICT (run_id) DO NOTHING",
            )
            .and_then(|mut statement| {
                statement.execute((
                    &run.run_id,
                    &run.runtime,
                    &run.playbook_id,
                    &run.parent_run_id,
                    run.created_at.as_str(),
                    &self.origin.session,
                    run.spec.to_string(),
                    run.record.to_string(),
                ))
            })
            .stored()?;
        if added == 0 {
            return Err(Error::new(
                ErrorKind::RunExists,
                format!("Run {} already exists", run.run_id),
            )
            .with("runId", run.run_id.as_str())
            .with_hint("Omit runId to have one generated."));
        }
        let payload =
            json!({"run_id": run.run_id, "title": run.record["title"], "runtime": run.runtime});
        self.record_event(EventType::RunCreated, None, &payload)
    }

    /// Takes a created run for execution by `owner`. If several try, one gets it and the others get
    /// the run's current status.
    pub fn run_started(
        &self,
        run_id: &str,
        owner: &Json,
        record: &impl Serialize,
    ) -> Result<Option<String>> {
        let found = self
            .run(run_id)?
            .ok_or_else(|| Error::run_not_found(run_id))?;
        if found.status != "created" {
            return Ok(Some(found.status));
        }
        self.connection()
            .prepare_cached(
                "UPDATE runs SET status = 'running', owner = ?2, record = ?3 WHERE run_id = ?1",
            )
            .and_then(|mut statement| {
                statement.execute((run_id, owner.to_string(), text_of(record)))
            })
            .stored()?;
        self.record_event(EventType::RunStarted, None, &json!({"run_id": run_id}))?;
        Ok(None)
    }

    /// Stores the record of a running run, and an event for each of the steps that changed. A run that
    /// another process has ended meanwhile stays as it is.
    pub fn run_progressed(
        &self,
        run_id: &str,
        record: &impl Serialize,
        steps: &[Json],
    ) -> Result<()> {
        if !self.store_running(run_id, record)? {
            return Ok(());
        }
        steps.iter().try_for_each(|step| {
            let mut payload = json!({"run_id": run_id});
            payload["step"] = step.clone();
            self.record_event(EventType::RunStep, None, &payload)
        })
    }

    /// Stores what became known of a running run where it is executed.
    pub fn run_followed(&self, run_id: &str, record: &Json, external: &Json) -> Result<()> {
        let changed = self.store_running(run_id, record)?;
        if changed {
            let payload = json!({"run_id": run_id, "external": external});
            self.record_event(EventType::RunStep, None, &payload)?;
        }
        Ok(())
    }

    /// Stores the record of a run, if it is running.
    fn store_running(&self, run_id: &str, record: &impl Serialize) -> Result<bool> {
        let changed = self
            .connection()
            .prepare_cached("UPDATE runs SET record = ?2 WHERE run_id = ?1 AND status = 'running'")
            .and_then(|mut statement| statement.execute((run_id, text_of(record))))
            .stored()?;
        Ok(changed > 0)
    }

    /// Takes over a running run whose owner has died. If several try, one gets it.
    pub fn run_adopted(&self, run_id: &str, dead: &Json, owner: &Json) -> Result<bool> {
        let changed = self
            .connection()
            .prepare_cached(
                "UPDATE runs SET owner = ?3
                 WHERE run_id = ?1 AND status = 'running' AND owner = ?2",
            )
            .and_then(|mut statement| {
                statement.execute((run_id, dead.to_string(), owner.to_string()))
            })
            .stored()?;
        Ok(changed > 0)
    }

    /// Ends a run. Returns whether it had not ended before.
    pub fn run_ended(&self, run_id: &str, status: &str, record: &Json) -> Result<bool> {
        let changed = self
            .connection()
            .prepare_cached(
                "UPDATE runs SET status = ?2, record = ?3
                 WHERE run_id = ?1 AND status IN ('created', 'running')",
            )
            .and_then(|mut statement| statement.execute((run_id, status, record.to_string())))
            .stored()?;
        if changed > 0 {
            let payload = json!({"run_id": run_id, "status": status, "failure": record["failure"]});
            self.record_event(EventType::RunEnded, None, &payload)?;
        }
        Ok(changed > 0)
    }

    /// Requests the cancellation of a running run; its owner stops it.
    pub fn run_cancel(&self, run_id: &str) -> Result<()> {
        self.connection()
            .prepare_cached("UPDATE runs SET cancel = 1 WHERE run_id = ?1")
            .and_then(|mut statement| statement.execute([run_id]))
            .stored()?;
        self.record_event(EventType::RunCancelled, None, &json!({"run_id": run_id}))
    }
}
