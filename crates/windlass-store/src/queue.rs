//! The queue of work: which tasks are ready, and which are blocked by what.
//!
//! Whether a task is ready is computed in the write that could change it and stored in its row, so
//! that finding the next task takes the same time in a project of any size.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension as _, Row};
use windlass_core::{Entity, EntityId, EntityType, Page, Priority, Result, TaskStatus, Timestamp};

use crate::entities::{ENTITY_COLUMNS, entity_from_row};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::workflow::Mover;
use crate::writer::Writer;

const READY: i64 = 1;
const BLOCKED: i64 = 2;

/// How many levels of parents are followed. The hierarchy has three levels; merged documents may
/// temporarily have more.
const MAX_DEPTH: i64 = 8;

/// The place of an entity in the queue; `None` for other types and for tasks that are drafts, in
/// review or ended.
pub(crate) fn queue_of(entity: &Entity, has_open_blocker: bool) -> Option<i64> {
    let status = entity.task_status()?;
    if status.is_ended() || status == TaskStatus::Draft || status == TaskStatus::InReview {
        return None;
    }
    let blocked = has_open_blocker || !status.is_workable();
    Some(if blocked { BLOCKED } else { READY })
}

/// `CROSS JOIN` fixes the join order: otherwise SQLite may scan all relations of the project, and
/// every write of a task would take longer the larger the project is.
const HAS_OPEN_BLOCKER: &str = "
    WITH RECURSIVE up (id, depth) AS (
        VALUES (?1, 0)
        UNION SELECT r.target, depth + 1
        FROM up CROSS JOIN relations r ON r.source = up.id AND r.type = 'parent'
        WHERE depth < ?2)
    SELECT EXISTS (
        SELECT 1 FROM up CROSS JOIN relations r ON r.target = up.id AND r.type = 'blocks'
        CROSS JOIN entities b ON b.id = r.source AND b.deleted = 0 AND b.status <> 'done')";

/// Counts ready tasks, at most so many.
fn count_ready(narrowed: &str) -> String {
    format!("SELECT count(*) FROM (SELECT 1 FROM entities e WHERE e.queue = 1 {narrowed} LIMIT ?1)")
}

/// A task in the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct QueuedTask {
    pub task: Entity,
    /// Who works on it, if the lease has not expired.
    pub claimed_by: Option<String>,
}

/// A task that must be done first.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocker {
    pub id: EntityId,
    pub number: i64,
    pub title: String,
    pub status: TaskStatus,
    /// The blocked ancestor, if it does not block the task itself.
    pub through: Option<i64>,
}

/// Up to how many tasks are counted for a list: the time of an answer must not grow with the project.
const MOST_COUNTED: u32 = 1_000;

fn counted(count: u32) -> Option<u64> {
    (count <= MOST_COUNTED).then_some(u64::from(count))
}

impl Reader<'_> {
    /// Ready tasks that no other session holds: by priority, due date (none last), number.
    pub fn ready_tasks(
        &self,
        priority: Option<Priority>,
        session: &str,
        page: Page,
    ) -> Result<Vec<QueuedTask>> {
        let narrowed = if priority.is_some() {
            "AND e.priority = ?5"
        } else {
            "AND ?5 IS NULL"
        };
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS}, c.owner
                 FROM entities e LEFT JOIN claims c ON c.id = e.id AND c.expires_at > ?1
                 WHERE e.queue = 1 AND (c.owner IS NULL OR c.owner = ?2) {narrowed}
                 ORDER BY e.priority, ifnull(e.due_date, '9999-12-32'), e.number
                 LIMIT ?3 OFFSET ?4"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map(
                        (
                            Timestamp::now().as_millis(),
                            session,
                            page.limit,
                            page.offset,
                            priority.map(Priority::number),
                        ),
                        queued_from_row,
                    )?
                    .collect()
            })
            .stored()
    }

    /// How many ready tasks no other session holds; none if there are more than a page needs to know.
    ///
    /// All ready tasks less those of others: the former are counted in the index alone, without the rows
    /// of the tasks.
    pub fn count_ready_tasks(
        &self,
        priority: Option<Priority>,
        session: &str,
    ) -> Result<Option<u64>> {
        let narrowed = if priority.is_some() {
            "AND e.priority = ?2"
        } else {
            "AND ?2 IS NULL"
        };
        let priority = priority.map(Priority::number);
        let held: u32 = self
            .connection()
            .prepare_cached(&format!(
                "SELECT count(*) FROM claims c CROSS JOIN entities e ON e.id = c.id
                 WHERE c.owner <> ?1 AND e.queue = 1 {narrowed} AND c.expires_at > ?3"
            ))
            .and_then(|mut statement| {
                let now = Timestamp::now().as_millis();
                statement.query_row((session, priority, now), |row| row.get(0))
            })
            .stored()?;
        let ready: u32 = self
            .connection()
            .prepare_cached(&count_ready(narrowed))
            .and_then(|mut statement| {
                let most = MOST_COUNTED.saturating_add(held).saturating_add(1);
                statement.query_row((most, priority), |row| row.get(0))
            })
            .stored()?;
        Ok(counted(ready.saturating_sub(held)))
    }

    /// How many tasks wait for other tasks or for a person; none if there are too many to count.
    pub fn count_blocked_tasks(&self) -> Result<Option<u64>> {
        self.connection()
            .prepare_cached(
                "SELECT count(*) FROM (SELECT 1 FROM entities WHERE queue = 2 LIMIT ?1)",
            )
            .and_then(|mut statement| statement.query_row([MOST_COUNTED + 1], |row| row.get(0)))
            .stored()
            .map(counted)
    }

    /// Tasks that wait for other tasks or for a person, in the order of the queue.
    pub fn blocked_tasks(&self, page: Page) -> Result<Vec<QueuedTask>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS}, c.owner
                 FROM entities e LEFT JOIN claims c ON c.id = e.id AND c.expires_at > ?1
                 WHERE e.queue = 2
                 ORDER BY e.priority, ifnull(e.due_date, '9999-12-32'), e.number
                 LIMIT ?2 OFFSET ?3"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map(
                        (Timestamp::now().as_millis(), page.limit, page.offset),
                        queued_from_row,
                    )?
                    .collect()
            })
            .stored()
    }

    /// The open blockers of the task and of its ancestors.
    pub fn open_blockers(&self, task: &EntityId) -> Result<Vec<Blocker>> {
        self.connection()
            .prepare_cached(
                "WITH RECURSIVE up (id, depth) AS (
                     VALUES (?1, 0)
                     UNION SELECT r.target, depth + 1
                     FROM up CROSS JOIN relations r ON r.source = up.id AND r.type = 'parent'
                     WHERE depth < ?2)
                 SELECT b.id, b.number, b.title, b.status, min(up.depth), via.number
                 FROM up CROSS JOIN relations r ON r.target = up.id AND r.type = 'blocks'
                     CROSS JOIN entities b ON b.id = r.source AND b.deleted = 0 AND b.status <> 'done'
                     CROSS JOIN entities via ON via.id = up.id
                 GROUP BY b.id ORDER BY b.number",
            )
            .and_then(|mut statement| {
                statement
                    .query_map((task.as_str(), MAX_DEPTH), blocker_from_row)?
                    .collect()
            })
            .stored()
    }

    /// The tasks that this one blocks directly.
    pub fn blocked_by(&self, id: &EntityId) -> Result<Vec<EntityId>> {
        self.neighbours(
            "SELECT target FROM relations WHERE source = ?1 AND type = 'blocks'",
            id,
        )
    }

    /// The ready ones among these tasks, by number.
    pub fn ready_among(&self, tasks: &[EntityId]) -> Result<Vec<Entity>> {
        let mut ready = Vec::new();
        for id in tasks {
            if self.place_in_queue(id)? == Some(READY) {
                ready.push(self.entity(id)?);
            }
        }
        ready.sort_by_key(|task| task.number);
        Ok(ready)
    }

    /// Whether the task waits for other tasks or for a person.
    pub fn is_blocked(&self, task: &EntityId) -> Result<bool> {
        Ok(self.place_in_queue(task)? == Some(BLOCKED))
    }

    fn place_in_queue(&self, task: &EntityId) -> Result<Option<i64>> {
        self.connection()
            .prepare_cached("SELECT queue FROM entities WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([task.as_str()], |row| row.get(0)))
            .optional()
            .map(Option::flatten)
            .stored()
    }

    fn has_open_blocker(&self, task: &EntityId) -> Result<bool> {
        self.connection()
            .prepare_cached(HAS_OPEN_BLOCKER)
            .and_then(|mut statement| {
                statement.query_row((task.as_str(), MAX_DEPTH), |row| row.get(0))
            })
            .stored()
    }

    /// The tasks whose readiness depends on this one: those that it blocks, and their descendants.
    pub(crate) fn tasks_that_wait_for(&self, id: &EntityId) -> Result<BTreeSet<EntityId>> {
        self.task_ids(
            "WITH RECURSIVE down (id, depth) AS (
                 SELECT target, 0 FROM relations WHERE source = ?1 AND type = 'blocks'
                 UNION SELECT source, 0 FROM relations WHERE target = ?1 AND type = 'parent'
                 UNION SELECT r.source, depth + 1
                 FROM down CROSS JOIN relations r ON r.target = down.id AND r.type = 'parent'
                 WHERE depth < ?2)
             SELECT DISTINCT id FROM down",
            id,
        )
    }

    /// A task and its descendants.
    pub(crate) fn task_and_descendants(&self, id: &EntityId) -> Result<BTreeSet<EntityId>> {
        self.task_ids(
            "WITH RECURSIVE down (id, depth) AS (
                 VALUES (?1, 0)
                 UNION SELECT r.source, depth + 1
                 FROM down CROSS JOIN relations r ON r.target = down.id AND r.type = 'parent'
                 WHERE depth < ?2)
             SELECT DISTINCT id FROM down",
            id,
        )
    }

    fn task_ids(&self, sql: &str, id: &EntityId) -> Result<BTreeSet<EntityId>> {
        self.connection()
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement
                    .query_map((id.as_str(), MAX_DEPTH), |row| {
                        row.get::<_, String>(0).map(EntityId::from_stored)
                    })?
                    .collect()
            })
            .stored()
    }
}

fn queued_from_row(row: &Row<'_>) -> rusqlite::Result<QueuedTask> {
    Ok(QueuedTask {
        task: entity_from_row(row)?,
        claimed_by: row.get(10)?,
    })
}

fn blocker_from_row(row: &Row<'_>) -> rusqlite::Result<Blocker> {
    let depth: i64 = row.get(4)?;
    Ok(Blocker {
        id: EntityId::from_stored(row.get::<_, String>(0)?),
        number: row.get(1)?,
        title: row.get(2)?,
        status: TaskStatus::parse(row.get_ref(3)?.as_str()?).unwrap_or(TaskStatus::Pending),
        through: if depth == 0 { None } else { row.get(5)? },
    })
}

impl Writer<'_> {
    /// After a task's status changed: updates its place in the queue, and that of the tasks that
    /// wait for it.
    pub(crate) fn after_status_change(
        &self,
        before: &Entity,
        after: &Entity,
        mover: Mover,
    ) -> Result<()> {
        let (Some(old), Some(new)) = (before.task_status(), after.task_status()) else {
            return Ok(());
        };
        if old == new {
            return Ok(());
        }
        let mut touched = BTreeSet::from([after.id.clone()]);
        if old.unblocks_dependents() != new.unblocks_dependents() {
            touched.extend(self.tasks_that_wait_for(&after.id)?);
        }
        if new.is_ended() {
            self.drop_claim(&after.id)?;
        }
        self.after_task_moved(after, old, new, mover)?;
        self.refresh_queue(&touched)
    }

    /// Computes the places of tasks in the queue again.
    pub(crate) fn refresh_queue(&self, tasks: &BTreeSet<EntityId>) -> Result<()> {
        for id in tasks {
            let Some(task) = self.find_entity(id)? else {
                continue;
            };
            if task.kind != EntityType::Task {
                continue;
            }
            let queue = queue_of(&task, self.has_open_blocker(id)?);
            self.connection()
                .prepare_cached("UPDATE entities SET queue = ?2 WHERE id = ?1 AND queue IS NOT ?2")
                .and_then(|mut statement| statement.execute((id.as_str(), queue)))
                .stored()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::{HAS_OPEN_BLOCKER, count_ready};
    use crate::migrations::{MIGRATIONS, migrate};

    fn plan(sql: &str) -> Vec<String> {
        let connection = Connection::open_in_memory().expect("opened");
        migrate(&connection, 0, MIGRATIONS).expect("migrated");
        connection
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .expect("prepared")
            .query_map((1, 0), |row| row.get(3))
            .expect("asked")
            .collect::<Result<_, _>>()
            .expect("read")
    }

    #[test]
    fn counting_ready_tasks_reads_no_rows() {
        for narrowed in ["AND ?2 IS NULL", "AND e.priority = ?2"] {
            let plan = plan(&count_ready(narrowed)).join("; ");
            assert!(
                plan.contains("USING COVERING INDEX entities_queue"),
                "{plan}"
            );
        }
    }

    #[test]
    fn finding_blockers_scans_no_table() {
        let plan = plan(HAS_OPEN_BLOCKER);
        for table in ["r", "b"] {
            let scan = format!("SCAN {table}");
            assert!(!plan.iter().any(|step| step.starts_with(&scan)), "{plan:?}");
        }
    }
}
