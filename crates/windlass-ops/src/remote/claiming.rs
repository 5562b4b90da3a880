//! A task is claimed on the remote first, outside of any transaction, and then here.
//!
//! A write that claims a task fails if the remote was not asked about that task; it is rolled back, the
//! remote is asked, and the write runs again. By then it may choose another task: the one that it
//! wanted is claimed elsewhere.

use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_core::{Actor, EntityId, Error, Result, Timestamp};
use windlass_store::{
    DEFAULT_LEASE_SECONDS, PERSON_LEASE_SECONDS, RemoteClaim, RemoteClaimState, Writer,
    needed_remote_claim,
};
use windlass_sync::claims::{Acquired, Busy};
use windlass_sync::remote::{Pass, RemoteError};

use super::shared::SharedRemote;
use super::upkeep;
use crate::context::Context;
use crate::plan::write_journals;

/// How long a call waits for the remote before it goes on without it.
const LONGEST: Duration = Duration::from_secs(4);
/// How often one call tries another task, because other machines have taken the one before.
const MOST_TASKS: usize = 25;
/// How long a claim lasts that a server renews.
pub const SERVER_LEASE: u32 = 600;
/// Leases that were renewed within this time are taken for held.
const RECENT: Duration = Duration::from_secs(SERVER_LEASE as u64);
/// For how long a task is left alone that is held by somebody whom nobody asked about.
const LEFT_ALONE_MS: i64 = 60_000;
/// An exchange longer ago than this says nothing about tasks that others have completed.
const BEHIND_MS: i64 = 3_600_000;
/// A claim elsewhere is looked at again at the earliest after this time.
const SHORTEST_MS: i64 = 15_000;

/// The result of a write that may have claimed a task.
pub struct Claimed<T> {
    pub value: T,
    /// What the caller has to know about the claim.
    pub note: Option<String>,
}

impl Context {
    /// Changes the state in one transaction that may claim tasks. The work may run several times, and
    /// only its last run counts.
    pub(crate) fn write_claiming<T>(
        &self,
        work: impl Fn(&Writer<'_>) -> Result<T>,
    ) -> Result<Claimed<T>> {
        let Some(remote) = self.host.remote()? else {
            let value = self.write(work)?;
            return Ok(Claimed { value, note: None });
        };
        self.store.share_claims();
        let mut note = None;
        let mut asked = 0;
        let result = loop {
            let result = self.write(&work);
            let Some(needed) = result.as_ref().err().and_then(needed_remote_claim) else {
                break result;
            };
            if asked == MOST_TASKS || self.is_late() {
                break Err(all_taken());
            }
            asked += 1;
            let owner = owner_of(&result, &self.origin.session);
            note = self.ask(remote, &needed, owner, asked)?;
        };
        if asked > 0 && (asked > 1 || result.is_err()) {
            self.write(|writer| writer.release_unused_remote_claims(0))?;
        }
        result.map(|value| Claimed { value, note })
    }

    /// Whether the caller would be told that the request took too long.
    fn is_late(&self) -> bool {
        let end = Instant::now() + LONGEST + Duration::from_secs(2);
        self.deadline.is_some_and(|deadline| deadline < end)
    }

    /// Claims a task on the remote, and records what came of it.
    fn ask(
        &self,
        remote: &SharedRemote,
        id: &EntityId,
        owner: String,
        asked: usize,
    ) -> Result<Option<String>> {
        let lease = match (self.store.server_id(), self.origin.actor) {
            (Some(_), _) => SERVER_LEASE,
            (None, Actor::Human) => PERSON_LEASE_SECONDS,
            (None, Actor::Agent) => DEFAULT_LEASE_SECONDS,
        };
        let before = self.read(|reader| reader.remote_claim(id))?;
        let is_new = before.is_none();
        // A claim that the remote may still have is continued, also by another session of this clone.
        let nonce = before.map_or_else(|| EntityId::random().as_str().to_owned(), |it| it.nonce);
        let mut claim = RemoteClaim {
            id: id.clone(),
            state: RemoteClaimState::Held,
            owner,
            nonce,
            generation: 0,
            lease_seconds: lease,
            renewed_at: Timestamp::now().as_millis(),
            other: None,
        };
        match acquire(remote, &claim) {
            Ok(Acquired::Held(generation)) => {
                claim.generation = generation;
                self.write(|writer| writer.put_remote_claim(&claim))?;
                // Somebody had the task before, and may have completed it.
                if is_new && (generation > 1 || self.is_behind(remote)?) {
                    return Ok(self.fetch(remote));
                }
                Ok(None)
            }
            Ok(Acquired::Busy(busy)) => {
                let others = others(remote, asked);
                self.write(|writer| {
                    for other in &others {
                        if writer.remote_claim(other)?.is_none() {
                            writer.claimed_elsewhere(other, "another machine", LEFT_ALONE_MS)?;
                        }
                    }
                    writer.forget_remote_claim(id, &claim.nonce)?;
                    writer.claimed_elsewhere(id, &busy.record.label(), milliseconds(&busy))
                })?;
                Ok(None)
            }
            Ok(Acquired::Contested) => {
                self.write(|writer| {
                    writer.forget_remote_claim(id, &claim.nonce)?;
                    writer.claimed_elsewhere(id, "another machine", SHORTEST_MS)
                })?;
                Ok(None)
            }
            Err(problem) => {
                claim.state = RemoteClaimState::Local;
                self.write(|writer| writer.put_remote_claim(&claim))?;
                Ok(Some(format!(
                    "Claimed on this machine only: {problem}. Another machine may take the same task; \
                     a conflict is reported once the remote answers."
                )))
            }
        }
    }
}

impl Context {
    /// Whether the last exchange was so long ago that leases of that time may have been removed.
    fn is_behind(&self, remote: &SharedRemote) -> Result<bool> {
        let name = remote.name();
        let last = self.read(|reader| reader.remote(&name))?.succeeded_at;
        let age = Timestamp::now().as_millis() - last.unwrap_or(0);
        Ok(!(0..BEHIND_MS).contains(&age))
    }

    /// Fetches what other machines have changed, before a task is chosen. Returns what the caller has
    /// to know if that failed.
    fn fetch(&self, remote: &SharedRemote) -> Option<String> {
        let (store, origin) = (Arc::clone(&self.store), self.origin.clone());
        let fetched = remote.worker().and_then(|worker| {
            let opened = remote.remote()?;
            worker.wait(LONGEST, move || async move {
                let pass = Pass {
                    store: &store,
                    origin: &origin,
                    remote: &opened,
                    thorough: false,
                    progress: None,
                };
                pass.run().await
            })
        });
        match fetched {
            Ok(report) => {
                if report.journal > 0 {
                    // A file that cannot be written keeps its old text.
                    write_journals(&self.store, &self.origin, self.workspace.project());
                }
                None
            }
            Err(problem) => Some(format!(
                "Claimed, but the newest changes of other machines could not be fetched: {problem}."
            )),
        }
    }
}

fn acquire(remote: &SharedRemote, claim: &RemoteClaim) -> Result<Acquired, RemoteError> {
    if remote.is_left_alone() {
        let why = "it did not answer a moment ago";
        return Err(RemoteError::Unreachable(why.to_owned()));
    }
    let holder = upkeep::holder(claim, &remote.machine);
    let lease = Duration::from_secs(claim.lease_seconds.into());
    let result = remote.worker().and_then(|worker| {
        let (leases, name) = (remote.leases()?, claim.id.as_str().to_owned());
        worker.wait(LONGEST, move || async move {
            leases.acquire(&name, &holder, lease).await
        })
    });
    remote.note(&result);
    result
}

/// What else is taken, so that this call does not try one task after another.
fn others(remote: &SharedRemote, asked: usize) -> Vec<EntityId> {
    if asked > 1 {
        return Vec::new();
    }
    let listed = remote.worker().and_then(|worker| {
        let leases = remote.leases()?;
        worker.wait(LONGEST, move || async move {
            leases.recently_taken(RECENT).await
        })
    });
    // Without the list the call goes on one by one.
    let names = listed.unwrap_or_default().into_iter();
    names.map(EntityId::from_stored).collect()
}

fn milliseconds(busy: &Busy) -> i64 {
    let remaining = i64::try_from(busy.remaining.as_millis()).unwrap_or(i64::MAX);
    remaining.max(SHORTEST_MS)
}

fn owner_of<T>(result: &Result<T>, session: &str) -> String {
    let data = result.as_ref().err().map(Error::data);
    let owner = data.as_ref().and_then(|data| data.get("owner")?.as_str());
    owner.unwrap_or(session).to_owned()
}

fn all_taken() -> Error {
    Error::new(
        windlass_core::ErrorKind::TaskClaimed,
        "Other machines took every task that was tried",
    )
    .with_hint("Try again in a moment, or name a task that nobody works on.")
}
