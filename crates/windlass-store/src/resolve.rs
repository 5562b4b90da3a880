//! Resolves what a caller typed to an entity.

use rusqlite::OptionalExtension as _;
use windlass_core::{Entity, EntityId, EntityRef, Error, ErrorKind, Result};

use crate::entities::{ENTITY_COLUMNS, entity_from_row};
use crate::error::StorageContext as _;
use crate::reader::Reader;

/// How many candidates an ambiguous prefix lists.
const CANDIDATES: usize = 10;

impl Reader<'_> {
    /// The entity that `text` refers to by number, id or id prefix, if it is not deleted.
    pub fn resolve(&self, field: &str, text: &str) -> Result<EntityId> {
        let id = match EntityRef::parse(field, text)? {
            EntityRef::Number(number) => match self.by_number(number)? {
                Some(id) => Some(id),
                // Eight digits can be a number or the start of an id; the number is tried first.
                None if text.trim().len() >= windlass_core::MIN_PREFIX => {
                    self.by_prefix(text.trim())?
                }
                None => None,
            },
            EntityRef::Prefix(prefix) => self.by_prefix(&prefix)?,
        };
        id.ok_or_else(|| Error::entity_not_found(text.trim()))
    }

    /// The same with all fields. A number, the usual way to refer to an entity, takes one query.
    pub fn named(&self, field: &str, text: &str) -> Result<Entity> {
        if let EntityRef::Number(number) = EntityRef::parse(field, text)?
            && let Some(entity) = self.numbered(number)?
        {
            return Ok(entity);
        }
        self.entity(&self.resolve(field, text)?)
    }

    fn numbered(&self, number: i64) -> Result<Option<Entity>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS} FROM entities e WHERE e.number = ?1 AND e.deleted = 0"
            ))
            .and_then(|mut statement| statement.query_row([number], entity_from_row).optional())
            .stored()
    }

    fn by_number(&self, number: i64) -> Result<Option<EntityId>> {
        let find = |sql: &str| {
            self.connection()
                .prepare_cached(sql)
                .and_then(|mut statement| {
                    statement
                        .query_row([number], |row| row.get::<_, String>(0))
                        .optional()
                })
                .stored()
        };
        let owner = find("SELECT id FROM entities WHERE number = ?1 AND deleted = 0")?;
        let found = match owner {
            Some(id) => Some(id),
            None => find(
                "SELECT e.id FROM aliases a JOIN entities e ON e.id = a.id
                 WHERE a.number = ?1 AND e.deleted = 0 ORDER BY e.created_at, e.id LIMIT 1",
            )?,
        };
        Ok(found.map(EntityId::from_stored))
    }

    fn by_prefix(&self, prefix: &str) -> Result<Option<EntityId>> {
        // Hex digits and dashes sort before "g", so a prefix is a range of the index.
        let found: Vec<(String, i64, String)> = self
            .connection()
            .prepare_cached(
                "SELECT id, number, title FROM entities
                 WHERE id >= ?1 AND id < ?1 || 'g' AND deleted = 0 ORDER BY number LIMIT ?2",
            )
            .and_then(|mut statement| {
                statement
                    .query_map(
                        (prefix, i64::try_from(CANDIDATES + 1).unwrap_or(0)),
                        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
                    )?
                    .collect()
            })
            .stored()?;
        match found.as_slice() {
            [] => Ok(None),
            [(id, ..)] => Ok(Some(EntityId::from_stored(id))),
            several => Err(ambiguous(prefix, several)),
        }
    }
}

fn ambiguous(prefix: &str, found: &[(String, i64, String)]) -> Error {
    let more = if found.len() > CANDIDATES {
        " and more"
    } else {
        ""
    };
    let shown = &found[..found.len().min(CANDIDATES)];
    let names: Vec<String> = shown
        .iter()
        .map(|(id, number, title)| format!("#{number} {id} ({title})"))
        .collect();
    let candidates: Vec<serde_json::Value> = shown
        .iter()
        .map(|(id, number, title)| {
            serde_json::json!({"id": id, "sequence_number": number, "title": title})
        })
        .collect();
    Error::new(
        ErrorKind::AmbiguousId,
        format!(
            "\"{prefix}\" matches more than one entity: {}{more}",
            names.join(", ")
        ),
    )
    .with("id", prefix)
    .with("candidates", candidates)
    .with_hint("Give more digits of the id, or the number.")
}
