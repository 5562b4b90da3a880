//! The tasks and relations around a task, by number and title: the first few, and the total.

use windlass_core::{EntityId, Result, TaskStatus};

use crate::error::StorageContext as _;
use crate::graph::{RELATION_COLUMNS, RELATION_JOINS, RelationRow, relation_from_row};
use crate::reader::Reader;

/// How a task is linked to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Tasks that must be done before it.
    BlockedBy,
    /// Tasks that wait for it.
    Blocks,
    /// Its direct children.
    Children,
}

impl Link {
    const fn tables(self) -> &'static str {
        match self {
            Self::BlockedBy => {
                "relations r CROSS JOIN entities e ON e.id = r.source AND e.deleted = 0
                 WHERE r.target = ?1 AND r.type = 'blocks'"
            }
            Self::Blocks => {
                "relations r CROSS JOIN entities e ON e.id = r.target AND e.deleted = 0
                 WHERE r.source = ?1 AND r.type = 'blocks'"
            }
            Self::Children => {
                "relations r CROSS JOIN entities e ON e.id = r.source AND e.deleted = 0
                 WHERE r.target = ?1 AND r.type = 'parent'"
            }
        }
    }
}

/// A linked task, with what is shown of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedTask {
    pub number: i64,
    pub title: String,
    pub status: TaskStatus,
}

impl Reader<'_> {
    /// The first linked tasks, those that are not done first, and the total.
    pub fn linked_tasks(
        &self,
        id: &EntityId,
        link: Link,
        limit: u32,
    ) -> Result<(Vec<LinkedTask>, u64)> {
        let tables = link.tables();
        let tasks: Vec<LinkedTask> = self
            .connection()
            .prepare_cached(&format!(
                "SELECT e.number, e.title, e.status FROM {tables}
                 ORDER BY e.status = 'done', e.number LIMIT ?2"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map((id.as_str(), limit), |row| {
                        let status = TaskStatus::parse(row.get_ref(2)?.as_str()?);
                        Ok(LinkedTask {
                            number: row.get(0)?,
                            title: row.get(1)?,
                            status: status.unwrap_or(TaskStatus::Pending),
                        })
                    })?
                    .collect()
            })
            .stored()?;
        if tasks.len() < limit as usize {
            let total = tasks.len() as u64;
            return Ok((tasks, total));
        }
        Ok((
            tasks,
            self.count_linked(&format!("SELECT count(*) FROM {tables}"), id)?,
        ))
    }

    /// The relations of an entity other than those that order tasks, and the total.
    pub fn other_relations(&self, id: &EntityId, limit: u32) -> Result<(Vec<RelationRow>, u64)> {
        let tables = format!(
            "{RELATION_JOINS} WHERE (r.source = ?1 OR r.target = ?1)
                 AND r.type NOT IN ('blocks', 'parent')"
        );
        let relations: Vec<RelationRow> = self
            .connection()
            .prepare_cached(&format!(
                "SELECT {RELATION_COLUMNS} FROM {tables} ORDER BY r.type, s.number, t.number LIMIT ?2"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map((id.as_str(), limit), relation_from_row)?
                    .collect()
            })
            .stored()?;
        let total = self.count_linked(&format!("SELECT count(*) FROM {tables}"), id)?;
        Ok((relations, total))
    }

    fn count_linked(&self, sql: &str, id: &EntityId) -> Result<u64> {
        let count: i64 = self
            .connection()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row([id.as_str()], |row| row.get(0)))
            .stored()?;
        Ok(u64::try_from(count).unwrap_or(0))
    }
}
