//! Session records: the work of one agent each, its signals, and how it ended.

use rusqlite::{OptionalExtension as _, Row};
use serde_json::{Value as Json, json};
use windlass_core::{EntityId, EntityType, Error, ErrorKind, EventType, Page, Result, Timestamp};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// A new session.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSession {
    pub id: String,
    pub recipe: String,
    pub discipline: Option<String>,
    pub feature: Option<String>,
    pub task: Option<EntityId>,
    pub details: Json,
}

/// A stored session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRecord {
    pub id: String,
    pub recipe: String,
    pub discipline: Option<String>,
    pub feature: Option<String>,
    pub task: Option<EntityId>,
    /// `started`, `running` (a client was launched), `ended`.
    pub status: String,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub exit_code: Option<i64>,
    /// The result that the agent reported: done, partial, stuck.
    pub closing: Option<String>,
    /// The process that launched the client, as JSON; empty if there is none.
    pub owner: String,
    pub details: Json,
}

impl SessionRecord {
    pub fn has_ended(&self) -> bool {
        self.status == "ended"
    }
}

/// How a session ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionEnd {
    pub exit_code: Option<i64>,
    pub closing: Option<String>,
}

/// A signal that an agent sent in its session.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    pub session: String,
    pub task: EntityId,
    pub at: Timestamp,
    pub verb: String,
    pub body: Json,
}

const COLUMNS: &str = "id, recipe, discipline, feature, task, status, started_at, ended_at, exit_code, closing, owner, details";

fn session_from_row(row: &Row<'_>) -> rusqlite::Result<SessionRecord> {
    Ok(SessionRecord {
        id: row.get(0)?,
        recipe: row.get(1)?,
        discipline: row.get(2)?,
        feature: row.get(3)?,
        task: row.get::<_, Option<String>>(4)?.map(EntityId::from_stored),
        status: row.get(5)?,
        started_at: Timestamp::from_stored(row.get(6)?),
        ended_at: row.get::<_, Option<String>>(7)?.map(Timestamp::from_stored),
        exit_code: row.get(8)?,
        closing: row.get(9)?,
        owner: row.get(10)?,
        details: serde_json::from_str(row.get_ref(11)?.as_str()?).unwrap_or(Json::Null),
    })
}

impl Reader<'_> {
    pub fn find_session(&self, id: &str) -> Result<Option<SessionRecord>> {
        self.connection()
            .prepare_cached(&format!("SELECT {COLUMNS} FROM sessions WHERE id = ?1"))
            .and_then(|mut statement| statement.query_row([id], session_from_row).optional())
            .stored()
    }

    pub fn session(&self, id: &str) -> Result<SessionRecord> {
        self.find_session(id)?.ok_or_else(|| {
            Error::new(
                ErrorKind::SessionNotFound,
                format!("Session \"{id}\" not found"),
            )
            .with("id", id)
            .with_hint("Use `windlass session list` to see the sessions.")
        })
    }

    /// The latest sessions first, and the total.
    pub fn sessions(&self, open_only: bool, page: Page) -> Result<(Vec<SessionRecord>, u64)> {
        let condition = if open_only { "status <> 'ended'" } else { "1" };
        self.consistently(|reader| {
            let total: i64 = reader
                .connection()
                .prepare_cached(&format!("SELECT count(*) FROM sessions WHERE {condition}"))
                .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
                .stored()?;
            let found = reader
                .connection()
                .prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM sessions WHERE {condition}
                     ORDER BY started_at DESC, id LIMIT {} OFFSET {}",
                    page.limit, page.offset
                ))
                .and_then(|mut statement| statement.query_map([], session_from_row)?.collect())
                .stored()?;
            Ok((found, u64::try_from(total).unwrap_or(0)))
        })
    }

    /// The signals of a session, in order.
    pub fn signals(&self, session: &str) -> Result<Vec<Signal>> {
        self.connection()
            .prepare_cached(
                "SELECT session, task, at, verb, body FROM signals WHERE session = ?1 ORDER BY id",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([session], |row| {
                        Ok(Signal {
                            session: row.get(0)?,
                            task: EntityId::from_stored(row.get::<_, String>(1)?),
                            at: Timestamp::from_stored(row.get(2)?),
                            verb: row.get(3)?,
                            body: serde_json::from_str(row.get_ref(4)?.as_str()?)
                                .unwrap_or(Json::Null),
                        })
                    })?
                    .collect()
            })
            .stored()
    }

    /// How many agents in a row got stuck on a task, since a person was last asked about it.
    pub fn stuck_in_a_row(&self, task: &EntityId) -> Result<usize> {
        let closings: Vec<String> = self
            .connection()
            .prepare_cached(
                "SELECT verb FROM signals
                 WHERE task = ?1 AND verb IN ('done', 'partial', 'stuck')
                     AND at > ifnull((SELECT max(created_at) FROM help_requests WHERE task = ?1), '')
                 ORDER BY id DESC LIMIT 10",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([task.as_str()], |row| row.get(0))?
                    .collect()
            })
            .stored()?;
        let stuck = closings.iter().take_while(|closing| *closing == "stuck");
        Ok(stuck.count())
    }
}

impl Writer<'_> {
    pub fn start_session(&self, new: &NewSession) -> Result<SessionRecord> {
        self.connection()
            .prepare_cached(
                "INSERT INTO sessions (id, recipe, discipline, feature, task, status, started_at, owner, details)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'started', ?6, '', ?7)",
            )
            .and_then(|mut statement| {
                statement.execute((
                    &new.id,
                    &new.recipe,
                    &new.discipline,
                    &new.feature,
                    new.task.as_ref().map(EntityId::as_str),
                    Timestamp::now().as_str(),
                    new.details.to_string(),
                ))
            })
            .stored()?;
        let session = self.session(&new.id)?;
        self.record_session(EventType::SessionStarted, &session, json!({}))?;
        Ok(session)
    }

    /// Stores which process launched the session's client.
    pub fn session_is_run_by(&self, id: &str, owner: &str, details: &Json) -> Result<()> {
        self.connection()
            .prepare_cached(
                "UPDATE sessions SET status = 'running', owner = ?2, details = ?3
                 WHERE id = ?1 AND status <> 'ended'",
            )
            .and_then(|mut statement| statement.execute((id, owner, details.to_string())))
            .stored()?;
        Ok(())
    }

    /// Ends a session. Returns whether it was still open.
    pub fn end_session(&self, id: &str, end: &SessionEnd) -> Result<bool> {
        let changed = self
            .connection()
            .prepare_cached(
                "UPDATE sessions SET status = 'ended', ended_at = ?2, exit_code = ?3, closing = ?4
                 WHERE id = ?1 AND status <> 'ended'",
            )
            .and_then(|mut statement| {
                statement.execute((
                    id,
                    Timestamp::now().as_str(),
                    end.exit_code,
                    end.closing.as_deref(),
                ))
            })
            .stored()?;
        if changed == 0 {
            return Ok(false);
        }
        let session = self.session(id)?;
        let payload = json!({"exit_code": end.exit_code, "closing": end.closing});
        self.record_session(EventType::SessionEnded, &session, payload)?;
        Ok(true)
    }

    /// Stores a signal of an agent about a task.
    pub fn add_signal(
        &self,
        session: &str,
        task: &EntityId,
        verb: &str,
        body: &Json,
    ) -> Result<()> {
        self.connection()
            .prepare_cached(
                "INSERT INTO signals (session, task, at, verb, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .and_then(|mut statement| {
                statement.execute((
                    session,
                    task.as_str(),
                    Timestamp::now().as_str(),
                    verb,
                    body.to_string(),
                ))
            })
            .stored()?;
        let payload = json!({"verb": verb, "body": body, "session": session});
        let task = Some((task, EntityType::Task));
        self.record_event(EventType::SessionSignal, task, &payload)
    }

    /// Stores more about a session.
    pub fn set_session_details(&self, id: &str, details: &Json) -> Result<()> {
        self.connection()
            .prepare_cached("UPDATE sessions SET details = ?2 WHERE id = ?1")
            .and_then(|mut statement| statement.execute((id, details.to_string())))
            .stored()?;
        Ok(())
    }

    fn record_session(
        &self,
        event: EventType,
        session: &SessionRecord,
        mut payload: Json,
    ) -> Result<()> {
        payload["session"] = json!(session.id);
        payload["recipe"] = json!(session.recipe);
        let task = session.task.as_ref().map(|id| (id, EntityType::Task));
        self.record_event(event, task, &payload)
    }
}
