//! Names that two clones gave at the same time. The older entity keeps the name, and what refers to
//! it by name now means that one; the younger gets the next free name.

use std::collections::BTreeSet;

use serde_json::json;
use windlass_core::{EntityId, EntityType, EventType, Result, Timestamp, Value};

use crate::error::StorageContext as _;
use crate::writer::Writer;

/// So much of a name is kept, to leave room for a number.
const KEPT_CHARS: usize = 90;

/// A feature or discipline that has another name now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    pub kind: EntityType,
    pub number: i64,
    pub former: String,
    pub name: String,
}

impl Writer<'_> {
    /// Gives every name and acronym of these entities to one of them.
    pub(crate) fn resolve_name_conflicts(
        &self,
        touched: &BTreeSet<EntityId>,
    ) -> Result<Vec<Renamed>> {
        let mut renamed = Vec::new();
        for id in self.younger_with_equal("e.name", touched)? {
            let entity = self.entity(&id)?;
            let former = entity.text("name").unwrap_or_default().to_owned();
            let name = self.free_name(entity.kind, &former)?;
            self.settle_property(&id, "name", &name)?;
            renamed.push(Renamed {
                kind: entity.kind,
                number: entity.number,
                former,
                name,
            });
        }
        for id in self.younger_with_equal("e.properties ->> '$.acronym'", touched)? {
            let entity = self.entity(&id)?;
            let name = entity.text("name").unwrap_or_default();
            if let Some(acronym) = self.free_acronym(entity.kind, name)? {
                self.settle_property(&id, "acronym", &acronym)?;
            }
        }
        Ok(renamed)
    }

    /// Those that share a value with an older entity of their type, the oldest first.
    fn younger_with_equal(
        &self,
        value: &str,
        touched: &BTreeSet<EntityId>,
    ) -> Result<Vec<EntityId>> {
        let mut younger: BTreeSet<(String, String)> = BTreeSet::new();
        for id in touched {
            let sharing: Vec<(String, String)> = self
                .connection()
                .prepare_cached(&format!(
                    "SELECT o.created_at, o.id FROM entities o JOIN
                         (SELECT e.type AS type, e.name AS name, {value} AS value FROM entities e
                          WHERE e.id = ?1 AND e.deleted = 0) t
                     WHERE o.type = t.type AND o.deleted = 0 AND o.name IS NOT NULL
                         AND t.value IS NOT NULL AND {} = t.value
                     ORDER BY o.created_at, o.id",
                    value.replace("e.", "o.")
                ))
                .and_then(|mut statement| {
                    statement
                        .query_map([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?
                        .collect()
                })
                .stored()?;
            younger.extend(sharing.into_iter().skip(1));
        }
        let ids = younger.into_iter();
        Ok(ids.map(|(_, id)| EntityId::from_stored(id)).collect())
    }

    fn free_name(&self, kind: EntityType, name: &str) -> Result<String> {
        let kept: String = name.chars().take(KEPT_CHARS).collect();
        let mut number = 2_u64;
        loop {
            let candidate = format!("{kept}-{number}");
            if self.find_by_name(kind, &candidate)?.is_none() {
                return Ok(candidate);
            }
            number += 1;
        }
    }

    /// An ordinary change that the other clones get, past the rule that names do not change.
    fn settle_property(&self, id: &EntityId, field: &str, value: &str) -> Result<()> {
        let before = self.entity(id)?;
        let mut after = before.clone();
        after
            .properties
            .insert(field.to_owned(), Value::Text(value.to_owned()));
        after.updated_at = Timestamp::now();
        let (row, document) = self.load_document(id)?;
        document.change(&before, &after)?;
        self.save_document(row, id, &document)?;
        self.replace_row(row, &before, &after)?;
        self.record_event(
            EventType::EntityUpdated,
            Some((id, after.kind)),
            &json!({
                "number": after.number,
                "title": after.title,
                "changes": {field: [before.text(field), value]},
            }),
        )
    }
}
