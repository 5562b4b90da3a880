//! What becomes of claims on the remote after they were made: renewed while they last, given back with
//! those of this clone, and compared once a remote answers again.

use std::sync::Arc;
use std::time::Duration;

use windlass_core::{Origin, Result, Timestamp};
use windlass_store::{RemoteClaim, RemoteClaimState, Store};
use windlass_sync::claims::{Acquired, Busy, Holder, Leases, Renewed};
use windlass_sync::remote::{Pass, RemoteError};

use super::shared::SharedRemote;
use crate::context::Context;

/// How long the end of a command waits for the remote to know what was given back.
const LONGEST: Duration = Duration::from_secs(5);
/// Claims on the remote without one here are given back after this time.
const UNUSED_MS: i64 = 60_000;

/// How the remote knows a claim.
pub fn holder(claim: &RemoteClaim, machine: &str) -> Holder {
    Holder {
        owner: claim.owner.clone(),
        machine: machine.to_owned(),
        nonce: claim.nonce.clone(),
    }
}

/// Tells the remote what was given back here. A server does not wait for it, a command a moment. What
/// could not be told is told by the next exchange, and ends with its lease.
pub fn settle(context: &Context) {
    tell_the_remote(context, !context.host.is_lasting());
}

/// The same for a process that ends.
pub fn settle_at_the_end(context: &Context) {
    tell_the_remote(context, true);
}

/// Whether something was given back that the remote does not know of. Most projects have no remote, and
/// then this is all.
pub fn has_to_settle(context: &Context) -> bool {
    let waiting = context.read(|reader| reader.has_claims_to_release());
    waiting.unwrap_or(false)
}

fn tell_the_remote(context: &Context, waits: bool) {
    if !has_to_settle(context) {
        return;
    }
    let Ok(Some(remote)) = context.host.remote() else {
        return;
    };
    if remote.is_left_alone() {
        return;
    }
    let (Ok(worker), Ok(opened)) = (remote.worker(), remote.remote()) else {
        return;
    };
    let (store, origin) = (Arc::clone(&context.store), context.origin.clone());
    let work = move || async move {
        let claims = given_back(&store)?;
        let pass = Pass {
            store: &store,
            origin: &origin,
            remote: &opened,
            thorough: false,
            progress: None,
        };
        pass.run().await?;
        release(&store, &origin, &Leases::new(opened.clone()), &claims).await
    };
    if waits {
        remote.note(&worker.wait(LONGEST, work));
    } else {
        worker.begin(work);
    }
}

/// The claims that the remote does not know to be given back. What was done while they were held has
/// to be sent before [`release`]: whoever takes the task next would else do it again.
pub fn given_back(store: &Store) -> Result<Vec<RemoteClaim>> {
    let claims = store.read(None, |reader| reader.remote_claims())?;
    let ended = |claim: &RemoteClaim| {
        matches!(
            claim.state,
            RemoteClaimState::Release | RemoteClaimState::ReleaseOfAnyone
        )
    };
    Ok(claims.into_iter().filter(ended).collect())
}

/// Gives these claims back on the remote.
pub async fn release(
    store: &Store,
    origin: &Origin,
    leases: &Leases,
    claims: &[RemoteClaim],
) -> Result<(), RemoteError> {
    for claim in claims {
        let name = claim.id.as_str();
        match claim.state {
            RemoteClaimState::ReleaseOfAnyone => leases.release_of_anyone(name).await?,
            _ => leases.release(name, &claim.nonce).await?,
        }
        store.write(origin, |writer| {
            // It may have been claimed again meanwhile, as a continuation of the same lease.
            let now = writer.remote_claim(&claim.id)?;
            match now {
                Some(now) if now.state == claim.state => {
                    writer.forget_remote_claim(&claim.id, &claim.nonce)
                }
                Some(now) if now.state == RemoteClaimState::Held => {
                    let state = RemoteClaimState::Local;
                    writer.put_remote_claim(&RemoteClaim { state, ..now })
                }
                _ => Ok(()),
            }
        })?;
    }
    Ok(())
}

/// Renews what this clone holds, and finds out whether another machine has taken what was claimed while
/// the remote did not answer.
pub async fn upkeep(
    store: &Store,
    origin: &Origin,
    remote: &SharedRemote,
) -> Result<(), RemoteError> {
    let leases = remote.leases()?;
    let claims = store.read(None, |reader| reader.remote_claims())?;
    if claims.is_empty() {
        return Ok(());
    }
    store.write(origin, |writer| {
        writer.release_unused_remote_claims(UNUSED_MS)
    })?;
    for claim in claims {
        let holder = holder(&claim, &remote.machine);
        let lease = Duration::from_secs(claim.lease_seconds.into());
        let name = claim.id.as_str();
        match claim.state {
            RemoteClaimState::Held if is_due(&claim) => {
                match leases.renew(name, &holder, claim.generation, lease).await? {
                    Renewed::Held(generation) => confirmed(store, origin, &claim, generation)?,
                    Renewed::Lost(other) => lost(store, origin, &claim, other)?,
                }
            }
            RemoteClaimState::Local | RemoteClaimState::Conflict => {
                match leases.acquire(name, &holder, lease).await? {
                    Acquired::Held(generation) => confirmed(store, origin, &claim, generation)?,
                    Acquired::Busy(other) => lost(store, origin, &claim, Some(other))?,
                    // The next exchange asks again.
                    Acquired::Contested => {}
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A lease is renewed three times before it would end.
fn is_due(claim: &RemoteClaim) -> bool {
    let age = Timestamp::now()
        .as_millis()
        .saturating_sub(claim.renewed_at);
    !(0..i64::from(claim.lease_seconds) * 1_000 / 3).contains(&age)
}

fn confirmed(store: &Store, origin: &Origin, claim: &RemoteClaim, generation: i64) -> Result<()> {
    let confirmed = RemoteClaim {
        state: RemoteClaimState::Held,
        generation,
        renewed_at: Timestamp::now().as_millis(),
        other: None,
        ..claim.clone()
    };
    unless_changed(store, origin, claim, |writer| {
        writer.put_remote_claim(&confirmed)
    })
}

fn lost(store: &Store, origin: &Origin, claim: &RemoteClaim, other: Option<Busy>) -> Result<()> {
    let other = match other {
        Some(busy) => busy.record.label(),
        None => "nobody: it was released on another machine".to_owned(),
    };
    unless_changed(store, origin, claim, |writer| {
        writer.claim_conflict(claim, &other)
    })
}

/// Records what the remote said, unless the claim was given back or taken anew meanwhile.
fn unless_changed(
    store: &Store,
    origin: &Origin,
    claim: &RemoteClaim,
    work: impl FnOnce(&windlass_store::Writer<'_>) -> Result<()>,
) -> Result<()> {
    store.write(origin, |writer| match writer.remote_claim(&claim.id)? {
        Some(now) if now == *claim => work(writer),
        _ => Ok(()),
    })
}
