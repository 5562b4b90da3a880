//! The outbox becomes a pack.

use std::collections::BTreeMap;

use windlass_core::{EntityId, Origin, Result};

use crate::error::StorageContext as _;
use crate::exchange::{ImportReport, Update};
use crate::journal::JournalEntry;
use crate::packs::Pack;
use crate::packs::format::{Content, encode};
use crate::packs::kept::Standing;
use crate::store::Store;
use crate::writer::Writer;

/// More than this goes into several packs: forges refuse large files.
const MOST_BYTES: usize = 48 << 20;

/// Fewer changes to an entity stay as they are: joining takes its document, and a sync of many
/// entities should not take all of theirs.
const FEWEST_TO_JOIN: usize = 32;

/// What the outbox had, as a pack that is not stored yet.
#[derive(Debug, Clone)]
pub struct OutgoingPack {
    pub pack: Pack,
    /// The last change of the outbox that is in it.
    pub through: i64,
    /// How many entities have changes in it.
    pub entities: usize,
    journal: Vec<JournalEntry>,
}

impl Store {
    /// All changes that are in no pack yet as one pack; `None` if there are none. Nothing is removed
    /// from the outbox: call [`Store::pack_written`] when the pack is where it belongs. If there are
    /// very many changes, the next call has more of them.
    pub fn next_pack(&self, origin: &Origin) -> Result<Option<OutgoingPack>> {
        self.write(origin, |writer| writer.next_pack())
    }

    /// Removes from the outbox what is in the pack, and keeps the pack.
    pub fn pack_written(&self, origin: &Origin, outgoing: &OutgoingPack) -> Result<()> {
        self.write(origin, |writer| {
            writer.remove_from_outbox(outgoing.through)?;
            writer.mark_journal_packed(&outgoing.journal)?;
            let Pack { name, bytes } = &outgoing.pack;
            match writer.standing_of(name)? {
                Some(Standing::Known | Standing::Replaced) => Ok(()),
                Some(Standing::Claimed) | None => writer.keep_pack(name, bytes),
            }
        })
    }
}

impl Writer<'_> {
    fn next_pack(&self) -> Result<Option<OutgoingPack>> {
        self.carry_older_rows()?;
        // The process that imported may have ended before it came to this.
        self.settle(&mut ImportReport::default())?;
        self.flush_carried()?;
        // From now on other clones may have these changes: they stay as they are.
        self.seal()?;
        let (updates, through, is_all) = self.outbox_within(MOST_BYTES)?;
        let journal = self.unpacked_journal()?;
        if updates.is_empty() && journal.is_empty() {
            return Ok(None);
        }
        let mut entities: BTreeMap<EntityId, Vec<Vec<u8>>> = BTreeMap::new();
        for Update { id, changes } in updates {
            entities.entry(id).or_default().push(changes);
        }
        if is_all {
            for (id, updates) in &mut entities {
                self.join(id, updates)?;
            }
        }
        let count = entities.len();
        let content = Content {
            entities,
            journal: journal.iter().cloned().collect(),
            ..Content::default()
        };
        Ok(Some(OutgoingPack {
            pack: Pack::new(encode(&content)?),
            through,
            entities: count,
            journal,
        }))
    }

    /// Many changes as one: it is shorter and faster to import. Only for all of an entity's
    /// changes in the outbox, because the document has all of them.
    fn join(&self, id: &EntityId, updates: &mut Vec<Vec<u8>>) -> Result<()> {
        if updates.len() < FEWEST_TO_JOIN {
            return Ok(());
        }
        let (_, document) = self.load_document(id)?;
        if let Some(joined) = document.joined(updates)? {
            *updates = vec![joined];
        }
        Ok(())
    }

    /// The oldest changes of the outbox up to a number of bytes, the last one's place, and whether
    /// these are all.
    fn outbox_within(&self, most_bytes: usize) -> Result<(Vec<Update>, i64, bool)> {
        let mut statement = self
            .connection()
            .prepare_cached("SELECT seq, id, changes FROM outbox ORDER BY seq")
            .stored()?;
        let mut rows = statement.query([]).stored()?;
        let (mut updates, mut through, mut bytes) = (Vec::new(), 0, 0);
        while let Some(row) = rows.next().stored()? {
            if bytes > most_bytes {
                return Ok((updates, through, false));
            }
            through = row.get(0).stored()?;
            let changes: Vec<u8> = row.get(2).stored()?;
            bytes += changes.len();
            updates.push(Update {
                id: EntityId::from_stored(row.get::<_, String>(1).stored()?),
                changes,
            });
        }
        Ok((updates, through, true))
    }
}
