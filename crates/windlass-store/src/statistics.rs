//! Numbers about the whole project.

use std::collections::BTreeMap;

use windlass_core::{EntityType, Result, TaskStatus, Timestamp};

use crate::error::StorageContext as _;
use crate::reader::Reader;

#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// For every type, also those without entities.
    pub entities: BTreeMap<&'static str, i64>,
    pub relations: i64,
    pub last_modified: Option<Timestamp>,
}

/// The number of tasks with one feature, discipline and status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskCount {
    pub feature: Option<String>,
    pub discipline: Option<String>,
    pub status: TaskStatus,
    pub count: u64,
}

impl Reader<'_> {
    /// All tasks that are not deleted, counted by feature, discipline and status.
    pub fn task_counts(&self) -> Result<Vec<TaskCount>> {
        self.connection()
            .prepare_cached(
                "SELECT feature, discipline, status, count(*) FROM entities
                 WHERE type = 'task' AND deleted = 0 GROUP BY feature, discipline, status",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        let status: Option<String> = row.get(2)?;
                        let count: i64 = row.get(3)?;
                        Ok(TaskCount {
                            feature: row.get(0)?,
                            discipline: row.get(1)?,
                            status: status
                                .as_deref()
                                .and_then(TaskStatus::parse)
                                .unwrap_or(TaskStatus::Pending),
                            count: u64::try_from(count).unwrap_or(0),
                        })
                    })?
                    .collect()
            })
            .stored()
    }

    pub fn statistics(&self) -> Result<Statistics> {
        self.consistently(|reader| {
            let connection = reader.connection();
            let mut entities = BTreeMap::new();
            for kind in EntityType::ALL {
                let count = connection
                    .prepare_cached("SELECT count(*) FROM entities WHERE type = ?1 AND deleted = 0")
                    .and_then(|mut statement| statement.query_row([kind.name()], |row| row.get(0)))
                    .stored()?;
                entities.insert(kind.name(), count);
            }
            let relations = connection
                .query_row("SELECT count(*) FROM relations", [], |row| row.get(0))
                .stored()?;
            let last_modified: Option<String> = connection
                .query_row(
                    "SELECT at FROM events ORDER BY seq DESC LIMIT 1",
                    [],
                    |row| row.get(0),
                )
                .map(Some)
                .or_else(|error| match error {
                    rusqlite::Error::QueryReturnedNoRows => Ok(None),
                    other => Err(other),
                })
                .stored()?;
            Ok(Statistics {
                entities,
                relations,
                last_modified: last_modified.map(Timestamp::from_stored),
            })
        })
    }

    /// The tables of the database, and how many rows each has. Nothing of what is in them.
    pub fn table_sizes(&self) -> Result<BTreeMap<String, u64>> {
        self.consistently(|reader| {
            let connection = reader.connection();
            let names: Vec<String> = connection
                .prepare(
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
                )
                .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
                .stored()?;
            let sizes = names.into_iter().map(|name| {
                let quoted = name.replace('"', "\"\"");
                let rows: i64 = connection
                    .query_row(&format!("SELECT count(*) FROM \"{quoted}\""), [], |row| row.get(0))
                    .stored()?;
                Ok((name, u64::try_from(rows).unwrap_or(0)))
            });
            sizes.collect()
        })
    }

    /// Tags that begin with `typed`, most used first.
    pub fn tags_like(&self, typed: &str, limit: u32) -> Result<Vec<String>> {
        self.texts(
            "SELECT tag FROM tags WHERE substr(tag, 1, length(?1)) = ?1
             GROUP BY tag ORDER BY count(*) DESC, tag LIMIT ?2",
            typed,
            limit,
        )
    }

    /// Numbers of entities that begin with the digits `typed`.
    pub fn numbers_like(&self, typed: &str, limit: u32) -> Result<Vec<String>> {
        self.texts(
            "SELECT CAST(number AS TEXT) FROM entities
             WHERE deleted = 0 AND substr(CAST(number AS TEXT), 1, length(?1)) = ?1
             ORDER BY number LIMIT ?2",
            typed,
            limit,
        )
    }

    /// Ids of entities that begin with `typed`.
    pub fn ids_like(&self, typed: &str, limit: u32) -> Result<Vec<String>> {
        self.texts(
            "SELECT id FROM entities WHERE deleted = 0 AND id >= ?1 AND id < ?1 || 'g' ORDER BY id LIMIT ?2",
            typed,
            limit,
        )
    }

    /// Due dates that begin with `typed`.
    pub fn due_dates_like(&self, typed: &str, limit: u32) -> Result<Vec<String>> {
        self.texts(
            "SELECT DISTINCT due_date FROM entities
             WHERE deleted = 0 AND due_date IS NOT NULL AND substr(due_date, 1, length(?1)) = ?1
             ORDER BY due_date LIMIT ?2",
            typed,
            limit,
        )
    }

    fn texts(&self, sql: &str, typed: &str, limit: u32) -> Result<Vec<String>> {
        self.connection()
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement
                    .query_map((typed, limit), |row| row.get(0))?
                    .collect()
            })
            .stored()
    }
}
