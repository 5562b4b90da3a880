//! Taking, renewing and giving back leases.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::TryStreamExt as _;
use object_store::path::Path as Key;
use object_store::{
    Error as StoreError, GetOptions, GetRange, ObjectStoreExt as _, PutMode, PutOptions,
};

use super::record::{Holder, LONGEST, LeaseRecord};
use crate::remote::{Remote, RemoteError};

const CLAIMS: &str = "claims";
/// The object whose time is the store's.
const CLOCK: &str = "clock";
const DIGITS: usize = 10;
/// Which part of a lease is added to it before others take it: a renewal may be on its way.
const GRACE: u64 = 20;
/// How often a lease is tried again that somebody else changed at the same moment.
const ATTEMPTS: u32 = 5;
/// More leases than this are not looked through.
const MOST: usize = 100_000;

/// The leases of a remote. Cheap to clone.
#[derive(Clone)]
pub struct Leases {
    remote: Remote,
}

/// What came of taking a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acquired {
    /// It is the caller's, as this generation.
    Held(i64),
    /// Another holds it.
    Busy(Busy),
    /// Nobody holds it, and several want it at this moment.
    Contested,
}

/// A lease that another holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Busy {
    pub record: LeaseRecord,
    /// How long it lasts if nobody renews it, as far as this machine's clock can tell.
    pub remaining: Duration,
}

/// What came of renewing a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Renewed {
    /// It is still the caller's, as this generation.
    Held(i64),
    /// It is not: others took it, or a person released it.
    Lost(Option<Busy>),
}

/// One object of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Generation {
    number: i64,
    /// The store's time in milliseconds.
    modified: i64,
    released: bool,
}

/// Who created a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Created {
    /// This request.
    Now,
    /// An earlier request of the same holder, perhaps this one before it was repeated.
    Before,
    ByOthers,
}

impl Leases {
    pub fn new(remote: Remote) -> Self {
        Self { remote }
    }

    /// Takes a lease that is free, was given back, has expired, or is the holder's own.
    pub async fn acquire(
        &self,
        name: &str,
        holder: &Holder,
        lease: Duration,
    ) -> Result<Acquired, RemoteError> {
        self.remote.check_present()?;
        // Most tasks are taken once, so that the first look is only needed if this fails.
        let mut seen = BTreeSet::new();
        for attempt in 0..ATTEMPTS {
            let next = match seen.last() {
                None if attempt == 0 => 1,
                _ => {
                    let generations = self.generations(name).await?;
                    seen = generations.iter().map(|it| it.number).collect();
                    match self.check_free(name, holder, generations.last()).await? {
                        Some(busy) => return Ok(Acquired::Busy(busy)),
                        None => seen.last().copied().unwrap_or(0) + 1,
                    }
                }
            };
            // An object of the holder's own that was there may be old: it is renewed like any other.
            if self.create(name, next, Some((holder, lease))).await? != Created::Now {
                seen.insert(next);
                continue;
            }
            let after: BTreeSet<i64> = self
                .generations(name)
                .await?
                .iter()
                .map(|it| it.number)
                .collect();
            if is_alone(next, &seen, &after) {
                self.remove_before(name, next, &after).await;
                return Ok(Acquired::Held(next));
            }
            // Somebody else was here at the same time, or long before with a higher number.
            self.remove(name, next).await?;
            seen.insert(next);
            self.pause(name, holder, attempt).await;
        }
        let generations = self.generations(name).await?;
        match self.check_free(name, holder, generations.last()).await? {
            Some(busy) => Ok(Acquired::Busy(busy)),
            None => Ok(Acquired::Contested),
        }
    }

    /// Extends a lease that the holder had as this generation.
    pub async fn renew(
        &self,
        name: &str,
        holder: &Holder,
        generation: i64,
        lease: Duration,
    ) -> Result<Renewed, RemoteError> {
        self.remote.check_present()?;
        let created = self
            .create(name, generation + 1, Some((holder, lease)))
            .await?;
        if created != Created::ByOthers {
            // Nobody can have taken it: that would have been this generation, or one after it.
            let after = self.generations(name).await?;
            if after.last().is_some_and(|it| it.number == generation + 1) {
                let numbers = after.iter().map(|it| it.number).collect();
                self.remove_before(name, generation + 1, &numbers).await;
                return Ok(Renewed::Held(generation + 1));
            }
            self.remove(name, generation + 1).await?;
        }
        let generations = self.generations(name).await?;
        let Some(top) = generations.last().filter(|top| !top.released) else {
            return Ok(Renewed::Lost(None));
        };
        match self.read(name, top.number).await? {
            Some(record) if record.nonce == holder.nonce => Ok(Renewed::Held(top.number)),
            Some(record) => Ok(Renewed::Lost(Some(self.busy(record, top)))),
            None => Ok(Renewed::Lost(None)),
        }
    }

    /// Gives a lease back. One that another holds is left alone.
    pub async fn release(&self, name: &str, nonce: &str) -> Result<(), RemoteError> {
        self.end(name, Some(nonce)).await
    }

    /// Ends a lease, whoever holds it: for a person who knows that the holder is gone.
    pub async fn release_of_anyone(&self, name: &str) -> Result<(), RemoteError> {
        self.end(name, None).await
    }

    async fn end(&self, name: &str, nonce: Option<&str>) -> Result<(), RemoteError> {
        self.remote.check_present()?;
        for _ in 0..ATTEMPTS {
            let generations = self.generations(name).await?;
            let Some(top) = generations.last().filter(|top| !top.released) else {
                return Ok(());
            };
            if let Some(nonce) = nonce {
                match self.read(name, top.number).await? {
                    Some(record) if record.nonce == nonce => {}
                    _ => return Ok(()),
                }
            }
            if self.create(name, top.number + 1, None).await? == Created::Now {
                let numbers = generations.iter().map(|it| it.number).collect();
                self.remove_before(name, top.number + 1, &numbers).await;
                return Ok(());
            }
        }
        Ok(())
    }

    /// The names of the leases that were taken or renewed lately, within `recent` of the newest: most
    /// of them are held. It costs one request for a thousand leases.
    pub async fn recently_taken(&self, recent: Duration) -> Result<Vec<String>, RemoteError> {
        self.remote.check_present()?;
        let folder = self.remote.key([CLAIMS]);
        let mut newest: BTreeMap<String, Generation> = BTreeMap::new();
        let mut objects = self.remote.store().list(Some(&folder));
        while let Some(object) = objects.try_next().await? {
            let Some((name, generation)) = parse(&folder, &object) else {
                continue;
            };
            let known = newest.entry(name).or_insert(generation);
            if generation.number > known.number {
                *known = generation;
            }
            if newest.len() > MOST {
                break;
            }
        }
        let latest = newest.values().map(|it| it.modified).max().unwrap_or(0);
        let since = latest.saturating_sub(milliseconds(recent));
        newest.retain(|_, it| !it.released && it.modified >= since);
        Ok(newest.into_keys().collect())
    }

    /// Removes leases that were given back long ago, by the store's clock. Returns how many.
    pub async fn remove_old(&self, age: Duration) -> Result<usize, RemoteError> {
        let now = self.store_time().await?;
        let folder = self.remote.key([CLAIMS]);
        let mut objects = self.remote.store().list(Some(&folder));
        let mut old = Vec::new();
        while let Some(object) = objects.try_next().await? {
            if let Some((name, generation)) = parse(&folder, &object)
                && generation.released
                && generation.modified.saturating_add(milliseconds(age)) < now
            {
                old.push((name, generation.number));
            }
        }
        for (name, number) in &old {
            self.remove(name, *number).await?;
        }
        Ok(old.len())
    }

    /// Who has the lease, unless it can be taken.
    async fn check_free(
        &self,
        name: &str,
        holder: &Holder,
        top: Option<&Generation>,
    ) -> Result<Option<Busy>, RemoteError> {
        let Some(top) = top.filter(|top| !top.released) else {
            return Ok(None);
        };
        let Some(record) = self.read(name, top.number).await? else {
            return Ok(None);
        };
        if record.nonce == holder.nonce {
            return Ok(None);
        }
        let busy = self.busy(record, top);
        // This machine's clock only says when it is worth asking for the store's.
        if busy.remaining.is_zero() {
            let lease = busy.record.lease_seconds * 1_000;
            let lease = i64::try_from(lease + lease / GRACE).unwrap_or(i64::MAX);
            if self.store_time().await? > top.modified.saturating_add(lease) {
                return Ok(None);
            }
        }
        Ok(Some(busy))
    }

    fn busy(&self, record: LeaseRecord, top: &Generation) -> Busy {
        let passed = self.remote.now().saturating_sub(top.modified);
        let passed = Duration::from_millis(u64::try_from(passed).unwrap_or(0));
        let lease = Duration::from_secs(record.lease_seconds);
        Busy {
            remaining: lease.saturating_sub(passed),
            record,
        }
    }

    /// The time of the store: that of an object which was written just now.
    async fn store_time(&self) -> Result<i64, RemoteError> {
        let key = self.remote.key([CLOCK]);
        let store = self.remote.store();
        store.put(&key, "now\n".into()).await?;
        Ok(store.head(&key).await?.last_modified.timestamp_millis())
    }

    fn key(&self, name: &str, generation: i64) -> Key {
        self.remote
            .key([CLAIMS, name, &format!("{generation:0DIGITS$}")])
    }

    /// The objects of a lease, the newest last.
    async fn generations(&self, name: &str) -> Result<Vec<Generation>, RemoteError> {
        let folder = self.remote.key([CLAIMS]);
        let own = self.remote.key([CLAIMS, name]);
        let objects = self.remote.store().list(Some(&own));
        let mut found: Vec<Generation> = objects
            .try_filter_map(|object| {
                let generation = parse(&folder, &object).map(|(_, generation)| generation);
                std::future::ready(Ok(generation))
            })
            .try_collect()
            .await?;
        found.sort_unstable_by_key(|it| it.number);
        Ok(found)
    }

    async fn read(&self, name: &str, generation: i64) -> Result<Option<LeaseRecord>, RemoteError> {
        let options = GetOptions {
            range: Some(GetRange::Bounded(0..LONGEST)),
            ..GetOptions::default()
        };
        let key = self.key(name, generation);
        match self.remote.store().get_opts(&key, options).await {
            Ok(found) => Ok(Some(LeaseRecord::parse(&found.bytes().await?))),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(problem) => Err(problem.into()),
        }
    }

    /// Creates a generation, empty for a lease that is given back.
    async fn create(
        &self,
        name: &str,
        generation: i64,
        held: Option<(&Holder, Duration)>,
    ) -> Result<Created, RemoteError> {
        let record = held.map(|(holder, lease)| LeaseRecord::new(holder, lease));
        let bytes = match &record {
            Some(record) => serde_json::to_vec(record)
                .map_err(|problem| RemoteError::Refused(problem.to_string()))?,
            None => Vec::new(),
        };
        let key = self.key(name, generation);
        let options = PutOptions::from(PutMode::Create);
        match self
            .remote
            .store()
            .put_opts(&key, bytes.into(), options)
            .await
        {
            Ok(_) => Ok(Created::Now),
            Err(StoreError::AlreadyExists { .. } | StoreError::Precondition { .. }) => {
                let found = self.read(name, generation).await?;
                Ok(if record.is_some() && found == record {
                    Created::Before
                } else {
                    Created::ByOthers
                })
            }
            Err(problem) => Err(problem.into()),
        }
    }

    async fn remove(&self, name: &str, generation: i64) -> Result<(), RemoteError> {
        let key = self.key(name, generation);
        match self.remote.store().delete(&key).await {
            Ok(()) | Err(StoreError::NotFound { .. }) => Ok(()),
            Err(problem) => Err(problem.into()),
        }
    }

    /// What is left over costs nothing but a place in a list, so a failure does not matter.
    async fn remove_before(&self, name: &str, generation: i64, all: &BTreeSet<i64>) {
        for old in all.range(..generation) {
            if let Err(problem) = self.remove(name, *old).await {
                tracing::debug!(%problem, "an old generation of a lease was not removed");
            }
        }
    }

    /// A moment that differs between holders, so that they do not meet again.
    async fn pause(&self, name: &str, holder: &Holder, attempt: u32) {
        let mixed = holder.nonce.bytes().chain(name.bytes());
        let spread = mixed.fold(u64::from(attempt), |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        let wait = Duration::from_millis(20 + spread % (100 << attempt));
        self.remote.sleep(wait).await;
    }
}

/// Whether nobody else can believe to have taken the lease. `seen` is what was there before `next` was
/// created, `after` what is there now.
fn is_alone(next: i64, seen: &BTreeSet<i64>, after: &BTreeSet<i64>) -> bool {
    if after.last() != Some(&next) {
        return false;
    }
    // Whoever begins with the first generation looks around after that. As long as the one before ours
    // is still there, they have seen it or see ours, and withdraw.
    let is_kept = seen.last().is_some_and(|before| after.contains(before));
    is_kept || after.iter().all(|it| *it == next || seen.contains(it))
}

/// The name of the lease that an object belongs to, and its generation.
fn parse(folder: &Key, object: &object_store::ObjectMeta) -> Option<(String, Generation)> {
    let mut parts = object.location.prefix_match(folder)?;
    let (name, number, end) = (parts.next()?, parts.next()?, parts.next());
    let number = number.as_ref();
    if end.is_some() || number.len() != DIGITS || !number.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let generation = Generation {
        number: number.parse().ok()?,
        modified: object.last_modified.timestamp_millis(),
        released: object.size == 0,
    };
    Some((name.as_ref().to_owned(), generation))
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taker_withdraws_only_where_another_may_believe_to_hold_the_lease() {
        let alone = |next: i64, seen: &[i64], after: &[i64]| {
            let set = |numbers: &[i64]| numbers.iter().copied().collect();
            is_alone(next, &set(seen), &set(after))
        };
        assert!(alone(1, &[], &[1]));
        assert!(alone(6, &[5], &[5, 6]));
        assert!(alone(6, &[5], &[6]));
        // Somebody begins with the first, and sees the others.
        assert!(alone(6, &[5], &[1, 5, 6]));
        // The one before was removed: whoever began may have seen nothing.
        assert!(!alone(6, &[5], &[1, 6]));
        assert!(!alone(1, &[], &[1, 5]));
        assert!(!alone(6, &[5], &[5, 6, 7]));
        assert!(!alone(6, &[5], &[5]));
    }
}
