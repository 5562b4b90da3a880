//! One exchange with a remote: the packs of both become the same set.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::Serialize;
use windlass_core::{Error, Origin};
use windlass_store::{ImportReport, PackName, PackOutcome, RemoteProgress, Store};

use super::transfer::Downloaded;
use super::{Listing, Remote, RemoteError, RemotePack};

/// By how much the clocks of machines may differ before a pack is only found by the next full list.
const SKEW_MS: i64 = 15 * 60_000;
/// How often everything is listed, so that nothing is missed for good.
const FULL_LIST_MS: i64 = 6 * 3_600_000;
/// Packs that are transferred at once, and how many bytes of them are held in memory.
const AT_ONCE: usize = 8;
const BYTES_AT_ONCE: u64 = 64 << 20;
/// Objects that are skipped and reported one by one.
const SKIPPED_SHOWN: usize = 20;

/// One exchange.
pub struct Pass<'a> {
    pub store: &'a Store,
    pub origin: &'a Origin,
    pub remote: &'a Remote,
    /// Whether everything is listed, and what could not be imported is tried again.
    pub thorough: bool,
    pub progress: Option<&'a (dyn Fn(TransferProgress) + Send + Sync)>,
}

/// How far an exchange has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferProgress {
    /// Whether packs are being sent; else they are fetched.
    pub sending: bool,
    pub packs: usize,
    pub of: usize,
    pub bytes: u64,
}

/// What an exchange did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PassReport {
    pub received: usize,
    pub received_bytes: u64,
    pub sent: usize,
    pub sent_bytes: u64,
    /// Entities that changed here.
    pub changed: usize,
    /// New entries of the journals.
    pub journal: usize,
    /// Changes that wait for others which have not arrived.
    pub pending: usize,
    /// Numbers that two clones had given: the old and the new one of the younger entity.
    pub renumbered: Vec<(i64, i64)>,
    /// How many packs were listed, and whether that was all of them.
    pub listed: usize,
    pub listed_all: bool,
    /// Objects that are not what their name says.
    pub skipped: Vec<Skipped>,
    pub skipped_count: usize,
}

/// An object that was left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    pub object: String,
    pub reason: String,
}

impl PassReport {
    /// Whether anything was sent or fetched.
    pub fn did_something(&self) -> bool {
        self.received + self.sent + self.skipped_count > 0
    }

    fn skip(&mut self, object: &str, reason: &str) {
        self.skipped_count += 1;
        if self.skipped.len() < SKIPPED_SHOWN {
            self.skipped.push(Skipped {
                object: object.to_owned(),
                reason: reason.to_owned(),
            });
        }
    }

    fn add(&mut self, bytes: u64, import: ImportReport) {
        self.received += 1;
        self.received_bytes += bytes;
        self.changed += import.changed;
        self.journal += import.journal;
        self.pending += import.pending;
        self.renumbered.extend(import.renumbered);
    }
}

impl Pass<'_> {
    /// Fetches what is new there, then sends what is new here. Everything that was done before a
    /// failure stays done.
    pub async fn run(&self) -> Result<PassReport, RemoteError> {
        let url = self.remote.name();
        let known = self.store.read(None, |reader| reader.remote(url))?;
        let now = self.remote.now();
        let age = now.saturating_sub(known.listed_at);
        let all = self.thorough || known.listed_at == 0 || !(0..FULL_LIST_MS).contains(&age);
        if all {
            self.remote.prepare().await?;
        }
        let since = (!all).then(|| known.cursor.saturating_sub(SKEW_MS));
        let listing = self.remote.packs(since).await?;
        let mut report = PassReport {
            listed: listing.packs.len(),
            listed_all: all,
            ..PassReport::default()
        };
        self.note_listed(&listing, all, &mut report)?;
        self.fetch(&listing, all, &mut report).await?;
        self.send(known.cursor.max(listing.newest), &mut report)
            .await?;
        let progress = RemoteProgress {
            // A clock that is ahead does not make this clone overlook what others write.
            cursor: listing.newest.min(now),
            listed: all.then_some(report.listed + report.sent),
            report: report
                .did_something()
                .then(|| serde_json::to_value(&report).unwrap_or_default()),
        };
        self.store
            .write(self.origin, |writer| writer.pass_succeeded(url, &progress))?;
        Ok(report)
    }

    fn note_listed(
        &self,
        listing: &Listing,
        all: bool,
        report: &mut PassReport,
    ) -> Result<(), RemoteError> {
        if all {
            for odd in &listing.odd {
                report.skip(odd, "it does not have the name of a pack");
            }
            report.skipped_count += listing.odd_count - listing.odd.len();
        }
        let names = || listing.packs.iter().map(|pack| &pack.name);
        if all || !listing.packs.is_empty() {
            self.store.write(self.origin, |writer| {
                if all {
                    writer.remote_has_only(self.remote.name(), names())
                } else {
                    writer.remote_has(self.remote.name(), names())
                }
            })?;
        }
        Ok(())
    }

    /// The packs of the list that are neither here nor known to be unusable.
    fn wanted<'l>(&self, listing: &'l Listing, all: bool) -> Result<Vec<&'l RemotePack>, Error> {
        // One pack may be there twice, under two times.
        let by_name: BTreeMap<&PackName, &RemotePack> = listing
            .packs
            .iter()
            .map(|pack| (&pack.name, pack))
            .collect();
        let names: Vec<PackName> = by_name.keys().map(|name| (*name).clone()).collect();
        let mut wanted = Vec::new();
        for name in self.store.unknown_packs(&names)? {
            let url = self.remote.name();
            let tried = |reader: &windlass_store::Reader<'_>| reader.unusable_pack(url, &name);
            if (all || self.store.read(None, tried)?.is_none())
                && let Some(pack) = by_name.get(&name)
            {
                wanted.push(*pack);
            }
        }
        // Older changes first, so that few have to wait for what they depend on.
        wanted.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        Ok(wanted)
    }

    async fn fetch(
        &self,
        listing: &Listing,
        all: bool,
        report: &mut PassReport,
    ) -> Result<(), RemoteError> {
        let wanted = self.wanted(listing, all)?;
        let mut done = 0;
        for batch in batches(&wanted, |pack| pack.size) {
            let fetched: Vec<Downloaded> = stream::iter(batch)
                .map(|pack| self.remote.download(pack))
                .buffered(AT_ONCE)
                .try_collect()
                .await?;
            self.take(batch, fetched, report)?;
            done += batch.len();
            self.tell(false, done, wanted.len(), report.received_bytes);
        }
        Ok(())
    }

    /// Imports what was downloaded at once, and remembers what cannot be imported.
    fn take(
        &self,
        batch: &[&RemotePack],
        downloaded: Vec<Downloaded>,
        report: &mut PassReport,
    ) -> Result<(), RemoteError> {
        let mut sizes = BTreeMap::new();
        let mut unusable = BTreeMap::new();
        let mut packs = Vec::new();
        for (pack, downloaded) in batch.iter().zip(downloaded) {
            match downloaded {
                Downloaded::Gone => {}
                Downloaded::Unusable(why) => {
                    unusable.insert(pack.name.clone(), why);
                }
                Downloaded::Bytes(bytes) => {
                    sizes.insert(pack.name.clone(), bytes.len() as u64);
                    packs.push((pack.name.clone(), Vec::from(bytes)));
                }
            }
        }
        for (name, outcome) in self.store.import_packs(self.origin, packs)? {
            let why = match outcome {
                PackOutcome::Imported(import) => {
                    report.add(sizes.get(&name).copied().unwrap_or_default(), import);
                    continue;
                }
                PackOutcome::AlreadyKnown => continue,
                PackOutcome::Newer { version } => {
                    format!("a newer version of windlass wrote it (format {version})")
                }
                PackOutcome::Damaged { reason } | PackOutcome::Foreign { reason } => reason,
            };
            unusable.insert(name, why);
        }
        for pack in batch {
            let Some(why) = unusable.get(&pack.name) else {
                continue;
            };
            report.skip(pack.key.as_ref(), why);
            let url = self.remote.name();
            self.store.write(self.origin, |writer| {
                writer.pack_is_unusable(url, &pack.name, why)
            })?;
        }
        Ok(())
    }

    /// Sends the packs that the remote lacks, under a time that is not before any that it has.
    pub(super) async fn send(
        &self,
        newest: i64,
        report: &mut PassReport,
    ) -> Result<(), RemoteError> {
        self.store.pack_all(self.origin)?;
        let url = self.remote.name();
        let names = self.store.read(None, |reader| reader.packs_to_send(url))?;
        let stamp = newest.max(self.remote.now());
        for batch in names.chunks(AT_ONCE) {
            let packs: Vec<(&PackName, Bytes)> = batch
                .iter()
                .filter_map(|name| match self.store.pack_bytes(name) {
                    Ok(bytes) => bytes.map(|bytes| Ok((name, Bytes::from(bytes)))),
                    Err(problem) => Some(Err(problem)),
                })
                .collect::<Result<_, Error>>()?;
            let bytes: u64 = packs.iter().map(|(_, bytes)| bytes.len() as u64).sum();
            let sent: Vec<&PackName> = stream::iter(packs)
                .map(|(name, bytes)| async move {
                    self.remote.upload(stamp, name, bytes).await.map(|()| name)
                })
                .buffer_unordered(AT_ONCE)
                .try_collect()
                .await?;
            report.sent += sent.len();
            report.sent_bytes += bytes;
            self.store
                .write(self.origin, |writer| writer.remote_has(url, sent))?;
            self.tell(true, report.sent, names.len(), report.sent_bytes);
        }
        Ok(())
    }

    fn tell(&self, sending: bool, packs: usize, of: usize, bytes: u64) {
        if let Some(progress) = self.progress {
            progress(TransferProgress {
                sending,
                packs,
                of,
                bytes,
            });
        }
    }
}

/// Parts of a list that are handled at once: few, and not too large together.
fn batches<'l, T>(all: &'l [T], size: impl Fn(&T) -> u64 + 'l) -> impl Iterator<Item = &'l [T]> {
    let mut rest = all;
    std::iter::from_fn(move || {
        let mut bytes = 0u64;
        let fitting = rest.iter().take(AT_ONCE).take_while(|item| {
            bytes = bytes.saturating_add(size(item));
            bytes <= BYTES_AT_ONCE
        });
        let count = fitting.count().max(1).min(rest.len());
        let (batch, left) = rest.split_at(count);
        rest = left;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_fits_in_memory() {
        let sizes = [1, 2, BYTES_AT_ONCE + 5, 3, BYTES_AT_ONCE - 4, 5];
        let parts: Vec<Vec<u64>> = batches(&sizes, |size| *size).map(<[u64]>::to_vec).collect();
        let expected: [&[u64]; 4] = [&[1, 2], &[BYTES_AT_ONCE + 5], &[3, BYTES_AT_ONCE - 4], &[5]];
        assert_eq!(parts, expected);
        assert_eq!(batches(&[1u64; 20], |size| *size).count(), 3);
    }
}
