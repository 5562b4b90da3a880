//! Vectors of texts, and which texts wait for theirs. What a vector means, and how it is made, is
//! known elsewhere: here it is a number of bytes beside the row of an entity.

use std::collections::BTreeMap;
use std::ops::Range;

use rusqlite::{OptionalExtension as _, Row};
use sha2::{Digest as _, Sha256};
use windlass_core::{Entity, EntityId, EntityType, Error, Result, Timestamp, hexadecimal};

use crate::entities::{ENTITY_COLUMNS, entity_from_row};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// An entity whose text has no vectors yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Unembedded {
    /// Stands for this text: a change gives the entity another one.
    pub ticket: i64,
    pub entity: Entity,
}

/// A piece of a text, and its vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedPiece {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    pub vector: Vec<u8>,
}

/// Where a vector belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorPlace {
    pub number: i64,
    /// The row of the entity.
    pub row: i64,
    pub bytes: Range<usize>,
}

/// The file that has the vectors up to a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorFile {
    pub name: String,
    pub last: i64,
}

/// What a text that is not an entity is called among the vectors.
pub fn text_digest(text: &str) -> String {
    let mut digest = hexadecimal(&Sha256::digest(text.trim().as_bytes()));
    digest.truncate(32);
    digest
}

impl Reader<'_> {
    /// Entities that wait for vectors, those that changed last first.
    pub fn unembedded(&self, limit: u32) -> Result<Vec<Unembedded>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS}, q.ticket FROM to_embed q
                 CROSS JOIN entities e ON e.row = q.row AND e.deleted = 0
                 ORDER BY q.ticket DESC LIMIT ?1"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map([limit], |row| {
                        Ok(Unembedded {
                            entity: entity_from_row(row)?,
                            ticket: row.get(10)?,
                        })
                    })?
                    .collect()
            })
            .stored()
    }

    /// How many entities wait for vectors.
    pub fn unembedded_count(&self) -> Result<u64> {
        self.count("SELECT count(*) FROM to_embed")
    }

    /// How many vectors there are.
    pub fn vector_count(&self) -> Result<u64> {
        self.count("SELECT count(*) FROM vectors")
    }

    fn count(&self, sql: &str) -> Result<u64> {
        let count: i64 = self
            .connection()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .stored()?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// The model that all vectors are of; empty if there are none.
    pub fn vector_model(&self) -> Result<String> {
        self.connection()
            .prepare_cached("SELECT model FROM embedding")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .stored()
    }

    /// Who makes vectors, or did last; empty if nobody does.
    pub fn embedding_owner(&self) -> Result<String> {
        self.connection()
            .prepare_cached("SELECT owner FROM embedding")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .stored()
    }

    /// The file that has the vectors up to a number, if one was made.
    pub fn vector_file(&self) -> Result<Option<VectorFile>> {
        self.connection()
            .prepare_cached("SELECT file, last FROM embedding WHERE file IS NOT NULL")
            .and_then(|mut statement| {
                statement
                    .query_row([], |row| {
                        Ok(VectorFile {
                            name: row.get(0)?,
                            last: row.get(1)?,
                        })
                    })
                    .optional()
            })
            .stored()
    }

    /// The greatest number that a vector was given, whether it is still there or not.
    pub fn last_vector(&self) -> Result<i64> {
        self.connection()
            .prepare_cached(
                "SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'vectors'), 0)",
            )
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .stored()
    }

    /// Hands on every vector with a greater number, by number.
    pub fn each_vector(
        &self,
        after: i64,
        mut each: impl FnMut(i64, EntityType, &[u8]),
    ) -> Result<()> {
        let mut statement = self
            .connection()
            .prepare_cached(
                "SELECT number, type, vector FROM vectors WHERE number > ?1 ORDER BY number",
            )
            .stored()?;
        let mut rows = statement.query([after]).stored()?;
        while let Some(row) = rows.next().stored()? {
            let kind = row.get_ref(1).stored()?.as_str().unwrap_or_default();
            let vector = row.get_ref(2).stored()?.as_blob();
            if let (Ok(kind), Ok(vector)) = (EntityType::parse(kind), vector) {
                each(row.get(0).stored()?, kind, vector);
            }
        }
        Ok(())
    }

    /// Where vectors belong. Those that are not there any more are left out.
    pub fn vector_places(&self, numbers: &[i64]) -> Result<BTreeMap<i64, VectorPlace>> {
        let mut statement = self
            .connection()
            .prepare_cached("SELECT number, row, first, last FROM vectors WHERE number = ?1")
            .stored()?;
        let mut places = BTreeMap::new();
        for number in numbers {
            let place = statement.query_row([number], place_from_row).optional();
            places.extend(place.stored()?.map(|place| (*number, place)));
        }
        Ok(places)
    }

    /// The vectors of an entity's text, piece by piece.
    pub fn vectors_of(&self, id: &EntityId) -> Result<Vec<Vec<u8>>> {
        self.connection()
            .prepare_cached(
                "SELECT v.vector FROM entities e JOIN vectors v USING (row)
                 WHERE e.id = ?1 ORDER BY v.number",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([id.as_str()], |row| row.get(0))?
                    .collect()
            })
            .stored()
    }

    /// The entity in a row; `None` if it was deleted.
    pub fn entity_in(&self, row: i64) -> Result<Option<Entity>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS} FROM entities e WHERE e.row = ?1 AND e.deleted = 0"
            ))
            .and_then(|mut statement| statement.query_row([row], entity_from_row).optional())
            .stored()
    }

    /// The row of an entity.
    pub fn entity_row(&self, id: &EntityId) -> Result<i64> {
        self.connection()
            .prepare_cached("SELECT row FROM entities WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([id.as_str()], |row| row.get(0)))
            .stored()
    }

    /// The vector of a text that is not an entity.
    pub fn text_vector(&self, text: &str) -> Result<Option<Vec<u8>>> {
        self.connection()
            .prepare_cached("SELECT vector FROM text_vectors WHERE digest = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([text_digest(text)], |row| row.get(0))
                    .optional()
            })
            .stored()
    }

    /// The learnings of tasks and features, with the entity that each belongs to: its row, the number
    /// of the learning, and its body.
    pub fn all_learnings(&self) -> Result<Vec<(Entity, i64, serde_json::Value)>> {
        let rows: Vec<(Entity, i64, String)> = self
            .connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS}, r.number, r.body FROM records r
                 CROSS JOIN entities e ON e.row = r.row AND e.deleted = 0
                 WHERE r.collection = 'learnings' AND r.body IS NOT NULL
                 ORDER BY e.number, r.number"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        Ok((entity_from_row(row)?, row.get(10)?, row.get(11)?))
                    })?
                    .collect()
            })
            .stored()?;
        rows.into_iter()
            .map(|(entity, number, body)| {
                let body = serde_json::from_str(&body)
                    .map_err(|problem| Error::storage(format!("A record is damaged: {problem}")))?;
                Ok((entity, number, body))
            })
            .collect()
    }
}

fn place_from_row(row: &Row<'_>) -> rusqlite::Result<VectorPlace> {
    let place = |at: usize| -> rusqlite::Result<usize> {
        let byte: i64 = row.get(at)?;
        Ok(usize::try_from(byte).unwrap_or(0))
    };
    Ok(VectorPlace {
        number: row.get(0)?,
        row: row.get(1)?,
        bytes: place(2)?..place(3)?,
    })
}

impl Writer<'_> {
    /// The text of a row is new: its old vectors are wrong from now on.
    pub(crate) fn queue_for_embedding(&self, row: i64) -> Result<()> {
        self.forget_vectors(row)?;
        self.run("INSERT OR REPLACE INTO to_embed (row) VALUES (?1)", row)
    }

    /// The text of a row is gone.
    pub(crate) fn forget_vectors(&self, row: i64) -> Result<()> {
        self.run("DELETE FROM vectors WHERE row = ?1", row)?;
        self.run("DELETE FROM to_embed WHERE row = ?1", row)
    }

    fn run(&self, sql: &str, row: i64) -> Result<()> {
        self.connection()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute([row]))
            .stored()?;
        Ok(())
    }

    /// Lets one process add vectors for so many milliseconds: a new one only if no other is at it.
    pub fn lease_embedding(&self, owner: &str, milliseconds: i64) -> Result<bool> {
        let now = Timestamp::now().as_millis();
        let taken = self
            .connection()
            .prepare_cached(
                "UPDATE embedding SET owner = ?1, expires_at = ?2
                 WHERE owner = ?1 OR expires_at < ?3 OR expires_at > ?3 + 600000",
            )
            .and_then(|mut statement| statement.execute((owner, now + milliseconds, now)))
            .stored()?;
        Ok(taken > 0)
    }

    /// Gives the lease back.
    pub fn end_embedding(&self, owner: &str) -> Result<()> {
        self.connection()
            .prepare_cached("UPDATE embedding SET owner = '', expires_at = 0 WHERE owner = ?1")
            .and_then(|mut statement| statement.execute([owner]))
            .stored()?;
        Ok(())
    }

    /// Says which model the vectors are of. Those of another one are dropped, and made again.
    pub fn use_vector_model(&self, model: &str) -> Result<()> {
        if self.vector_model()? == model {
            return Ok(());
        }
        let connection = self.connection();
        connection
            .execute_batch(
                "DELETE FROM vectors; DELETE FROM text_vectors; DELETE FROM to_embed;
                 INSERT INTO to_embed (row) SELECT row FROM entities WHERE deleted = 0 ORDER BY number;",
            )
            .stored()?;
        connection
            .execute(
                "UPDATE embedding SET model = ?1, file = NULL, last = 0",
                [model],
            )
            .stored()?;
        Ok(())
    }

    /// Stores the vectors of a text, unless it has changed since: then another ticket waits.
    pub fn store_vectors(&self, text: &Unembedded, pieces: &[EmbeddedPiece]) -> Result<bool> {
        let row = self.entity_row(&text.entity.id)?;
        let current = self
            .connection()
            .prepare_cached("DELETE FROM to_embed WHERE ticket = ?1 AND row = ?2")
            .and_then(|mut statement| statement.execute((text.ticket, row)))
            .stored()?;
        if current == 0 {
            return Ok(false);
        }
        self.run("DELETE FROM vectors WHERE row = ?1", row)?;
        let place = |byte: usize| i64::try_from(byte).unwrap_or(i64::MAX);
        for piece in pieces {
            self.connection()
                .prepare_cached(
                    "INSERT INTO vectors (row, type, first, last, vector)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )
                .and_then(|mut statement| {
                    statement.execute((
                        row,
                        text.entity.kind.name(),
                        place(piece.bytes.start),
                        place(piece.bytes.end),
                        &piece.vector,
                    ))
                })
                .stored()?;
        }
        Ok(true)
    }

    pub fn store_text_vector(&self, text: &str, vector: &[u8]) -> Result<()> {
        self.connection()
            .prepare_cached("INSERT OR REPLACE INTO text_vectors (digest, vector) VALUES (?1, ?2)")
            .and_then(|mut statement| statement.execute((text_digest(text), vector)))
            .stored()?;
        Ok(())
    }

    /// Says which file has the vectors. Returns the name of the one before.
    pub fn use_vector_file(&self, file: &VectorFile) -> Result<Option<String>> {
        let before = self.vector_file()?;
        self.connection()
            .prepare_cached("UPDATE embedding SET file = ?1, last = ?2")
            .and_then(|mut statement| statement.execute((&file.name, file.last)))
            .stored()?;
        Ok(before.map(|before| before.name))
    }
}
