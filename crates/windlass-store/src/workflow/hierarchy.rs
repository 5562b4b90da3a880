//! The position of a task in the hierarchy: parents, children and blockers.

use rusqlite::OptionalExtension as _;
use windlass_core::workflow::TaskKind;
use windlass_core::{Entity, EntityId, Page, Result, TaskStatus};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::task_filter::TaskFilter;

/// More than the hierarchy allows; merged documents may temporarily contain cycles.
const MAX_DEPTH: usize = 8;

/// The kind of a task in a table `e`: as stored, otherwise derived from its position.
pub(crate) const KIND: &str = "CASE
    WHEN json_extract(e.properties, '$.kind') IS NOT NULL
        THEN json_extract(e.properties, '$.kind')
    WHEN NOT EXISTS (SELECT 1 FROM relations p WHERE p.source = e.id AND p.type = 'parent')
        THEN CASE WHEN EXISTS (
                SELECT 1 FROM relations c JOIN relations g ON g.target = c.source AND g.type = 'parent'
                WHERE c.target = e.id AND c.type = 'parent')
            THEN 'milestone' ELSE 'task' END
    WHEN EXISTS (
        SELECT 1 FROM relations p JOIN relations g ON g.source = p.target AND g.type = 'parent'
        WHERE p.source = e.id AND p.type = 'parent')
        THEN 'subtask'
    WHEN EXISTS (SELECT 1 FROM relations c WHERE c.target = e.id AND c.type = 'parent') THEN 'task'
    WHEN (SELECT json_extract(m.properties, '$.kind') FROM relations p
          JOIN entities m ON m.id = p.target WHERE p.source = e.id AND p.type = 'parent')
        IS 'milestone' THEN 'task'
    ELSE 'subtask' END";

/// The position of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub kind: TaskKind,
    pub parent: Option<EntityId>,
    /// The number of its ancestors.
    pub depth: usize,
    pub blocked_by: Vec<EntityId>,
    pub blocks: Vec<EntityId>,
    /// Whether it waits for a blocker, its own or that of an ancestor.
    pub effectively_blocked: bool,
}

impl Reader<'_> {
    /// The ancestors of a task, the topmost first.
    pub fn ancestors(&self, task: &EntityId) -> Result<Vec<Entity>> {
        let mut above: Vec<Entity> = Vec::new();
        let mut at = task.clone();
        while above.len() < MAX_DEPTH {
            let Some(parent) = self.parent_of(&at)? else {
                break;
            };
            let Some(parent) = self.find_entity(&parent)? else {
                break;
            };
            at = parent.id.clone();
            above.push(parent);
        }
        above.reverse();
        Ok(above)
    }

    /// The direct children of a task, by number.
    pub fn children(&self, task: &EntityId) -> Result<Vec<Entity>> {
        let filter = TaskFilter {
            parent: Some(task.clone()),
            ..TaskFilter::default()
        };
        let all = Page {
            limit: 10_000,
            offset: 0,
        };
        self.tasks(&filter, all)
    }

    pub fn task_kind(&self, task: &EntityId) -> Result<TaskKind> {
        let word: Option<String> = self
            .connection()
            .prepare_cached(&format!("SELECT {KIND} FROM entities e WHERE e.id = ?1"))
            .and_then(|mut statement| {
                statement
                    .query_row([task.as_str()], |row| row.get(0))
                    .optional()
            })
            .stored()?;
        Ok(word
            .as_deref()
            .and_then(TaskKind::parse)
            .unwrap_or(TaskKind::Task))
    }

    pub fn task_place(&self, task: &EntityId) -> Result<Place> {
        let above = self.ancestors(task)?;
        Ok(Place {
            kind: self.task_kind(task)?,
            parent: above.last().map(|parent| parent.id.clone()),
            depth: above.len(),
            blocked_by: self.neighbours(
                "SELECT r.source FROM relations r JOIN entities b ON b.id = r.source AND b.deleted = 0
                 WHERE r.target = ?1 AND r.type = 'blocks' ORDER BY b.number",
                task,
            )?,
            blocks: self.neighbours(
                "SELECT r.target FROM relations r JOIN entities b ON b.id = r.target AND b.deleted = 0
                 WHERE r.source = ?1 AND r.type = 'blocks' ORDER BY b.number",
                task,
            )?,
            effectively_blocked: !self.open_blockers(task)?.is_empty(),
        })
    }

    /// The number of tasks in each status and place in the queue; of the descendants of a task, or
    /// of all.
    pub fn work_counts(
        &self,
        under: Option<&EntityId>,
    ) -> Result<Vec<(TaskStatus, Option<i64>, u64)>> {
        self.connection()
            .prepare_cached(
                "WITH RECURSIVE below (id, depth) AS (
                     SELECT source, 0 FROM relations WHERE target = ?1 AND type = 'parent'
                     UNION SELECT r.source, depth + 1
                     FROM below CROSS JOIN relations r ON r.target = below.id AND r.type = 'parent'
                     WHERE depth < 8)
                 SELECT e.status, e.queue, count(*) FROM entities e
                 WHERE e.type = 'task' AND e.deleted = 0
                     AND (?1 IS NULL OR e.id IN (SELECT id FROM below))
                 GROUP BY e.status, e.queue",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([under.map(EntityId::as_str)], |row| {
                        let status = TaskStatus::parse(row.get_ref(0)?.as_str()?);
                        let count: i64 = row.get(2)?;
                        Ok((
                            status.unwrap_or(TaskStatus::Pending),
                            row.get(1)?,
                            u64::try_from(count).unwrap_or(0),
                        ))
                    })?
                    .collect()
            })
            .stored()
    }
}
