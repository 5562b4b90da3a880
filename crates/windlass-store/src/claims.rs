//! Claims: who is working on a task. A claim is a lease, so the task of a dead session becomes
//! available again.

use rusqlite::OptionalExtension as _;
use serde_json::json;
use windlass_core::{
    Actor, Entity, EntityId, EntityType, Error, ErrorKind, EventType, Page, Result, Timestamp,
};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// How long an agent's claim lasts that no server renews: that of a command line.
pub const DEFAULT_LEASE_SECONDS: u32 = 1_800;
/// How long a claim lasts after the last sign of life of the server that renews it.
pub const SERVER_LEASE_SECONDS: u32 = 45;
/// How long a person's claim lasts: a working day.
pub const PERSON_LEASE_SECONDS: u32 = 12 * 3_600;
pub const MAX_LEASE_SECONDS: u32 = 86_400;
/// By how many milliseconds a clock may be corrected without anything being wrong.
const CLOCK_SLACK: i64 = 5_000;

/// A task that a session works on.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub task: Entity,
    pub owner: String,
    pub expires_at: Timestamp,
    /// Whether the same owner already held it.
    pub renewed: bool,
}

impl Reader<'_> {
    /// Who holds the task, and until when, if the lease has not expired.
    pub fn claim_of(&self, id: &EntityId) -> Result<Option<(String, Timestamp)>> {
        self.connection()
            .prepare_cached(
                "SELECT owner, expires_at FROM claims WHERE id = ?1 AND expires_at > ?2",
            )
            .and_then(|mut statement| {
                statement
                    .query_row((id.as_str(), Timestamp::now().as_millis()), |row| {
                        Ok((row.get(0)?, Timestamp::from_millis(row.get(1)?)))
                    })
                    .optional()
            })
            .stored()
    }
}

impl Reader<'_> {
    /// Whether a session holds the task: under its own name, or under one that it chose.
    pub fn holds(&self, session: &str, id: &EntityId) -> Result<bool> {
        self.connection()
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM claims
                     WHERE id = ?1 AND expires_at > ?2 AND (owner = ?3 OR session = ?3))",
            )
            .and_then(|mut statement| {
                let now = Timestamp::now().as_millis();
                statement.query_row((id.as_str(), now, session), |row| row.get(0))
            })
            .stored()
    }

    /// The open task that the owner took last, if it holds one.
    pub fn task_held_by(&self, owner: &str) -> Result<Option<EntityId>> {
        let id: Option<String> = self
            .connection()
            .prepare_cached(
                "SELECT id FROM claims WHERE owner = ?1 AND expires_at > ?2
                 ORDER BY claimed_at DESC LIMIT 1",
            )
            .and_then(|mut statement| {
                let now = Timestamp::now().as_millis();
                statement
                    .query_row((owner, now), |row| row.get(0))
                    .optional()
            })
            .stored()?;
        Ok(id.map(EntityId::from_stored))
    }

    /// The number of claims whose lease has expired, or was made before the clock was set back.
    pub fn expired_claims(&self) -> Result<u32> {
        self.connection()
            .prepare_cached("SELECT count(*) FROM claims WHERE expires_at <= ?1 OR claimed_at > ?2")
            .and_then(|mut statement| {
                let now = Timestamp::now().as_millis();
                statement.query_row((now, now + CLOCK_SLACK), |row| row.get(0))
            })
            .stored()
    }
}

impl Writer<'_> {
    /// Claims a task, or extends a claim. Refused if another owner's lease has not expired.
    ///
    /// A claim made through a server is renewed while the server serves its owner, and ends with the
    /// server; `lease_seconds` then only says when it ends at the latest.
    pub fn claim(&self, id: &EntityId, owner: &str, lease_seconds: Option<u32>) -> Result<Claim> {
        let task = self.entity(id)?;
        let status = task.task_status().ok_or_else(|| not_a_task(&task))?;
        if status.is_ended() {
            return Err(Error::validation(
                "id",
                format!(
                    "task {} is {} and cannot be claimed",
                    task.number,
                    status.name()
                ),
            ));
        }
        let held = self.claim_of(id)?;
        if let Some((holder, until)) = &held
            && holder != owner
        {
            return Err(claimed(&task, holder, until).with_hint(
                "Use [[task_next]] to get another task, or wait until the lease expires.",
            ));
        }
        self.check_remote_claim(id, owner)?;
        let now = Timestamp::now().as_millis();
        let until = lease_seconds.map(|seconds| now + i64::from(seconds) * 1000);
        let server = self.register_server()?;
        let lease = match (server, self.origin.actor) {
            (Some(_), _) => SERVER_LEASE_SECONDS,
            (None, Actor::Human) => PERSON_LEASE_SECONDS,
            (None, Actor::Agent) => DEFAULT_LEASE_SECONDS,
        };
        let lease = now + i64::from(lease) * 1000;
        let expires = match (server, until) {
            (Some(_), Some(until)) => lease.min(until),
            (_, None) => lease,
            (None, Some(until)) => until,
        };
        self.connection()
            .prepare_cached(
                "INSERT INTO claims (id, owner, expires_at, server, until, claimed_at, session)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (id) DO UPDATE SET owner = ?2, expires_at = ?3, server = ?4, until = ?5,
                     claimed_at = iif(owner = ?2, claimed_at, ?6), session = ?7, elsewhere = 0",
            )
            .and_then(|mut statement| {
                let session = &self.origin.session;
                statement.execute((id.as_str(), owner, expires, server, until, now, session))
            })
            .stored()?;
        let expires_at = Timestamp::from_millis(until.unwrap_or(expires));
        if held.is_none() {
            self.record_event(
                EventType::TaskClaimed,
                Some((id, EntityType::Task)),
                &json!({"number": task.number, "owner": owner, "expires_at": expires_at}),
            )?;
        }
        Ok(Claim {
            task,
            owner: owner.to_owned(),
            expires_at,
            renewed: held.is_some(),
        })
    }

    /// Claims the first ready task that no other owner holds. Finding and claiming are one write,
    /// so two sessions never get the same task.
    pub fn claim_next(&self, owner: &str, lease_seconds: Option<u32>) -> Result<Option<Claim>> {
        let first = Page {
            limit: 1,
            offset: 0,
        };
        let ready = self.ready_tasks(None, owner, first)?;
        ready
            .first()
            .map(|queued| self.claim(&queued.task.id, owner, lease_seconds))
            .transpose()
    }

    /// Releases a claim. Returns whether the task was claimed. A person may release any claim, a
    /// session only its own.
    pub fn release(&self, id: &EntityId, owner: &str) -> Result<bool> {
        let task = self.entity(id)?;
        match self.claim_of(id)? {
            Some((holder, _)) if holder == owner || self.origin.actor == Actor::Human => {}
            Some((holder, until)) => {
                return Err(claimed(&task, &holder, &until).with_hint(
                    "Only the session that holds a claim, or a person, can release it.",
                ));
            }
            None => return Ok(false),
        }
        if !self.release_claim_elsewhere(id)? {
            self.drop_claim(id)?;
        }
        Ok(true)
    }

    /// Removes the claims whose lease has expired. Returns how many there were.
    ///
    /// A claim that was made in the future was made before the clock was set back: its lease is
    /// counted from now on, or it would last longer by that time.
    pub fn end_expired_claims(&self) -> Result<usize> {
        let now = Timestamp::now().as_millis();
        self.connection()
            .prepare_cached(
                "UPDATE claims SET expires_at = expires_at - (claimed_at - ?1),
                     until = until - (claimed_at - ?1), claimed_at = ?1
                 WHERE claimed_at > ?2",
            )
            .and_then(|mut statement| statement.execute((now, now + CLOCK_SLACK)))
            .stored()?;
        self.drop_claims("expires_at <= ?1", now)
    }

    /// Removes the claims that a condition with one value selects.
    pub(crate) fn drop_claims(
        &self,
        condition: &str,
        value: impl rusqlite::ToSql,
    ) -> Result<usize> {
        let ids: Vec<String> = self
            .connection()
            .prepare_cached(&format!("SELECT id FROM claims WHERE {condition}"))
            .and_then(|mut statement| statement.query_map([value], |row| row.get(0))?.collect())
            .stored()?;
        for id in &ids {
            self.drop_claim(&EntityId::from_stored(id))?;
        }
        Ok(ids.len())
    }

    /// Removes any claim on the task, regardless of its owner. Work whose gates failed can then be
    /// taken by anyone.
    pub(crate) fn drop_claim(&self, id: &EntityId) -> Result<()> {
        if self.drop_claim_elsewhere(id)? {
            return self.return_unheld(id);
        }
        let dropped = self
            .connection()
            .prepare_cached("DELETE FROM claims WHERE id = ?1")
            .and_then(|mut statement| statement.execute([id.as_str()]))
            .stored()?;
        if dropped > 0 {
            self.release_remote_claim(id)?;
            self.record_event(
                EventType::TaskReleased,
                Some((id, EntityType::Task)),
                &json!({}),
            )?;
            self.return_unheld(id)?;
        }
        Ok(())
    }
}

/// That another session holds the task.
pub(crate) fn claimed(task: &Entity, holder: &str, until: &Timestamp) -> Error {
    Error::new(
        ErrorKind::TaskClaimed,
        format!("Task {} is claimed by {holder} until {until}", task.number),
    )
    .with("id", task.id.as_str())
    .with("owner", holder)
    .with("expires_at", until.as_str())
}

fn not_a_task(entity: &Entity) -> Error {
    Error::validation(
        "id",
        format!(
            "entity {} is a {}, not a task",
            entity.number,
            entity.kind.name()
        ),
    )
}
