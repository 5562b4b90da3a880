//! Lists of tasks that match any combination of conditions, in one of several orders, in pages.
//!
//! Every condition is SQL, so that the cost of a page depends on the page and the cost of the count
//! on the index; only conditions on the assignee and on the kind read each task that matches the
//! others.

use rusqlite::types::Value as Sql;
use rusqlite::{OptionalExtension as _, Row, params_from_iter};
use windlass_core::workflow::TaskKind;
use windlass_core::{Date, Entity, EntityId, Page, Priority, Result, TaskStatus, Timestamp};

use crate::entities::{ENTITY_COLUMNS, entity_from_row};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::search::every_word;
use crate::workflow::KIND;

/// How many blockers of a listed task are shown.
const LISTED_BLOCKERS: u32 = 10;

/// The order of the queue: priority, due date (none last), number. There is an index for it.
const QUEUE_ORDER: &str = "e.priority, ifnull(e.due_date, '9999-12-32'), e.number";
const IS_ENDED: &str = "e.status IN ('done', 'skipped', 'cancelled')";

/// When a task is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    On(Date),
    Before(Date),
    After(Date),
    /// Before that day, and not ended.
    Overdue(Date),
    Never,
}

/// The order in which tasks are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TaskOrder {
    /// Open tasks before ended ones, then by priority, due date (none last) and number.
    #[default]
    Queue,
    Number,
    /// Most recently changed first.
    Updated,
    /// Soonest first, tasks without a date last.
    Due,
}

/// Which tasks are requested. A condition that is not set does not apply.
#[derive(Debug, Clone, Default)]
pub struct TaskFilter {
    pub parent: Option<EntityId>,
    /// Descendants of this task, at any depth.
    pub under: Option<EntityId>,
    /// Only tasks without a parent.
    pub roots: bool,
    /// Only tasks without unfinished children.
    pub leaves: bool,
    pub kinds: Vec<TaskKind>,
    pub statuses: Vec<TaskStatus>,
    /// Whether the task can be worked on.
    pub ready: Option<bool>,
    /// The session that the task must be ready for: a task that another session holds is not. If
    /// absent, claims do not count.
    pub session: Option<String>,
    /// Whether the task waits for other tasks or for a person.
    pub blocked: Option<bool>,
    pub claimed: Option<bool>,
    pub claimed_by: Option<String>,
    pub assignee: Option<String>,
    pub feature: Option<String>,
    pub discipline: Option<String>,
    /// The task must have all of them.
    pub tags: Vec<String>,
    pub priorities: Vec<Priority>,
    pub due: Option<Due>,
    /// Words that must all occur in the task.
    pub text: Option<String>,
}

/// Conditions over a table `e`, with their values in order.
struct Conditions {
    sql: String,
    values: Vec<Sql>,
}

impl Conditions {
    fn add(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    fn with(&mut self, condition: &str, value: &str) {
        self.add(condition);
        self.values.push(Sql::Text(value.to_owned()));
    }

    fn one_of(&mut self, what: &str, words: Vec<Sql>) {
        if words.is_empty() {
            return;
        }
        let places = vec!["?"; words.len()].join(", ");
        self.add(&format!("{what} IN ({places})"));
        self.values.extend(words);
    }
}

impl TaskFilter {
    /// The condition on the place in the queue, if one is requested: its index then finds and sorts
    /// the tasks.
    fn place_in_queue(&self) -> Option<&'static str> {
        if self.ready == Some(true) {
            return Some("e.queue = 1");
        }
        (self.blocked == Some(true)).then_some("e.queue = 2")
    }

    fn conditions(&self) -> Conditions {
        // Only tasks that are not deleted have a place in the queue.
        let first = self
            .place_in_queue()
            .unwrap_or("e.deleted = 0 AND e.type = 'task'");
        let mut all = Conditions {
            sql: first.to_owned(),
            values: Vec::new(),
        };
        self.add_place(&mut all);
        self.add_queue(&mut all);
        self.add_claims(&mut all);
        self.add_fields(&mut all);
        all
    }

    fn add_place(&self, all: &mut Conditions) {
        if let Some(parent) = &self.parent {
            all.with(
                "e.id IN (SELECT source FROM relations WHERE target = ? AND type = 'parent')",
                parent.as_str(),
            );
        }
        if let Some(above) = &self.under {
            all.with(
                "e.id IN (
                     WITH RECURSIVE below (id, depth) AS (
                         SELECT source, 0 FROM relations WHERE target = ? AND type = 'parent'
                         UNION SELECT r.source, depth + 1
                         FROM below CROSS JOIN relations r ON r.target = below.id AND r.type = 'parent'
                         WHERE depth < 8)
                     SELECT id FROM below)",
                above.as_str(),
            );
        }
        if self.roots {
            all.add("NOT EXISTS (SELECT 1 FROM relations WHERE source = e.id AND type = 'parent')");
        }
        if self.leaves {
            all.add(
                "NOT EXISTS (
                     SELECT 1 FROM relations r CROSS JOIN entities k ON k.id = r.source
                         AND k.deleted = 0 AND k.status NOT IN ('done', 'skipped', 'cancelled')
                     WHERE r.target = e.id AND r.type = 'parent')",
            );
        }
        let kinds = self.kinds.iter().map(|it| text(it.name())).collect();
        all.one_of(KIND, kinds);
    }

    fn add_queue(&self, all: &mut Conditions) {
        match (self.ready, &self.session) {
            (None, _) | (Some(true), None) => {}
            (Some(false), None) => all.add("e.queue IS NOT 1"),
            (Some(ready), Some(session)) => {
                let held = "(SELECT id FROM claims WHERE expires_at > ? AND owner <> ?)";
                all.add(&if ready {
                    format!("e.id NOT IN {held}")
                } else {
                    format!("(e.queue IS NOT 1 OR e.id IN {held})")
                });
                all.values.extend([now(), text(session)]);
            }
        }
        match self.blocked {
            None => {}
            Some(true) => all.add("e.queue = 2"),
            Some(false) => all.add("e.queue IS NOT 2"),
        }
    }

    fn add_claims(&self, all: &mut Conditions) {
        if let Some(claimed) = self.claimed {
            let word = if claimed { "IN" } else { "NOT IN" };
            all.add(&format!(
                "e.id {word} (SELECT id FROM claims WHERE expires_at > ?)"
            ));
            all.values.push(now());
        }
        if let Some(owner) = &self.claimed_by {
            all.add("e.id IN (SELECT id FROM claims WHERE expires_at > ? AND owner = ?)");
            all.values.extend([now(), text(owner)]);
        }
    }

    fn add_fields(&self, all: &mut Conditions) {
        let statuses = self.statuses.iter().map(|it| text(it.name())).collect();
        all.one_of("e.status", statuses);
        let priorities = self.priorities.iter().map(|it| Sql::Integer(it.number()));
        all.one_of("e.priority", priorities.collect());
        for (condition, value) in [
            (
                "json_extract(e.properties, '$.assignee') = ?",
                &self.assignee,
            ),
            ("e.feature = ?", &self.feature),
            ("e.discipline = ?", &self.discipline),
        ] {
            if let Some(value) = value {
                all.with(condition, value);
            }
        }
        for tag in &self.tags {
            all.with("e.row IN (SELECT row FROM tags WHERE tag = ?)", tag);
        }
        match &self.due {
            None => {}
            Some(Due::On(day)) => all.with("e.due_date = ?", day.as_str()),
            Some(Due::Before(day)) => all.with("e.due_date < ?", day.as_str()),
            Some(Due::After(day)) => all.with("e.due_date > ?", day.as_str()),
            Some(Due::Overdue(today)) => {
                all.with(
                    &format!("e.due_date < ? AND NOT {IS_ENDED}"),
                    today.as_str(),
                );
            }
            Some(Due::Never) => all.add("e.due_date IS NULL"),
        }
        if let Some(words) = &self.text {
            match every_word(words) {
                Some(expression) => all.with(
                    "e.row IN (SELECT rowid FROM search WHERE search MATCH ?)",
                    &expression,
                ),
                None => all.add("false"),
            }
        }
    }

    fn order(&self, order: TaskOrder) -> String {
        match order {
            TaskOrder::Queue if self.place_in_queue().is_some() => QUEUE_ORDER.to_owned(),
            TaskOrder::Queue => format!("{IS_ENDED}, {QUEUE_ORDER}"),
            TaskOrder::Number => "e.number".to_owned(),
            TaskOrder::Updated => "e.updated_at DESC, e.number".to_owned(),
            TaskOrder::Due => "ifnull(e.due_date, '9999-12-32'), e.priority, e.number".to_owned(),
        }
    }
}

fn text(word: &str) -> Sql {
    Sql::Text(word.to_owned())
}

fn now() -> Sql {
    Sql::Integer(Timestamp::now().as_millis())
}

/// A task with the data that a list shows.
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
