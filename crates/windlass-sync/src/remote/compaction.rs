//! Many packs on a remote become one. One clone does it at a time, by a lease; that two do it at once
//! would cost space, not data.

use std::time::Duration;

use windlass_core::EntityId;

use super::pass::PassReport;
use super::{Pass, RemoteError};
use crate::claims::{Acquired, Holder, Leases};

/// Past this many packs a server compacts a remote by itself.
pub const PACKS_BEFORE_COMPACTION: i64 = 2_000;

/// The name of the lease, beside those of tasks.
const LEASE: &str = "compaction";
const LEASE_TIME: Duration = Duration::from_mins(15);
/// Leases that were given back longer ago are removed.
const OLD_LEASES: Duration = Duration::from_hours(24);

/// What a compaction did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compacted {
    Done {
        pass: Box<PassReport>,
        removed: usize,
    },
    /// Another machine does it at the moment.
    ElsewhereBy(String),
}

impl Pass<'_> {
    /// Exchanges everything, replaces the packs by one, and removes from the remote what that one
    /// contains. Nothing is removed before the remote has its replacement.
    pub async fn compact(&self, machine: &str) -> Result<Compacted, RemoteError> {
        let leases = Leases::new(self.remote.clone());
        let holder = Holder {
            owner: "compaction".to_owned(),
            machine: machine.to_owned(),
            nonce: EntityId::random().as_str().to_owned(),
        };
        self.remote.prepare().await?;
        match leases.acquire(LEASE, &holder, LEASE_TIME).await? {
            Acquired::Busy(busy) => return Ok(Compacted::ElsewhereBy(busy.record.label())),
            Acquired::Contested => return Ok(Compacted::ElsewhereBy("another machine".to_owned())),
            Acquired::Held(_) => {}
        }
        let done = self.compact_alone(&leases).await;
        leases.release(LEASE, &holder.nonce).await?;
        done
    }

    async fn compact_alone(&self, leases: &Leases) -> Result<Compacted, RemoteError> {
        let thorough = Pass {
            thorough: true,
            ..*self
        };
        let mut pass = thorough.run().await?;
        self.store.compact(self.origin)?;
        let newest = self.remote.packs(None).await?.newest;
        self.send(newest, &mut pass).await?;
        let removed = self.remove_replaced().await?;
        leases.remove_old(OLD_LEASES).await?;
        Ok(Compacted::Done {
            pass: Box::new(pass),
            removed,
        })
    }

    async fn remove_replaced(&self) -> Result<usize, RemoteError> {
        let listing = self.remote.packs(None).await?;
        let there = |name| listing.packs.iter().any(|pack| pack.name == name);
        // What replaces them has to be there, all of it.
        if !self.store.known_packs()?.into_iter().all(there) {
            return Ok(0);
        }
        let replaced = self.store.replaced_packs()?;
        let mut removed = 0;
        for pack in &listing.packs {
            if replaced.binary_search(&pack.name).is_ok() {
                self.remote.remove(pack).await?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}
