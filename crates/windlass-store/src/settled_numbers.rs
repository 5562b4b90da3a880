//! Numbers of entities that two clones gave at the same time. The older entity keeps the number, and
//! the younger one stays findable under it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use windlass_core::{Entity, EntityId, EntityType, EventType, Result, Timestamp};

use crate::error::StorageContext as _;
use crate::writer::Writer;

impl Writer<'_> {
    pub(crate) fn add_alias(&self, number: i64, id: &EntityId) -> Result<()> {
        self.connection()
            .prepare_cached("INSERT OR IGNORE INTO aliases (number, id) VALUES (?1, ?2)")
            .and_then(|mut statement| statement.execute((number, id.as_str())))
            .stored()?;
        Ok(())
    }

    /// If two clones assigned the same number, the older entity keeps it and the younger one gets
    /// the next free number, by an ordinary write that the other clones will import.
    pub(crate) fn resolve_number_conflicts(
        &self,
        touched: &BTreeSet<EntityId>,
    ) -> Result<Vec<(i64, i64)>> {
        let mut losers: BTreeMap<(Timestamp, EntityId), (i64, EntityType)> = BTreeMap::new();
        for id in touched {
            let sharing: Vec<(String, String, i64, String)> = self
                .connection()
                .prepare_cached(
                    "SELECT o.created_at, o.id, o.number, o.type FROM entities e
                     JOIN entities o ON o.number = e.number
                     WHERE e.id = ?1 ORDER BY o.created_at, o.id",
                )
                .and_then(|mut statement| {
                    statement
                        .query_map([id.as_str()], |row| {
                            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                        })?
                        .collect()
                })
                .stored()?;
            for (created_at, id, number, kind) in sharing.into_iter().skip(1) {
                let key = (
                    Timestamp::from_stored(created_at),
                    EntityId::from_stored(id),
                );
                losers.insert(key, (number, EntityType::parse(&kind)?));
            }
        }
        let mut renumbered = Vec::new();
        for ((_, id), (former, kind)) in losers {
            let number = self.next_number()?;
            self.renumber(&id, kind, former, number)?;
            renumbered.push((former, number));
        }
        Ok(renumbered)
    }

    pub(crate) fn write_number(&self, row: i64, entity: &Entity) -> Result<()> {
        self.connection()
            .prepare_cached("UPDATE entities SET number = ?2, former_numbers = ?3 WHERE row = ?1")
            .and_then(|mut statement| {
                let former = json!(entity.former_numbers).to_string();
                statement.execute((row, entity.number, former))
            })
            .stored()?;
        Ok(())
    }

    fn renumber(&self, id: &EntityId, kind: EntityType, former: i64, number: i64) -> Result<()> {
        let (row, document) = self.load_document(id)?;
        let before = document.record()?.entity;
        document.renumber(former, number, &before.updated_at)?;
        self.save_document(row, id, &document)?;
        let after = document.record()?.entity;
        self.write_number(row, &after)?;
        self.add_alias(former, id)?;
        self.record_event(
            EventType::EntityRenumbered,
            Some((id, kind)),
            &json!({"number": number, "former_number": former, "title": after.title}),
        )
    }
}
