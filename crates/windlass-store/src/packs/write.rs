//! The outbox becomes a pack.

use rusqlite::Row;
use rusqlite::types::FromSqlError;
use uuid::Uuid;
use windlass_core::{EntityId, Error, Origin, Result};

use crate::error::StorageContext as _;
use crate::exchange::ImportReport;
use crate::packs::Pack;
use crate::packs::format::{BodyWriter, pack_of};
use crate::store::Store;
use crate::writer::Writer;

/// More than this goes into several packs: forges refuse large files.
const MOST_BYTES: usize = 48 << 20;

/// Fewer changes to an entity stay as they are: joining takes its document, and a sync of many
/// entities should not take all of theirs.
const FEWEST_TO_JOIN: usize = 32;

/// A pack of what the outbox had.
#[derive(Debug, Clone)]
pub struct OutgoingPack {
    pub pack: Pack,
    /// How many entities have changes in it.
    pub entities: usize,
}

impl Store {
    /// The changes that are in no pack yet become one, which the state keeps from then on: whoever has
    /// to have it can get it from there. `None` if there are none. If there are very many changes, the
    /// next call has more of them.
    pub fn pack_outbox(&self, origin: &Origin) -> Result<Option<OutgoingPack>> {
        self.write(origin, |writer| writer.pack_outbox())
    }

    /// Everything that changed here becomes packs. Returns how many.
    pub fn pack_all(&self, origin: &Origin) -> Result<usize> {
        let mut packs = 0;
        while self.pack_outbox(origin)?.is_some() {
            packs += 1;
        }
        Ok(packs)
    }
}

impl Writer<'_> {
    fn pack_outbox(&self) -> Result<Option<OutgoingPack>> {
        self.carry_older_rows()?;
        // The process that imported may have ended before it came to this.
        self.settle(&mut ImportReport::default())?;
        self.flush_carried()?;
        let mut outbox = self.outbox_within(MOST_BYTES)?;
        // Those of each entity together, in their order.
        outbox
            .changes
            .sort_unstable_by_key(|it| (it.id.as_u128(), it.begin));
        let mut journal = self.unpacked_journal()?;
        if outbox.changes.is_empty() && journal.is_empty() {
            return Ok(None);
        }
        let same = |one: &Change, other: &Change| one.id == other.id;
        let entities: Vec<&[Change]> = outbox.changes.chunk_by(same).collect();
        let joined = entities.iter().map(|changes| self.joined(&outbox, changes));
        let joined = joined.collect::<Result<Vec<_>>>()?;
        journal.sort();
        let write = |body: &mut BodyWriter<'_>| {
            body.replaces([])?;
            body.count(entities.len())?;
            for (changes, joined) in entities.iter().zip(&joined) {
                if let Some(joined) = joined {
                    body.entity(changes[0].id, [joined.as_slice()])?;
                } else {
                    let updates = changes.iter().map(|change| outbox.update(change));
                    body.entity(changes[0].id, updates)?;
                }
            }
            body.journal(&journal)
        };
        // Compressing takes the longest, and needs nothing of the database.
        let pack = std::thread::scope(|threads| {
            let packing = threads.spawn(|| pack_of(write).map(Pack::new));
            self.remove_from_outbox(outbox.through)?;
            self.mark_journal_packed(&journal)?;
            let packed = packing.join();
            packed.unwrap_or_else(|_| Err(Error::internal("compressing a pack panicked")))
        })?;
        self.keep_pack(&pack.name, &pack.bytes)?;
        Ok(Some(OutgoingPack {
            pack,
            entities: entities.len(),
        }))
    }

    /// Many changes as one: it is shorter and faster to import. Only for all of an entity's
    /// changes in the outbox, because the document has all of them.
    fn joined(&self, outbox: &PartOfOutbox, changes: &[Change]) -> Result<Option<Vec<u8>>> {
        if changes.len() < FEWEST_TO_JOIN || !outbox.is_all {
            return Ok(None);
        }
        let id = EntityId::from_stored(changes[0].id.to_string());
        let updates: Vec<Vec<u8>> = changes
            .iter()
            .map(|change| outbox.update(change).to_vec())
            .collect();
        let (_, document) = self.load_document(&id)?;
        document.joined(&updates)
    }

    /// The oldest changes of the outbox up to a number of bytes.
    fn outbox_within(&self, most_bytes: usize) -> Result<PartOfOutbox> {
        let mut statement = self
            .connection()
            .prepare_cached("SELECT seq, id, changes FROM outbox ORDER BY seq")
            .stored()?;
        let mut rows = statement.query([]).stored()?;
        let mut outbox = PartOfOutbox::default();
        while let Some(row) = rows.next().stored()? {
            if outbox.bytes.len() > most_bytes {
                return Ok(outbox);
            }
            outbox.add(row).stored()?;
        }
        outbox.is_all = true;
        Ok(outbox)
    }
}

/// Changes of the outbox in one piece of memory.
#[derive(Default)]
struct PartOfOutbox {
    bytes: Vec<u8>,
    changes: Vec<Change>,
    /// The place of the last one.
    through: i64,
    /// Whether the outbox has no more.
    is_all: bool,
}

/// Where an update is in the bytes.
struct Change {
    id: Uuid,
    begin: usize,
    end: usize,
}

impl PartOfOutbox {
    fn add(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let id = Uuid::parse_str(row.get_ref(1)?.as_str()?).map_err(FromSqlError::other)?;
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(row.get_ref(2)?.as_blob()?);
        let end = self.bytes.len();
        self.changes.push(Change { id, begin, end });
        self.through = row.get(0)?;
        Ok(())
    }

    fn update(&self, change: &Change) -> &[u8] {
        &self.bytes[change.begin..change.end]
    }
}
