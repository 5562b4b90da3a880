//! Claims that other machines know about, and claims of other machines.
//!
//! A project with a remote shares its claims there. A task is claimed on the remote first, outside of
//! any transaction, and then here: [`Writer::claim`] refuses what the remote was not asked about.

use rusqlite::{OptionalExtension as _, Row};
use serde_json::json;
use windlass_core::{EntityId, EntityType, Error, ErrorKind, EventType, Result, Timestamp};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::store::Store;
use crate::writer::Writer;

/// The key of the error's data that names the task to be claimed on the remote first.
const NEEDED: &str = "needs_remote_claim";

/// How far a claim of this clone has got on the remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteClaimState {
    /// The remote knows it.
    Held,
    /// The remote could not be reached: it is claimed here only.
    Local,
    /// Another machine has claimed the task on the remote meanwhile.
    Conflict,
    /// It was given back here, and the remote does not know yet.
    Release,
    /// A person has released another machine's claim, and the remote does not know yet.
    ReleaseOfAnyone,
}

impl RemoteClaimState {
    const ALL: [Self; 5] = [
        Self::Held,
        Self::Local,
        Self::Conflict,
        Self::Release,
        Self::ReleaseOfAnyone,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Local => "local",
            Self::Conflict => "conflict",
            Self::Release => "release",
            Self::ReleaseOfAnyone => "release_of_anyone",
        }
    }
}

/// A claim of this clone and what the remote knows about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteClaim {
    pub id: EntityId,
    pub state: RemoteClaimState,
    pub owner: String,
    /// What identifies it on the remote.
    pub nonce: String,
    pub generation: i64,
    pub lease_seconds: u32,
    /// When the remote last confirmed it, by this machine's clock.
    pub renewed_at: i64,
    /// Who else holds it, if that is a conflict.
    pub other: Option<String>,
}

fn claim_from_row(row: &Row<'_>) -> rusqlite::Result<RemoteClaim> {
    let state: String = row.get(1)?;
    let state = RemoteClaimState::ALL
        .into_iter()
        .find(|it| it.name() == state);
    Ok(RemoteClaim {
        id: EntityId::from_stored(row.get::<_, String>(0)?),
        state: state.unwrap_or(RemoteClaimState::Release),
        owner: row.get(2)?,
        nonce: row.get(3)?,
        generation: row.get(4)?,
        lease_seconds: row.get(5)?,
        renewed_at: row.get(6)?,
        other: row.get(7)?,
    })
}

const COLUMNS: &str = "id, state, owner, nonce, generation, lease_seconds, renewed_at, other";

impl Store {
    /// Says that tasks of this project are claimed on a remote too.
    pub fn share_claims(&self) {
        let _ = self.process.shares_claims.set(());
    }
}

/// The task that has to be claimed on the remote before the write can succeed.
pub fn needed_remote_claim(error: &Error) -> Option<EntityId> {
    let data = error.data();
    let id = data.get(NEEDED)?.as_str()?;
    Some(EntityId::from_stored(id))
}

impl Reader<'_> {
    /// What the remote knows about a claim of this clone.
    pub fn remote_claim(&self, id: &EntityId) -> Result<Option<RemoteClaim>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM remote_claims WHERE id = ?1"
            ))
            .and_then(|mut statement| {
                statement
                    .query_row([id.as_str()], claim_from_row)
                    .optional()
            })
            .stored()
    }

    /// All of them.
    pub fn remote_claims(&self) -> Result<Vec<RemoteClaim>> {
        self.connection()
            .prepare_cached(&format!("SELECT {COLUMNS} FROM remote_claims ORDER BY id"))
            .and_then(|mut statement| statement.query_map([], claim_from_row)?.collect())
            .stored()
    }

    /// Whether there is a claim that the remote does not know to be given back.
    pub fn has_claims_to_release(&self) -> Result<bool> {
        self.connection()
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM remote_claims
                     WHERE state IN ('release', 'release_of_anyone'))",
            )
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .stored()
    }

    fn is_claimed_elsewhere(&self, id: &EntityId) -> Result<bool> {
        self.connection()
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM claims WHERE id = ?1 AND elsewhere = 1)")
            .and_then(|mut statement| statement.query_row([id.as_str()], |row| row.get(0)))
            .stored()
    }
}

impl Writer<'_> {
    /// Refuses to claim a task here that was not claimed on the remote for this owner.
    pub(crate) fn check_remote_claim(&self, id: &EntityId, owner: &str) -> Result<()> {
        if self.process.shares_claims.get().is_none() {
            return Ok(());
        }
        let known = self.remote_claim(id)?;
        let usable = known.is_some_and(|claim| {
            claim.owner == owner
                && !matches!(
                    claim.state,
                    RemoteClaimState::Release | RemoteClaimState::ReleaseOfAnyone
                )
        });
        if usable {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::InternalError,
            "This call cannot claim a task that is shared with other machines",
        )
        .with(NEEDED, id.as_str())
        .with("owner", owner))
    }

    /// Records how far a claim has got on the remote.
    pub fn put_remote_claim(&self, claim: &RemoteClaim) -> Result<()> {
        self.connection()
            .prepare_cached(&format!(
                "INSERT OR REPLACE INTO remote_claims ({COLUMNS})
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
            ))
            .and_then(|mut statement| {
                statement.execute((
                    claim.id.as_str(),
                    claim.state.name(),
                    &claim.owner,
                    &claim.nonce,
                    claim.generation,
                    claim.lease_seconds,
                    claim.renewed_at,
                    &claim.other,
                ))
            })
            .stored()?;
        Ok(())
    }

    /// Forgets a claim that the remote no longer has. One that was made anew since stays.
    pub fn forget_remote_claim(&self, id: &EntityId, nonce: &str) -> Result<()> {
        self.connection()
            .prepare_cached("DELETE FROM remote_claims WHERE id = ?1 AND nonce = ?2")
            .and_then(|mut statement| statement.execute((id.as_str(), nonce)))
            .stored()?;
        Ok(())
    }

    /// The claim was given back here; the remote is told later.
    pub(crate) fn release_remote_claim(&self, id: &EntityId) -> Result<()> {
        self.connection()
            .prepare_cached(
                "UPDATE remote_claims SET state = 'release'
                 WHERE id = ?1 AND state <> 'release_of_anyone'",
            )
            .and_then(|mut statement| statement.execute([id.as_str()]))
            .stored()?;
        Ok(())
    }

    /// A person releases the claim of another machine. Returns whether it was one.
    pub(crate) fn release_claim_elsewhere(&self, id: &EntityId) -> Result<bool> {
        if !self.is_claimed_elsewhere(id)? {
            return Ok(false);
        }
        self.put_remote_claim(&RemoteClaim {
            id: id.clone(),
            state: RemoteClaimState::ReleaseOfAnyone,
            owner: String::new(),
            nonce: EntityId::random().as_str().to_owned(),
            generation: 0,
            lease_seconds: 0,
            renewed_at: 0,
            other: None,
        })?;
        self.drop_claim_elsewhere(id)?;
        Ok(true)
    }

    /// Another machine has claimed the task. A claim of this clone stays: somebody works on it.
    pub fn claimed_elsewhere(&self, id: &EntityId, who: &str, milliseconds: i64) -> Result<()> {
        let now = Timestamp::now().as_millis();
        self.connection()
            .prepare_cached(
                "INSERT INTO claims (id, owner, expires_at, claimed_at, elsewhere)
                 SELECT ?1, ?2, ?3, ?4, 1 WHERE EXISTS (SELECT 1 FROM entities WHERE id = ?1)
                 ON CONFLICT (id) DO UPDATE SET owner = ?2, expires_at = ?3, server = NULL,
                     until = NULL, session = NULL, elsewhere = 1
                 WHERE elsewhere = 1 OR expires_at <= ?4",
            )
            .and_then(|mut statement| {
                statement.execute((id.as_str(), who, now.saturating_add(milliseconds), now))
            })
            .stored()?;
        Ok(())
    }

    /// Removes the claim of another machine, without an event: it was not made here.
    pub(crate) fn drop_claim_elsewhere(&self, id: &EntityId) -> Result<bool> {
        let dropped = self
            .connection()
            .prepare_cached("DELETE FROM claims WHERE id = ?1 AND elsewhere = 1")
            .and_then(|mut statement| statement.execute([id.as_str()]))
            .stored()?;
        Ok(dropped > 0)
    }

    /// Records that two machines work on one task, once.
    pub fn claim_conflict(&self, claim: &RemoteClaim, other: &str) -> Result<()> {
        let news = claim.state != RemoteClaimState::Conflict;
        self.put_remote_claim(&RemoteClaim {
            state: RemoteClaimState::Conflict,
            other: Some(other.to_owned()),
            ..claim.clone()
        })?;
        if news {
            let task = self.find_entity(&claim.id)?;
            let number = task.as_ref().map(|task| task.number);
            let title = task.as_ref().map(|task| task.title.clone());
            self.record_event(
                EventType::TaskClaimConflict,
                Some((&claim.id, EntityType::Task)),
                &json!({"number": number, "title": title, "owner": claim.owner, "other": other}),
            )?;
        }
        Ok(())
    }

    /// Gives back what was claimed on the remote and not here: a write that failed left it. What is
    /// younger may belong to a write that is still under way.
    pub fn release_unused_remote_claims(&self, older_than_ms: i64) -> Result<()> {
        let before = Timestamp::now().as_millis().saturating_sub(older_than_ms);
        self.connection()
            .execute(
                "UPDATE remote_claims SET state = 'release'
                 WHERE state IN ('held', 'local', 'conflict') AND renewed_at <= ?1 AND NOT EXISTS
                     (SELECT 1 FROM claims c WHERE c.id = remote_claims.id AND c.elsewhere = 0)",
                [before],
            )
            .stored()?;
        Ok(())
    }
}
