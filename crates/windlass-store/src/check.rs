//! Consistency: the file, the search index, and everything that is derived from documents.
//!
//! A check makes everything derived again, in a copy, and compares: so it finds what a repair would
//! change, and nothing else has to know what is derived from what. It takes no lock.

use rusqlite::{Connection, TransactionBehavior};
use windlass_core::{EntityId, Origin, Result};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::rescue;
use crate::store::{Store, fresh_peer};
use crate::writer::Writer;

/// How many differences of one table are listed.
const MOST_LISTED: usize = 20;

/// A table of derived rows: what is compared, and how a row is called.
struct Derived {
    table: &'static str,
    columns: &'static str,
    /// SQL for the name of a row `d`.
    name: &'static str,
    what: &'static str,
}

const NUMBER_OF_ROW: &str = "(SELECT '#' || number FROM entities WHERE row = d.row)";
const NUMBER_OF_TASK: &str = "(SELECT '#' || number FROM entities WHERE id = d.task)";
const DERIVED: &[Derived] = &[
    Derived {
        table: "entities",
        columns: "row, id, number, type, title, content, tags, properties, status, priority, due_date, extra, \
                  created_at, updated_at, former_numbers, deleted, queue, name, feature, discipline",
        name: "'#' || d.number",
        what: "The row",
    },
    Derived {
        table: "tags",
        columns: "row, tag",
        name: NUMBER_OF_ROW,
        what: "A tag",
    },
    Derived {
        table: "unspaced",
        columns: "row, title_pairs, pairs",
        name: NUMBER_OF_ROW,
        what: "The search text",
    },
    Derived {
        table: "relations",
        columns: "source, type, target, created_at",
        name: "(SELECT '#' || number FROM entities WHERE id = d.source)",
        what: "A relation",
    },
    Derived {
        table: "aliases",
        columns: "number, id",
        name: "(SELECT '#' || number FROM entities WHERE id = d.id)",
        what: "A former number",
    },
    Derived {
        table: "records",
        columns: "row, collection, key, number, body",
        name: NUMBER_OF_ROW,
        what: "A record",
    },
    Derived {
        table: "reviews",
        columns: "id, number, former_numbers, task, turn, place, status, session, actor, round, summary, start_commit, \
                  start_tree, submit_commit, submit_tree, submitted_at, gates_completed_at, agent_completed_at, \
                  human_completed_at, created_at, updated_at",
        name: NUMBER_OF_TASK,
        what: "A review",
    },
    Derived {
        table: "review_comments",
        columns: "id, number, former_numbers, review, task, author, session, file_path, line_start, line_end, side, \
                  body, created_at, resolved_at",
        name: NUMBER_OF_TASK,
        what: "A comment on a review",
    },
    Derived {
        table: "help_requests",
        columns: "id, number, former_numbers, task, from_status, category, reason, suggested_options, status, response, \
                  chosen_option, session, created_at, responded_at, resumed_at",
        name: NUMBER_OF_TASK,
        what: "A help request",
    },
    Derived {
        table: "documents",
        columns: "row",
        name: NUMBER_OF_ROW,
        what: "The document",
    },
    Derived {
        table: "document_updates",
        columns: "row, seq",
        name: NUMBER_OF_ROW,
        what: "A stored change",
    },
    Derived {
        table: "outbox",
        columns: "id, seq",
        name: "(SELECT '#' || number FROM entities WHERE id = d.id)",
        what: "A change that waits to be sent",
    },
    Derived {
        table: "events",
        columns: "seq, payload, entity",
        name: "(SELECT '#' || number FROM entities WHERE id = d.entity)",
        what: "The history",
    },
];

/// What a repair found and changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repair {
    /// What was wrong before.
    pub found: Vec<String>,
    /// What is still wrong.
    pub left: Vec<String>,
}

impl Store {
    /// Looks for damage and returns what it found; an empty list if there is none. Works on a copy
    /// of one moment: others read and write meanwhile.
    pub fn check(&self, origin: &Origin) -> Result<Vec<String>> {
        // A temporary file that SQLite removes.
        let mut copy = Connection::open("").stored()?;
        self.read(None, |reader| {
            rescue::copy_into(reader.connection(), &mut copy)
        })?;
        let transaction = copy
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .stored()?;
        let writer = Writer::new(&transaction, origin, fresh_peer(), &self.process);
        let damage = writer.check_file();
        self.note_damage(&damage);
        let mut problems = damage?;
        problems.extend(writer.check_search());
        problems.extend(writer.check_numbers()?);
        problems.extend(writer.compare_with_documents()?);
        Ok(problems)
    }

    /// Makes everything that is derived from documents again, in one transaction. A file that is
    /// damaged is left as it is: [`crate::salvage`] saves what can be read of it.
    pub fn repair(&self, origin: &Origin) -> Result<Repair> {
        let damage = self.check_file()?;
        if !damage.is_empty() {
            // What is damaged is not written to.
            return Ok(Repair {
                left: damage.clone(),
                found: damage,
            });
        }
        let found = self.check(origin)?;
        if !found.is_empty() {
            self.write(origin, |writer| {
                writer.rebuild()?;
                writer.rebuild_search()
            })?;
        }
        let left = if found.is_empty() {
            Vec::new()
        } else {
            self.check(origin)?
        };
        Ok(Repair { found, left })
    }
}

impl Writer<'_> {
    fn check_search(&self) -> Option<String> {
        self.connection()
            .execute(
                "INSERT INTO search (search, rank) VALUES ('integrity-check', 1)",
                [],
            )
            .err()
            .map(|error| format!("The search index and the rows differ: {error}"))
    }

    /// Only for a copy: it is different afterwards.
    fn compare_with_documents(&self) -> Result<Vec<String>> {
        let connection = self.connection();
        for derived in DERIVED {
            connection
                .execute_batch(&format!(
                    "CREATE TEMP TABLE found_{0} AS SELECT {1} FROM {0}",
                    derived.table, derived.columns
                ))
                .stored()?;
        }
        let mut problems = self.rebuild()?;
        for derived in DERIVED {
            problems.extend(derived.differences(connection)?);
        }
        Ok(problems)
    }
}

impl Derived {
    fn differences(&self, connection: &Connection) -> Result<Vec<String>> {
        let Self {
            table,
            columns,
            name,
            what,
        } = self;
        let mut names: Vec<Option<String>> = connection
            .prepare(&format!(
                "SELECT DISTINCT {name} FROM (
                     SELECT * FROM (SELECT {columns} FROM {table} EXCEPT SELECT * FROM temp.found_{table})
                     UNION ALL
                     SELECT * FROM (SELECT * FROM temp.found_{table} EXCEPT SELECT {columns} FROM {table})) d"
            ))
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .stored()?;
        let all = names.len();
        names.truncate(MOST_LISTED);
        let mut problems: Vec<String> = names
            .into_iter()
            .map(|name| {
                let name = name.unwrap_or_else(|| "an unknown entity".to_owned());
                format!("{what} of {name} does not agree with its document")
            })
            .collect();
        if all > MOST_LISTED {
            problems.push(format!("{} more in {table}", all - MOST_LISTED));
        }
        Ok(problems)
    }
}

impl Reader<'_> {
    pub(crate) fn check_file(&self) -> Result<Vec<String>> {
        let mut problems: Vec<String> = self
            .connection()
            .prepare("PRAGMA integrity_check")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .stored()?;
        problems.retain(|problem| problem != "ok");
        Ok(problems)
    }

    fn check_numbers(&self) -> Result<Vec<String>> {
        self.connection()
            .prepare("SELECT number FROM entities GROUP BY number HAVING count(*) > 1")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        row.get::<_, i64>(0)
                            .map(|number| format!("Number {number} is used twice"))
                    })?
                    .collect()
            })
            .stored()
    }

    pub(crate) fn all_ids(&self) -> Result<Vec<EntityId>> {
        self.connection()
            .prepare("SELECT id FROM entities ORDER BY row")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| row.get::<_, String>(0).map(EntityId::from_stored))?
                    .collect()
            })
            .stored()
    }
}
