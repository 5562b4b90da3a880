//! Claims: who is working on a task. A claim is a lease, so the task of a dead session becomes
//! available again.

use rusqlite::OptionalExtension as _;
use serde_json::json;
use windlass_core::{
    Entity, EntityId, EntityType, Error, ErrorKind, EventType, Page, Result, Timestamp,
};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

pub const DEFAULT_LEASE_SECONDS: u32 = 1_800;
pub const MAX_LEASE_SECONDS: u32 = 86_400;

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
    /// The number of claims whose lease has expired.
    pub fn expired_claims(&self) -> Result<u32> {
        self.connection()
            .prepare_cached("SELECT count(*) FROM claims WHERE expires_at <= ?1")
            .and_then(|mut statement| {
                statement.query_row([Timestamp::now().as_millis()], |row| row.get(0))
            })
            .stored()
    }
}

impl Writer<'_> {
    /// Claims a task, or extends a claim. Refused if another owner's lease has not expired.
    pub fn claim(&self, id: &EntityId, owner: &str, lease_seconds: u32) -> Result<Claim> {
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
            return Err(Error::new(
                ErrorKind::TaskClaimed,
                format!("Task {} is claimed by {holder} until {until}", task.number),
            )
            .with("id", id.as_str())
            .with("owner", holder.as_str())
            .with("expires_at", until.as_str())
            .with_hint("Use [[task_next]] to get another task, or wait until the lease expires."));
        }
        let expires = Timestamp::now().as_millis() + i64::from(lease_seconds) * 1000;
        self.connection()
            .prepare_cached(
                "INSERT OR REPLACE INTO claims (id, owner, expires_at) VALUES (?1, ?2, ?3)",
            )
            .and_then(|mut statement| statement.execute((id.as_str(), owner, expires)))
            .stored()?;
        let expires_at = Timestamp::from_millis(expires);
        self.record_event(
            EventType::TaskClaimed,
            Some((id, EntityType::Task)),
            &json!({"number": task.number, "owner": owner, "expires_at": expires_at}),
        )?;
        Ok(Claim {
            task,
            owner: owner.to_owned(),
            expires_at,
            renewed: held.is_some(),
        })
    }

    /// Claims the first ready task that no other owner holds. Finding and claiming are one write,
    /// so two sessions never get the same task.
    pub fn claim_next(&self, owner: &str, lease_seconds: u32) -> Result<Option<Claim>> {
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

    /// Releases a claim. Returns whether the owner held it.
    pub fn release(&self, id: &EntityId, owner: &str) -> Result<bool> {
        let task = self.entity(id)?;
        match self.claim_of(id)? {
            Some((holder, _)) if holder == owner => {}
            Some((holder, until)) => {
                return Err(Error::new(
                    ErrorKind::TaskClaimed,
                    format!("Task {} is claimed by {holder} until {until}", task.number),
                )
                .with("owner", holder)
                .with_hint("Only the session that holds a claim can release it."));
            }
            None => return Ok(false),
        }
        self.drop_claim(id)?;
        Ok(true)
    }

    /// Removes the claims whose lease has expired. Returns how many there were.
    pub fn end_expired_claims(&self) -> Result<usize> {
        let ids: Vec<String> = self
            .connection()
            .prepare_cached("SELECT id FROM claims WHERE expires_at <= ?1")
            .and_then(|mut statement| {
                let rows = statement.query_map([Timestamp::now().as_millis()], |row| row.get(0))?;
                rows.collect()
            })
            .stored()?;
        for id in &ids {
            self.drop_claim(&EntityId::from_stored(id))?;
        }
        Ok(ids.len())
    }

    /// Removes any claim on the task, regardless of its owner.
    pub(crate) fn drop_claim(&self, id: &EntityId) -> Result<()> {
        let dropped = self
            .connection()
            .prepare_cached("DELETE FROM claims WHERE id = ?1")
            .and_then(|mut statement| statement.execute([id.as_str()]))
            .stored()?;
        if dropped > 0 {
            self.record_event(
                EventType::TaskReleased,
                Some((id, EntityType::Task)),
                &json!({}),
            )?;
        }
        Ok(())
    }
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
