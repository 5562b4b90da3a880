//! Where a task is among the others: parents, children, blockers, and what is next.

use rusqlite::types::Value as Sql;
use rusqlite::{OptionalExtension as _, params_from_iter};
use windlass_core::workflow::TaskKind;
use windlass_core::{Entity, EntityId, Page, Result, TaskStatus, Timestamp};

use crate::entities::{ENTITY_COLUMNS, entity_from_row};
use crate::error::StorageContext as _;
use crate::reader::Reader;

/// Deeper than any hierarchy; merged documents may briefly go in circles.
const MAX_DEPTH: usize = 8;

/// What a task of a table `e` is: as it says, or as its place tells.
const KIND: &str = "CASE
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

/// Where a task is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub kind: TaskKind,
    pub parent: Option<EntityId>,
    /// How many are above it.
    pub depth: usize,
    pub blocked_by: Vec<EntityId>,
    pub blocks: Vec<EntityId>,
    /// Whether it waits for a blocker of its own or of an ancestor.
    pub effectively_blocked: bool,
}

/// Which tasks are asked for, by number.
#[derive(Debug, Clone, Default)]
pub struct TaskFilter {
    pub parent: Option<EntityId>,
    /// Only those without a parent.
    pub roots: bool,
    pub kinds: Vec<TaskKind>,
    pub statuses: Vec<TaskStatus>,
    /// Only those that can be worked on.
    pub ready: bool,
}

impl TaskFilter {
    fn conditions(&self) -> (String, Vec<Sql>) {
        let mut sql = String::from("e.deleted = 0 AND e.type = 'task'");
        let mut values = Vec::new();
        if let Some(parent) = &self.parent {
            sql.push_str(
                " AND e.id IN (SELECT source FROM relations WHERE target = ? AND type = 'parent')",
            );
            values.push(Sql::Text(parent.as_str().to_owned()));
        }
        if self.roots {
            sql.push_str(
                " AND NOT EXISTS (SELECT 1 FROM relations WHERE source = e.id AND type = 'parent')",
            );
        }
        if self.ready {
            sql.push_str(" AND e.queue = 1");
        }
        let mut one_of = |what: &str, words: Vec<&'static str>| {
            if words.is_empty() {
                return;
            }
            let places = vec!["?"; words.len()].join(", ");
            sql.push_str(" AND ");
            sql.push_str(what);
            sql.push_str(" IN (");
            sql.push_str(&places);
            sql.push(')');
            values.extend(words.into_iter().map(|word| Sql::Text(word.to_owned())));
        };
        one_of(
            "e.status",
            self.statuses.iter().map(|it| it.name()).collect(),
        );
        one_of(KIND, self.kinds.iter().map(|it| it.name()).collect());
        (sql, values)
    }
}

impl Reader<'_> {
    /// Those above a task, the topmost first.
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

    /// Those right below a task, by number.
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

    pub fn tasks(&self, filter: &TaskFilter, page: Page) -> Result<Vec<Entity>> {
        let (conditions, values) = filter.conditions();
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS} FROM entities e WHERE {conditions}
                 ORDER BY e.number LIMIT {} OFFSET {}",
                page.limit, page.offset
            ))
            .and_then(|mut statement| {
                statement
                    .query_map(params_from_iter(&values), entity_from_row)?
                    .collect()
            })
            .stored()
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

    /// The task to work on next: the first in the queue that nobody else holds and that is no frame
    /// around unfinished ones. With `under`, only one below that task.
    pub fn next_ready(&self, session: &str, under: Option<&EntityId>) -> Result<Option<Entity>> {
        self.connection()
            .prepare_cached(&format!(
                "WITH RECURSIVE below (id, depth) AS (
                     SELECT source, 0 FROM relations WHERE target = ?3 AND type = 'parent'
                     UNION SELECT r.source, depth + 1
                     FROM below CROSS JOIN relations r ON r.target = below.id AND r.type = 'parent'
                     WHERE depth < 8)
                 SELECT {ENTITY_COLUMNS}
                 FROM entities e LEFT JOIN claims c ON c.id = e.id AND c.expires_at > ?1
                 WHERE e.queue = 1 AND (c.owner IS NULL OR c.owner = ?2)
                     AND (?3 IS NULL OR e.id IN (SELECT id FROM below))
                     AND NOT EXISTS (
                         SELECT 1 FROM relations r CROSS JOIN entities k ON k.id = r.source
                             AND k.deleted = 0 AND k.status NOT IN ('done', 'skipped', 'cancelled')
                         WHERE r.target = e.id AND r.type = 'parent')
                 ORDER BY e.priority, ifnull(e.due_date, '9999-12-32'), e.number LIMIT 1"
            ))
            .and_then(|mut statement| {
                let values = (
                    Timestamp::now().as_millis(),
                    session,
                    under.map(EntityId::as_str),
                );
                statement.query_row(values, entity_from_row).optional()
            })
            .stored()
    }

    /// How many tasks there are of each status and place in the queue; below a task, or all.
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
