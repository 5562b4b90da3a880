//! Questions about packs that change nothing.

use std::time::{Duration, Instant};

use windlass_core::Result;

use crate::connection;
use crate::error::StorageContext as _;
use crate::packs::format::{Unreadable, decode};
use crate::packs::{PackName, PackOutcome};
use crate::store::{StateReader, Store};

pub(crate) const NOT_ITS_NAME: &str =
    "its content is not the one that its name stands for: it is incomplete, or was changed";

/// Why a pack could not be imported; none if it could, or was.
pub fn examine_pack(name: &PackName, bytes: &[u8]) -> Option<PackOutcome> {
    if PackName::of(bytes) != *name {
        return Some(PackOutcome::Foreign {
            reason: NOT_ITS_NAME.to_owned(),
        });
    }
    Some(match decode(bytes) {
        Ok(_) => return None,
        Err(Unreadable::Foreign(reason)) => PackOutcome::Foreign { reason },
        Err(Unreadable::Newer(version)) => PackOutcome::Newer { version },
        Err(Unreadable::Damaged(reason)) => PackOutcome::Damaged { reason },
    })
}

/// Runs `work`, in which nothing waits longer than this for processes that write.
pub fn wait_for_locks_at_most<T>(limit: Duration, work: impl FnOnce() -> T) -> T {
    let _waiting = connection::wait_for_locks_until(Some(Instant::now() + limit));
    work()
}

impl Store {
    /// The known packs with the lengths of their files.
    pub fn known_pack_lengths(&self) -> Result<Vec<(PackName, u64)>> {
        self.read(None, |reader| {
            reader
                .connection()
                .prepare_cached(
                    "SELECT name, length(bytes) FROM packs WHERE standing = 'known' ORDER BY name",
                )
                .and_then(|mut statement| {
                    let rows = statement.query_map([], |row| {
                        let length: Option<i64> = row.get(1)?;
                        let length = length.and_then(|length| u64::try_from(length).ok());
                        Ok((PackName(row.get(0)?), length.unwrap_or(0)))
                    })?;
                    rows.collect()
                })
                .stored()
        })
    }
}

impl StateReader {
    /// See [`Store::known_packs`].
    pub fn known_packs(&self) -> Result<Vec<PackName>> {
        self.store.known_packs()
    }

    /// See [`Store::replaced_packs`].
    pub fn replaced_packs(&self) -> Result<Vec<PackName>> {
        self.store.replaced_packs()
    }

    /// How many changes and journal entries are in no pack.
    pub fn unpacked_changes(&self) -> Result<usize> {
        self.store.read(None, |reader| {
            reader
                .connection()
                .query_row(
                    "SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM journal WHERE packed = 0)",
                    [],
                    |row| row.get::<_, i64>(0),
                )
                .stored()
                .map(|count| usize::try_from(count).unwrap_or(usize::MAX))
        })
    }
}
