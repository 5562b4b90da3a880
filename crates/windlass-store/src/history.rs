//! How documents are stored: the document, and the changes since.
//!
//! A write adds its change; now and then the changes are folded into the document. A document keeps
//! every change that other clones may have, because their work may build on it. The changes that no
//! other clone has yet are replaced by one with the same result when they have become many: else a
//! note that is rewritten again and again would keep every text that it ever had.

use rusqlite::Connection;
use windlass_core::{EntityId, Result};

use crate::document::Document;
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::store::{Store, fresh_peer};
use crate::writer::Writer;

/// Changes beside a document before they are folded into it: loading it imports each.
const MOST_CHANGES: usize = 32;
/// Their bytes, if the document is smaller.
const FEWEST_BYTES: usize = 16 << 10;

/// Changes that no other clone has, before they are replaced by one.
const MOST_UNSEALED: usize = 256;
/// The same in bytes: so many times what they take if they are one, and so many more.
const GROWTH: u64 = 3;
const MOST_UNSEALED_BYTES: u64 = 64 << 10;

/// How the document of a row is stored.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stored {
    /// The bytes of the document itself.
    document: usize,
    /// How many changes are beside it, and their bytes.
    changes: usize,
    bytes: usize,
}

impl Stored {
    fn has_room_for(self, change: usize) -> bool {
        self.changes < MOST_CHANGES && self.bytes + change <= self.document.max(FEWEST_BYTES)
    }
}

/// The changes of an entity that no other clone has.
struct Unsealed {
    updates: Vec<Vec<u8>>,
}

impl Unsealed {
    fn of(connection: &Connection, id: &EntityId) -> Result<Self> {
        let updates = connection
            .prepare_cached(
                "SELECT changes FROM outbox
                 WHERE id = ?1 AND seq > (SELECT through FROM sealed) ORDER BY seq",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([id.as_str()], |row| row.get(0))?
                    .collect()
            })
            .stored()?;
        Ok(Self { updates })
    }

    /// The first is all there was when they were last replaced.
    fn are_many(connection: &Connection, id: &EntityId) -> Result<bool> {
        let lengths: Vec<u32> = connection
            .prepare_cached(
                "SELECT length(changes) FROM outbox
                 WHERE id = ?1 AND seq > (SELECT through FROM sealed) ORDER BY seq",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([id.as_str()], |row| row.get(0))?
                    .collect()
            })
            .stored()?;
        let first = u64::from(lengths.first().copied().unwrap_or(0));
        let all: u64 = lengths.iter().copied().map(u64::from).sum();
        Ok(lengths.len() > MOST_UNSEALED || all > first * GROWTH + MOST_UNSEALED_BYTES)
    }
}

impl Store {
    /// Replaces the changes that no other clone has by one for each entity. Returns of how many.
    pub fn fold_histories(&self, origin: &windlass_core::Origin) -> Result<usize> {
        self.write(origin, |writer| {
            let ids: Vec<String> = writer
                .connection()
                .prepare(
                    "SELECT id FROM outbox WHERE seq > (SELECT through FROM sealed)
                     GROUP BY id HAVING count(*) > 1 ORDER BY id",
                )
                .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
                .stored()?;
            for id in &ids {
                let id = EntityId::from_stored(id);
                let (row, document) = writer.load_document(&id)?;
                writer.replace_unsealed(row, &id, &document)?;
            }
            Ok(ids.len())
        })
    }

    /// How many bytes the document of an entity takes, with all its changes and those that wait to
    /// be sent.
    pub fn history_bytes(&self, id: &EntityId) -> Result<u64> {
        self.read(None, |reader| {
            let bytes: i64 = reader
                .connection()
                .query_row(
                    "SELECT length(d.document)
                         + ifnull((SELECT sum(length(changes)) FROM document_updates u WHERE u.row = e.row), 0)
                         + ifnull((SELECT sum(length(changes)) FROM outbox o WHERE o.id = e.id), 0)
                     FROM entities e JOIN documents d USING (row) WHERE e.id = ?1",
                    [id.as_str()],
                    |row| row.get(0),
                )
                .stored()?;
            Ok(u64::try_from(bytes).unwrap_or(0))
        })
    }
}

impl Reader<'_> {
    /// The document of a row, and how it is stored.
    pub(crate) fn document_in(&self, row: i64, peer: u64) -> Result<Document> {
        let (bytes, changes) = self.document_parts(row)?;
        let mut document = Document::load(&bytes, &changes, peer)?;
        document.stored = Stored {
            document: bytes.len(),
            changes: changes.len(),
            bytes: changes.iter().map(Vec::len).sum(),
        };
        Ok(document)
    }

    /// What the document of a row is loaded from: the document, and the changes since.
    pub(crate) fn document_parts(&self, row: i64) -> Result<(Vec<u8>, Vec<Vec<u8>>)> {
        let bytes: Vec<u8> = self
            .connection()
            .prepare_cached("SELECT document FROM documents WHERE row = ?1")
            .and_then(|mut statement| statement.query_row([row], |row| row.get(0)))
            .stored()?;
        let changes: Vec<Vec<u8>> = self
            .connection()
            .prepare_cached("SELECT changes FROM document_updates WHERE row = ?1 ORDER BY seq")
            .and_then(|mut statement| statement.query_map([row], |row| row.get(0))?.collect())
            .stored()?;
        Ok((bytes, changes))
    }
}

impl Writer<'_> {
    pub(crate) fn load_document(&self, id: &EntityId) -> Result<(i64, Document)> {
        let row = self
            .connection()
            .prepare_cached("SELECT row FROM entities WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([id.as_str()], |row| row.get(0)))
            .stored()?;
        Ok((row, self.document_in(row, self.peer.get())?))
    }

    /// Stores a changed document and queues the change for the other clones.
    pub(crate) fn save_document(&self, row: i64, id: &EntityId, document: &Document) -> Result<()> {
        let update = document.update()?;
        self.put_in_outbox(id, &update)?;
        if Unsealed::are_many(self.connection(), id)? {
            return self.replace_unsealed(row, id, document);
        }
        self.add_change(row, document, &update)
    }

    /// Stores what a document has got from other clones.
    pub(crate) fn store_merged(&self, row: i64, document: &Document) -> Result<()> {
        self.add_change(row, document, &document.update()?)
    }

    /// Stores a document that was not stored before.
    pub(crate) fn store_new(&self, row: i64, all_updates: &[u8]) -> Result<()> {
        self.connection()
            .prepare_cached("INSERT INTO documents (row, document) VALUES (?1, ?2)")
            .and_then(|mut statement| statement.execute((row, all_updates)))
            .stored()?;
        Ok(())
    }

    fn add_change(&self, row: i64, document: &Document, change: &[u8]) -> Result<()> {
        if !document.stored.has_room_for(change.len()) {
            return self.fold(row, document);
        }
        self.connection()
            .prepare_cached("INSERT INTO document_updates (row, changes) VALUES (?1, ?2)")
            .and_then(|mut statement| statement.execute((row, change)))
            .stored()?;
        Ok(())
    }

    fn fold(&self, row: i64, document: &Document) -> Result<()> {
        let snapshot = document.snapshot()?;
        self.connection()
            .prepare_cached("UPDATE documents SET document = ?2 WHERE row = ?1")
            .and_then(|mut statement| statement.execute((row, snapshot)))
            .stored()?;
        self.connection()
            .prepare_cached("DELETE FROM document_updates WHERE row = ?1")
            .and_then(|mut statement| statement.execute([row]))
            .stored()?;
        Ok(())
    }

    /// Replaces the changes that no other clone has by one with the same result.
    fn replace_unsealed(&self, row: i64, id: &EntityId, document: &Document) -> Result<()> {
        let connection = self.connection();
        let unsealed = Unsealed::of(connection, id)?;
        let peer = fresh_peer();
        let Some(replaced) = document.replacing(&unsealed.updates, peer)? else {
            return self.fold(row, document);
        };
        connection
            .prepare_cached(
                "DELETE FROM outbox WHERE id = ?1 AND seq > (SELECT through FROM sealed)",
            )
            .and_then(|mut statement| statement.execute([id.as_str()]))
            .stored()?;
        self.put_in_outbox(id, &replaced.update()?)?;
        self.fold(row, &replaced)?;
        connection
            .prepare_cached("UPDATE rewrites SET count = count + 1")
            .and_then(|mut statement| statement.execute([]))
            .stored()?;
        self.peer.set(fresh_peer());
        Ok(())
    }
}
