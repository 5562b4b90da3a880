//! The graph of relations: neighbours, shortest paths, entities without relations.

use rusqlite::Row;
use windlass_core::{Entity, EntityId, EntityType, Page, Result, Timestamp};

use crate::entities::{ENTITY_COLUMNS, entity_from_row};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::relations::Search;

/// The longest path that is searched for.
pub const MAX_PATH_DEPTH: u32 = 50;

/// Which relations of an entity are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Relations that start at it.
    From,
    /// Relations that end at it.
    To,
    Both,
}

/// A relation with the numbers and titles of both entities.
#[derive(Debug, Clone, PartialEq)]
pub struct RelationRow {
    pub kind: String,
    pub source: (EntityId, i64, String, String),
    pub target: (EntityId, i64, String, String),
    pub created_at: Timestamp,
}

pub(crate) const RELATION_COLUMNS: &str =
    "r.type, s.id, s.number, s.type, s.title, t.id, t.number, t.type, t.title, r.created_at";
pub(crate) const RELATION_JOINS: &str =
    "relations r JOIN entities s ON s.id = r.source AND s.deleted = 0
     JOIN entities t ON t.id = r.target AND t.deleted = 0";

/// The neighbours of an entity that are not deleted, in either direction.
const RELATED: &str =
    "SELECT e.id FROM relations r JOIN entities e ON e.id = r.target AND e.deleted = 0
     WHERE r.source = ?1
     UNION SELECT e.id FROM relations r JOIN entities e ON e.id = r.source AND e.deleted = 0
     WHERE r.target = ?1";

pub(crate) fn relation_from_row(row: &Row<'_>) -> rusqlite::Result<RelationRow> {
    let end = |from: usize| -> rusqlite::Result<_> {
        Ok((
            EntityId::from_stored(row.get::<_, String>(from)?),
            row.get(from + 1)?,
            row.get(from + 2)?,
            row.get(from + 3)?,
        ))
    };
    Ok(RelationRow {
        kind: row.get(0)?,
        source: end(1)?,
        target: end(5)?,
        created_at: Timestamp::from_stored(row.get(9)?),
    })
}

impl Reader<'_> {
    /// The tasks that must be done before this one, by number.
    pub fn dependencies(&self, task: &EntityId) -> Result<Vec<Entity>> {
        self.entities_by(
            &format!(
                "SELECT {ENTITY_COLUMNS} FROM relations r CROSS JOIN entities e ON e.id = r.source
                 WHERE r.target = ?1 AND r.type = 'blocks' AND e.deleted = 0 ORDER BY e.number"
            ),
            task,
        )
    }

    /// The tasks that wait for this one, by number.
    pub fn dependants(&self, task: &EntityId) -> Result<Vec<Entity>> {
        self.entities_by(
            &format!(
                "SELECT {ENTITY_COLUMNS} FROM relations r CROSS JOIN entities e ON e.id = r.target
                 WHERE r.source = ?1 AND r.type = 'blocks' AND e.deleted = 0 ORDER BY e.number"
            ),
            task,
        )
    }

    fn entities_by(&self, sql: &str, id: &EntityId) -> Result<Vec<Entity>> {
        self.connection()
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement
                    .query_map([id.as_str()], entity_from_row)?
                    .collect()
            })
            .stored()
    }

    pub fn relations(
        &self,
        id: &EntityId,
        direction: Direction,
        page: Page,
    ) -> Result<Vec<RelationRow>> {
        let condition = match direction {
            Direction::From => "r.source = ?1",
            Direction::To => "r.target = ?1",
            Direction::Both => "(r.source = ?1 OR r.target = ?1)",
        };
        self.connection()
            .prepare_cached(&format!(
                "SELECT {RELATION_COLUMNS} FROM {RELATION_JOINS} WHERE {condition}
                 ORDER BY r.type, s.number, t.number LIMIT ?2 OFFSET ?3"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map((id.as_str(), page.limit, page.offset), relation_from_row)?
                    .collect()
            })
            .stored()
    }

    /// The relations that start at the given entities; at most a thousand for each.
    pub fn relations_from(&self, sources: &[EntityId]) -> Result<Vec<RelationRow>> {
        let page = Page {
            limit: 1_000,
            offset: 0,
        };
        let mut all = Vec::new();
        for id in sources {
            all.extend(self.relations(id, Direction::From, page)?);
        }
        Ok(all)
    }

    /// The shortest path of relations in either direction. Empty if there is none within
    /// `max_depth` steps.
    pub fn path(&self, from: &EntityId, to: &EntityId, max_depth: u32) -> Result<Vec<EntityId>> {
        let mut search = Search::from(from);
        let goal = Search::from(to);
        // Each round of the search is one step further away.
        for _ in 0..=max_depth {
            for _ in 0..search.frontier() {
                let meeting = search.advance(&goal, |id| self.neighbours(RELATED, id))?;
                if let Some(end) = meeting {
                    let path = search.path_to(end);
                    let steps = u32::try_from(path.len()).unwrap_or(u32::MAX) - 1;
                    return Ok(if steps <= max_depth { path } else { Vec::new() });
                }
            }
        }
        Ok(Vec::new())
    }

    /// Everything that an entity has a relation with, in either direction.
    pub fn related(&self, id: &EntityId) -> Result<Vec<EntityId>> {
        self.neighbours(RELATED, id)
    }

    /// Entities without any relation. Request one more than needed to learn whether there are more.
    pub fn orphans(&self, kind: Option<EntityType>, page: Page) -> Result<Vec<Entity>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS} FROM entities e
                 WHERE e.deleted = 0 AND (?1 IS NULL OR e.type = ?1)
                     AND NOT EXISTS (SELECT 1 FROM relations r JOIN entities t ON t.id = r.target AND t.deleted = 0
                                     WHERE r.source = e.id)
                     AND NOT EXISTS (SELECT 1 FROM relations r WHERE r.target = e.id)
                 ORDER BY e.number LIMIT ?2 OFFSET ?3"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map(
                        (kind.map(EntityType::name), page.limit, page.offset),
                        entity_from_row,
                    )?
                    .collect()
            })
            .stored()
    }
}
