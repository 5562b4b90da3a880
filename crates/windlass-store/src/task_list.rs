//! Pages of tasks that match a filter, with what a list shows of each.
//!
//! A page costs as much as its own rows, and the count as much as the index.

use rusqlite::{OptionalExtension as _, Row, params_from_iter};
use windlass_core::workflow::TaskKind;
use windlass_core::{Entity, EntityId, Page, Result, TaskStatus, Timestamp};

use crate::entities::{ENTITY_COLUMNS, entity_from_row};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::task_filter::{Conditions, LIVING_PARTS, QUEUE_ORDER, TaskFilter, TaskOrder, now};
use crate::workflow::KIND;

/// How many blockers of a listed task are shown.
const LISTED_BLOCKERS: u32 = 10;

/// A task with what a list shows of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedTask {
    pub task: Entity,
    pub kind: TaskKind,
    /// The number of its parent.
    pub parent: Option<i64>,
    /// Who works on it, and until when.
    pub claim: Option<(String, Timestamp)>,
    /// Whether it waits for other tasks or for a person.
    pub blocked: bool,
    /// The numbers of the open blockers of the task and of its ancestors; at most ten.
    pub open_blockers: Vec<i64>,
}

impl Reader<'_> {
    /// One page of the tasks that match, and the total number of matches.
    pub fn listed_tasks(
        &self,
        filter: &TaskFilter,
        order: TaskOrder,
        page: Page,
    ) -> Result<(Vec<ListedTask>, u64)> {
        self.consistently(|reader| reader.listed_tasks_within(filter, order, page))
    }

    /// The same, for a caller that already reads from one consistent state.
    pub fn listed_tasks_within(
        &self,
        filter: &TaskFilter,
        order: TaskOrder,
        page: Page,
    ) -> Result<(Vec<ListedTask>, u64)> {
        let total = self.count_tasks(filter)?;
        let mut tasks = self.page_of_tasks(filter, order, page)?;
        for listed in &mut tasks {
            let ended = listed.task.task_status().is_none_or(TaskStatus::is_ended);
            if !ended {
                listed.open_blockers = self.blocker_numbers(&listed.task.id)?;
            }
        }
        Ok((tasks, total))
    }

    /// How many tasks at the ends below this one there are, and how many of them have ended.
    pub fn parts_below(&self, task: &EntityId) -> Result<(u64, u64)> {
        let sql = format!(
            "WITH RECURSIVE below (id, depth) AS (
                 SELECT source, 0 FROM relations WHERE target = ?1 AND type = 'parent'
                 UNION SELECT r.source, depth + 1
                 FROM below CROSS JOIN relations r ON r.target = below.id AND r.type = 'parent'
                 WHERE depth < 8)
             SELECT count(*), ifnull(sum(e.status IN ('done', 'skipped', 'cancelled')), 0)
             FROM below CROSS JOIN entities e ON e.id = below.id AND e.deleted = 0
             WHERE NOT EXISTS ({LIVING_PARTS})"
        );
        let (all, ended): (i64, i64) = self
            .connection()
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                statement.query_row([task.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
            })
            .stored()?;
        let count = |number| u64::try_from(number).unwrap_or(0);
        Ok((count(all), count(ended)))
    }

    /// The task to work on next: the first matching task in the queue that no other session holds
    /// and that has no unfinished children.
    pub fn next_task(&self, session: &str, filter: TaskFilter) -> Result<Option<Entity>> {
        let filter = TaskFilter {
            ready: Some(true),
            session: Some(session.to_owned()),
            leaves: true,
            ..filter
        };
        let Conditions { sql, values } = filter.conditions();
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS} FROM entities e WHERE {sql} ORDER BY {QUEUE_ORDER} LIMIT 1"
            ))
            .and_then(|mut statement| {
                statement
                    .query_row(params_from_iter(&values), entity_from_row)
                    .optional()
            })
            .stored()
    }

    /// Tasks by number, without the additional data of a list.
    pub fn tasks(&self, filter: &TaskFilter, page: Page) -> Result<Vec<Entity>> {
        let Conditions { sql, values } = filter.conditions();
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS} FROM entities e WHERE {sql}
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

    pub fn count_tasks(&self, filter: &TaskFilter) -> Result<u64> {
        let Conditions { sql, values } = filter.conditions();
        let total: i64 = self
            .connection()
            .prepare_cached(&format!("SELECT count(*) FROM entities e WHERE {sql}"))
            .and_then(|mut statement| {
                statement.query_row(params_from_iter(&values), |row| row.get(0))
            })
            .stored()?;
        Ok(u64::try_from(total).unwrap_or(0))
    }

    fn page_of_tasks(
        &self,
        filter: &TaskFilter,
        order: TaskOrder,
        page: Page,
    ) -> Result<Vec<ListedTask>> {
        let Conditions { sql, mut values } = filter.conditions();
        let order = filter.order(order);
        values.push(now());
        // Sorted by row first: complete tasks are read only for the page.
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS}, c.owner, c.expires_at, e.queue, {KIND},
                     (SELECT p.number FROM relations r JOIN entities p ON p.id = r.target
                      WHERE r.source = e.id AND r.type = 'parent' AND p.deleted = 0)
                 FROM (SELECT e.row AS row FROM entities e WHERE {sql}
                       ORDER BY {order} LIMIT {} OFFSET {}) found
                 CROSS JOIN entities e ON e.row = found.row
                 LEFT JOIN claims c ON c.id = e.id AND c.expires_at > ?
                 ORDER BY {order}",
                page.limit, page.offset
            ))
            .and_then(|mut statement| {
                statement
                    .query_map(params_from_iter(&values), listed_from_row)?
                    .collect()
            })
            .stored()
    }

    fn blocker_numbers(&self, task: &EntityId) -> Result<Vec<i64>> {
        self.connection()
            .prepare_cached(
                "WITH RECURSIVE up (id, depth) AS (
                     VALUES (?1, 0)
                     UNION SELECT r.target, depth + 1
                     FROM up CROSS JOIN relations r ON r.source = up.id AND r.type = 'parent'
                     WHERE depth < 8)
                 SELECT DISTINCT b.number
                 FROM up CROSS JOIN relations r ON r.target = up.id AND r.type = 'blocks'
                     CROSS JOIN entities b ON b.id = r.source AND b.deleted = 0 AND b.status <> 'done'
                 ORDER BY b.number LIMIT ?2",
            )
            .and_then(|mut statement| {
                statement
                    .query_map((task.as_str(), LISTED_BLOCKERS), |row| row.get(0))?
                    .collect()
            })
            .stored()
    }

    /// The number of tasks in each status.
    pub fn status_counts(&self) -> Result<Vec<(TaskStatus, u64)>> {
        self.connection()
            .prepare_cached(
                "SELECT status, count(*) FROM entities WHERE type = 'task' AND deleted = 0
                 GROUP BY status",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        let status = TaskStatus::parse(row.get_ref(0)?.as_str()?);
                        let count: i64 = row.get(1)?;
                        Ok((
                            status.unwrap_or(TaskStatus::Pending),
                            u64::try_from(count).unwrap_or(0),
                        ))
                    })?
                    .collect()
            })
            .stored()
    }
}

fn listed_from_row(row: &Row<'_>) -> rusqlite::Result<ListedTask> {
    let owner: Option<String> = row.get(10)?;
    let expires: Option<i64> = row.get(11)?;
    let queue: Option<i64> = row.get(12)?;
    Ok(ListedTask {
        task: entity_from_row(row)?,
        kind: TaskKind::parse(row.get_ref(13)?.as_str()?).unwrap_or(TaskKind::Task),
        parent: row.get(14)?,
        claim: owner.zip(expires.map(Timestamp::from_millis)),
        blocked: queue == Some(2),
        open_blockers: Vec::new(),
    })
}
