//! Many packs become one. It names those that it contains, so that clones which have them need not
//! keep both.
//!
//! The result depends only on the packs. It has the full history: a clone that still writes on top
//! of the old ones can be merged at any time, and of two clones that do this at once each result
//! stands for itself until the next compaction.

use std::collections::BTreeMap;

use windlass_core::{EntityId, Error, Origin, Result};

use crate::document::Document;
use crate::packs::Pack;
use crate::packs::coverage::Ranges;
use crate::packs::format::{Content, MAX_BODY_BYTES, decode, encode};
use crate::packs::kept::Standing;
use crate::store::{Store, fresh_peer};

/// Packs with more than this together stay as they are: one pack must remain readable.
const MOST_BYTES: usize = MAX_BODY_BYTES / 4;

impl Store {
    /// Replaces all known packs by one. `None` if there are fewer than two.
    pub fn compact(&self, origin: &Origin) -> Result<Option<Pack>> {
        self.write(origin, |writer| {
            let names = writer.packs_that_are(Standing::Known)?;
            if names.len() < 2 {
                return Ok(None);
            }
            let mut joined = Content::default();
            let mut bytes = 0;
            for name in &names {
                let content = writer.pack_bytes(name)?.unwrap_or_default();
                bytes += content.len();
                let content = decode(&content).map_err(|problem| {
                    Error::storage(format!(
                        "The pack {} in the state cannot be read: {problem:?}",
                        name.short()
                    ))
                })?;
                add(&mut joined, content);
            }
            if bytes > MOST_BYTES {
                return Ok(None);
            }
            joined.replaces.extend(names.iter().cloned());
            join_updates(&mut joined.entities)?;
            let pack = Pack::new(encode(&joined)?);
            writer.keep_pack(&pack.name, &pack.bytes)?;
            for name in &names {
                writer.set_standing(name, Standing::Replaced)?;
            }
            Ok(Some(pack))
        })
    }
}

fn add(joined: &mut Content, content: Content) {
    joined.replaces.extend(content.replaces);
    joined.journal.extend(content.journal);
    for (id, updates) in content.entities {
        let known = joined.entities.entry(id).or_default();
        for update in updates {
            if !known.contains(&update) {
                known.push(update);
            }
        }
    }
}

/// One update for each entity, and beside it those that depend on changes which are in no pack. What
/// Loro cannot join stays as it came.
fn join_updates(entities: &mut BTreeMap<EntityId, Vec<Vec<u8>>>) -> Result<()> {
    for updates in entities.values_mut().filter(|updates| updates.len() > 1) {
        // Independent of the order in which the packs came.
        updates.sort();
        let document = Document::empty(fresh_peer())?;
        if let Ok(joined) = joined(&document, updates) {
            *updates = joined;
        }
    }
    Ok(())
}

fn joined(document: &Document, updates: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
    for update in updates {
        document.import(update)?;
    }
    let all = document.all_updates()?;
    let included = Ranges::of([&all])?;
    let mut joined = vec![all];
    for update in updates {
        if !included.include(&Ranges::of([update])?) {
            joined.push(update.clone());
        }
    }
    Ok(joined)
}
