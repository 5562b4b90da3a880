//! Entities that come from another tool or from an export, with their own times.
//!
//! Everything else is as for any other write: the same rules, one event each, and the change goes to
//! the other clones.

use rusqlite::OptionalExtension as _;
use serde_json::{Value as Json, json};
use windlass_core::{
    Dialect, Draft, Entity, EntityId, EntityType, EventType, Exported, ExportedRelation, Patch,
    Relation, RelationType, Result, Timestamp,
};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::records::{Collection, StoredRecord};
use crate::workflow::Mover;
use crate::writer::Writer;

/// What an import knows of an entity that others get when they are created.
#[derive(Debug, Clone)]
pub struct Imported<'a> {
    /// Where it comes from, for people: `beads bd-12`.
    pub from: &'a str,
    /// Its own id and number, if an export names them and they are free.
    pub id: Option<EntityId>,
    pub number: Option<i64>,
    pub former_numbers: &'a [i64],
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Its comments, its learnings and where it comes from, with their numbers.
    pub records: Vec<(Collection, i64, Json)>,
}

/// An entity that was imported before.
#[derive(Debug, Clone, PartialEq)]
pub enum Known {
    /// It exists, with what the last import recorded about it.
    Living(EntityId, Json),
    /// It was deleted here since.
    Deleted,
}

impl Reader<'_> {
    /// The entity that was imported from there under that id.
    pub fn imported(&self, source: &str, external_id: &str) -> Result<Option<Known>> {
        let living: Option<(String, String)> = self
            .connection()
            .prepare_cached(
                "SELECT e.id, r.body FROM records r JOIN entities e USING (row)
                 WHERE r.collection = 'origin' AND r.body ->> '$.source' = ?1
                     AND r.body ->> '$.id' = ?2 AND e.deleted = 0
                 ORDER BY e.created_at, e.id LIMIT 1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row((source, external_id), |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()
            })
            .stored()?;
        if let Some((id, body)) = living {
            let body = serde_json::from_str(&body).unwrap_or(Json::Null);
            return Ok(Some(Known::Living(EntityId::from_stored(id), body)));
        }
        let deleted: bool = self
            .connection()
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM imports i JOIN entities e ON e.id = i.entity
                 WHERE i.source = ?1 AND i.external_id = ?2 AND e.deleted = 1)",
            )
            .and_then(|mut statement| statement.query_row((source, external_id), |row| row.get(0)))
            .stored()?;
        Ok(deleted.then_some(Known::Deleted))
    }

    /// Whether an entity has or had that id: `Some(true)` if it was deleted.
    pub fn id_is_deleted(&self, id: &EntityId) -> Result<Option<bool>> {
        self.connection()
            .prepare_cached("SELECT deleted FROM entities WHERE id = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([id.as_str()], |row| row.get(0))
                    .optional()
            })
            .stored()
    }

    fn number_is_free(&self, number: i64) -> Result<bool> {
        self.connection()
            .prepare_cached(
                "SELECT NOT EXISTS (SELECT 1 FROM entities WHERE number = ?1)
                 AND NOT EXISTS (SELECT 1 FROM aliases WHERE number = ?1)",
            )
            .and_then(|mut statement| statement.query_row([number], |row| row.get(0)))
            .stored()
    }
}

impl Writer<'_> {
    /// Creates an entity with the times that it had elsewhere, and its records, in one change.
    pub fn create_imported(&self, draft: Draft, imported: &Imported<'_>) -> Result<Entity> {
        let number = match imported.number {
            Some(number) if self.number_is_free(number)? => number,
            _ => self.next_number()?,
        };
        let entity = Entity {
            id: imported.id.clone().unwrap_or_else(EntityId::random),
            number,
            kind: draft.kind,
            title: draft.title,
            content: draft.content,
            tags: draft.tags,
            properties: draft.properties,
            created_at: imported.created_at.clone(),
            updated_at: imported.updated_at.clone(),
            former_numbers: imported.former_numbers.to_vec(),
        };
        let records = imported.records.iter().map(|(collection, number, body)| {
            let key = uuid::Uuid::new_v4().simple().to_string();
            let record = StoredRecord {
                number: *number,
                body: Some(body.clone()),
            };
            ((collection.name().to_owned(), key), record)
        });
        self.insert_new(entity, &records.collect(), Some(imported.from))
    }

    /// Changes an entity as its source did, with the time of that change.
    pub fn update_imported(
        &self,
        id: &EntityId,
        patch: &Patch,
        updated_at: &Timestamp,
        from: &str,
    ) -> Result<Entity> {
        let before = self.entity(id)?;
        let mut after = self.checked_change(&before, patch, Dialect::Canonical)?;
        if after == before {
            return Ok(before);
        }
        self.check_lifecycle(&before, &after)?;
        after.updated_at = updated_at.max(&before.updated_at).clone();
        self.write_change(&before, &after, Some(from))?;
        self.after_status_change(&before, &after, Mover::Other)?;
        Ok(after)
    }

    /// Adds a relation with the time that it has elsewhere. Returns whether it is new.
    pub fn relate_imported(
        &self,
        source: &Entity,
        kind: RelationType,
        target: &Entity,
        created_at: Option<&Timestamp>,
    ) -> Result<(Relation, bool)> {
        let at = created_at.cloned().unwrap_or_else(Timestamp::now);
        self.relate_at(source, kind, target, at)
    }

    /// Remembers under which id an entity was imported, even after it is deleted.
    pub fn remember_import(
        &self,
        source: &str,
        external_id: &str,
        entity: &EntityId,
    ) -> Result<()> {
        self.connection()
            .prepare_cached(
                "INSERT OR REPLACE INTO imports (source, external_id, entity) VALUES (?1, ?2, ?3)",
            )
            .and_then(|mut statement| statement.execute((source, external_id, entity.as_str())))
            .stored()?;
        Ok(())
    }

    /// Adds an event about an import as a whole.
    pub fn note_import(&self, source: &str, counts: &Json) -> Result<()> {
        self.note(
            EventType::Imported,
            &json!({"imported_from": source, "counts": counts}),
        )
    }
}

impl Reader<'_> {
    /// Every entity by number, one at a time, from one consistent state.
    pub fn each_entity(&self, mut take: impl FnMut(Exported) -> Result<()>) -> Result<()> {
        self.consistently(|reader| {
            let mut last = (i64::MIN, String::new());
            loop {
                let entities = reader.entities_after(&last)?;
                let Some(end) = entities.last() else {
                    return Ok(());
                };
                last = (end.number, end.id.as_str().to_owned());
                for entity in entities {
                    let of = |collection| -> Result<Vec<(i64, Json)>> {
                        let records = reader.records(&entity.id, collection)?;
                        let records = records.into_iter();
                        Ok(records.map(|record| (record.number, record.body)).collect())
                    };
                    let comments = of(Collection::Comments)?;
                    let learnings = of(Collection::Learnings)?;
                    let origins = of(Collection::Origin)?;
                    take(Exported {
                        relations: reader.exported_relations(&entity.id)?,
                        comments,
                        learnings,
                        origins: origins.into_iter().map(|(_, body)| body).collect(),
                        entity,
                    })?;
                }
            }
        })
    }

    fn entities_after(&self, last: &(i64, String)) -> Result<Vec<Entity>> {
        use crate::entities::{ENTITY_COLUMNS, entity_from_row};
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS} FROM entities e
                 WHERE e.deleted = 0 AND (e.number, e.id) > (?1, ?2)
                 ORDER BY e.number, e.id LIMIT 500"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map((last.0, &last.1), entity_from_row)?
                    .collect()
            })
            .stored()
    }

    fn exported_relations(&self, id: &EntityId) -> Result<Vec<ExportedRelation>> {
        let rows: Vec<(String, String, i64, String, String)> = self
            .connection()
            .prepare_cached(
                "SELECT r.type, r.target, e.number, e.type, r.created_at
                 FROM relations r JOIN entities e ON e.id = r.target AND e.deleted = 0
                 WHERE r.source = ?1 ORDER BY r.type, e.number, e.id",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([id.as_str()], |row| {
                        Ok((
                            row.get(0)?,
                            row.get(1)?,
                            row.get(2)?,
                            row.get(3)?,
                            row.get(4)?,
                        ))
                    })?
                    .collect()
            })
            .stored()?;
        rows.into_iter()
            .map(|(kind, target, number, target_type, at)| {
                Ok(ExportedRelation {
                    kind: RelationType::parse(&kind)?,
                    target: EntityId::from_stored(target),
                    target_number: number,
                    target_type: EntityType::parse(&target_type)?,
                    created_at: Timestamp::from_stored(at),
                })
            })
            .collect()
    }
}
