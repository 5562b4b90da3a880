//! Whether one pack has everything that another one has. A pack that says it replaces others is
//! believed only as far as that is so: else a wrong one would make clones throw changes away.

use std::collections::BTreeMap;

use windlass_core::Result;

use crate::document::changes_of;
use crate::packs::format::Content;

/// Changes by their author: ranges that do not touch, in order.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    by_peer: BTreeMap<u64, Vec<(i32, i32)>>,
}

impl Ranges {
    pub(crate) fn of<'u>(updates: impl IntoIterator<Item = &'u Vec<u8>>) -> Result<Self> {
        let mut ranges = Self::default();
        for update in updates {
            for (peer, from, to) in changes_of(update)? {
                ranges.by_peer.entry(peer).or_default().push((from, to));
            }
        }
        for parts in ranges.by_peer.values_mut() {
            parts.sort_unstable();
            let mut joined: Vec<(i32, i32)> = Vec::new();
            for (from, to) in parts.drain(..) {
                match joined.last_mut() {
                    Some(last) if from <= last.1 => last.1 = last.1.max(to),
                    _ => joined.push((from, to)),
                }
            }
            *parts = joined;
        }
        Ok(ranges)
    }

    pub(crate) fn include(&self, other: &Self) -> bool {
        other.by_peer.iter().all(|(peer, parts)| {
            let own = self.by_peer.get(peer).map_or(&[][..], Vec::as_slice);
            parts
                .iter()
                .all(|(from, to)| own.iter().any(|have| have.0 <= *from && *to <= have.1))
        })
    }
}

impl Content {
    /// Whether this content has all changes and entries of the other.
    pub(crate) fn covers(&self, other: &Self) -> Result<bool> {
        if !other.journal.is_subset(&self.journal) {
            return Ok(false);
        }
        for (id, theirs) in &other.entities {
            let Some(own) = self.entities.get(id) else {
                return Ok(false);
            };
            if !Ranges::of(own)?.include(&Ranges::of(theirs)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
