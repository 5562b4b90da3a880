//! Which tasks a list is about, and in which order: any combination of conditions as one piece of SQL.
//!
//! Only conditions on the assignee and on the kind look at each task that fits the others.

use rusqlite::types::Value as Sql;
use windlass_core::workflow::TaskKind;
use windlass_core::{Date, EntityId, Priority, TaskStatus, Timestamp};

use crate::search::every_word;
use crate::workflow::KIND;

/// The order of the queue: priority, due date (none last), number. An index has it.
pub(crate) const QUEUE_ORDER: &str = "e.priority, ifnull(e.due_date, '9999-12-32'), e.number";
/// The parts of `e` that are not deleted.
pub(crate) const LIVING_PARTS: &str = "SELECT 1 FROM relations r CROSS JOIN entities part
    ON part.id = r.source AND part.deleted = 0 WHERE r.target = e.id AND r.type = 'parent'";
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

/// In which order tasks are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TaskOrder {
    /// Open tasks before ended ones, then by priority, due date (none last) and number.
    #[default]
    Queue,
    Number,
    /// The last changed first.
    Updated,
    /// The soonest first, those without a date last.
    Due,
    /// What is made of parts first, then by number.
    PartsFirst,
}

/// Which tasks are asked for. What is not set narrows nothing.
#[derive(Debug, Clone, Default)]
pub struct TaskFilter {
    pub parent: Option<EntityId>,
    /// Anywhere below this task.
    pub under: Option<EntityId>,
    /// Only those without a parent.
    pub roots: bool,
    /// Only those without unfinished children.
    pub leaves: bool,
    pub kinds: Vec<TaskKind>,
    pub statuses: Vec<TaskStatus>,
    /// Whether they can be worked on.
    pub ready: Option<bool>,
    /// For whom they must be ready: what another session holds is not. Without it claims do not count.
    pub session: Option<String>,
    /// Whether they wait, for other tasks or for a person.
    pub blocked: Option<bool>,
    pub claimed: Option<bool>,
    pub claimed_by: Option<String>,
    pub assignee: Option<String>,
    pub feature: Option<String>,
    pub discipline: Option<String>,
    /// All of them.
    pub tags: Vec<String>,
    pub priorities: Vec<Priority>,
    pub due: Option<Due>,
    /// Words that all occur in the task.
    pub text: Option<String>,
}

/// Conditions over a table `e`, with their values in order.
pub(crate) struct Conditions {
    pub sql: String,
    pub values: Vec<Sql>,
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
    /// Whether one place in the queue is asked for, so that its index finds and sorts the tasks.
    fn place_in_queue(&self) -> Option<&'static str> {
        if self.ready == Some(true) {
            return Some("e.queue = 1");
        }
        (self.blocked == Some(true)).then_some("e.queue = 2")
    }

    /// Whether a condition finds few tasks by an index of its own.
    fn is_selective(&self) -> bool {
        self.parent.is_some()
            || self.under.is_some()
            || self.claimed == Some(true)
            || self.claimed_by.is_some()
            || self.feature.is_some()
            || self.discipline.is_some()
            || !self.tags.is_empty()
            || !matches!(self.due, None | Some(Due::Never))
            || self.text.is_some()
    }

    pub(crate) fn conditions(&self) -> Conditions {
        let first = match self.place_in_queue() {
            // What has a place in the queue is a living task.
            Some(place) => place,
            // The plus keeps the index of types out of it: each of these has a better one.
            None if self.is_selective() => "e.deleted = 0 AND +e.type = 'task'",
            None => "e.deleted = 0 AND e.type = 'task'",
        };
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
                let held = claimed_rows("AND c.owner <> ?");
                all.add(&if ready {
                    format!("e.row NOT IN {held}")
                } else {
                    format!("(e.queue IS NOT 1 OR e.row IN {held})")
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
            all.add(&format!("e.row {word} {}", claimed_rows("")));
            all.values.push(now());
        }
        if let Some(owner) = &self.claimed_by {
            all.add(&format!("e.row IN {}", claimed_rows("AND c.owner = ?")));
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

    pub(crate) fn order(&self, order: TaskOrder) -> String {
        match order {
            TaskOrder::Queue if self.place_in_queue().is_some() => QUEUE_ORDER.to_owned(),
            TaskOrder::Queue => format!("{IS_ENDED}, {QUEUE_ORDER}"),
            TaskOrder::Number => "e.number".to_owned(),
            TaskOrder::Updated => "e.updated_at DESC, e.number DESC".to_owned(),
            TaskOrder::PartsFirst => format!("NOT EXISTS ({LIVING_PARTS}), e.number"),
            TaskOrder::Due => "ifnull(e.due_date, '9999-12-32'), e.priority, e.number".to_owned(),
        }
    }
}

/// The rows of tasks with a live claim. Rows are in every index, ids are not.
fn claimed_rows(more: &str) -> String {
    format!(
        "(SELECT held.row FROM claims c CROSS JOIN entities held ON held.id = c.id
          WHERE c.expires_at > ? {more})"
    )
}

fn text(word: &str) -> Sql {
    Sql::Text(word.to_owned())
}

pub(crate) fn now() -> Sql {
    Sql::Integer(Timestamp::now().as_millis())
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, params_from_iter};

    use super::*;
    use crate::migrations::{MIGRATIONS, migrate};

    /// The index that finds the tasks of a filter.
    fn found_by(filter: &TaskFilter) -> String {
        let connection = Connection::open_in_memory().expect("opened");
        migrate(&connection, 0, MIGRATIONS).expect("migrated");
        let Conditions { sql, values } = filter.conditions();
        let order = filter.order(TaskOrder::Queue);
        let plan: Vec<String> = connection
            .prepare(&format!(
                "EXPLAIN QUERY PLAN SELECT e.row FROM entities e WHERE {sql} ORDER BY {order} LIMIT 50"
            ))
            .expect("prepared")
            .query_map(params_from_iter(&values), |row| row.get(3))
            .expect("asked")
            .collect::<Result<_, _>>()
            .expect("read");
        plan.join("; ")
    }

    #[test]
    fn filters_are_found_by_their_indexes() {
        let filter = TaskFilter::default;
        let day = Date::parse("due", "2026-01-01").expect("a day");
        for (filter, index) in [
            (
                TaskFilter {
                    ready: Some(true),
                    session: Some("x".into()),
                    ..filter()
                },
                "entities_queue",
            ),
            (
                TaskFilter {
                    blocked: Some(true),
                    ..filter()
                },
                "entities_queue",
            ),
            (
                TaskFilter {
                    statuses: vec![TaskStatus::Done],
                    ..filter()
                },
                "entities_status",
            ),
            (
                TaskFilter {
                    feature: Some("x".into()),
                    ..filter()
                },
                "entities_feature",
            ),
            (
                TaskFilter {
                    discipline: Some("x".into()),
                    ..filter()
                },
                "entities_discipline",
            ),
            (
                TaskFilter {
                    due: Some(Due::Overdue(day)),
                    ..filter()
                },
                "entities_due",
            ),
            (
                TaskFilter {
                    claimed: Some(true),
                    ..filter()
                },
                "INTEGER PRIMARY KEY",
            ),
            (
                TaskFilter {
                    claimed_by: Some("x".into()),
                    ..filter()
                },
                "INTEGER PRIMARY KEY",
            ),
            (
                TaskFilter {
                    tags: vec!["x".into()],
                    ..filter()
                },
                "INTEGER PRIMARY KEY",
            ),
            (
                TaskFilter {
                    text: Some("x".into()),
                    ..filter()
                },
                "INTEGER PRIMARY KEY",
            ),
            (
                TaskFilter {
                    parent: Some(EntityId::random()),
                    ..filter()
                },
                "(id=?)",
            ),
            (
                TaskFilter {
                    under: Some(EntityId::random()),
                    ..filter()
                },
                "(id=?)",
            ),
        ] {
            let plan = found_by(&filter);
            let first = plan.split("; ").next().unwrap_or_default();
            assert!(
                first.starts_with("SEARCH e") && first.contains(index),
                "{filter:?}: {plan}"
            );
        }
    }

    #[test]
    fn the_queue_is_not_sorted_again() {
        let ready = TaskFilter {
            ready: Some(true),
            session: Some("x".into()),
            ..TaskFilter::default()
        };
        let plan = found_by(&ready);
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}
