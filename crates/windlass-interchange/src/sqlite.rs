//! Databases of other tools: read-only, never executed, and for a bounded time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Number, Value as Json};

use crate::files::{self, LARGEST, MOST_ITEMS};

/// A database that cannot be read in this time is not one of a plan.
const LONGEST: Duration = Duration::from_mins(2);

/// A database of another tool. The folder holds the copy, if one was needed.
pub struct Database {
    connection: Connection,
    _copy: Option<tempfile::TempDir>,
}

impl Database {
    /// Opens a database. One whose newest changes are still in a log beside it is copied with its log
    /// first: the file itself is never written to, and the tool may still have it open.
    pub fn open(path: &Path) -> Result<Self, String> {
        let said = |problem: &dyn std::fmt::Display| format!("it cannot be read: {problem}");
        let file = files::open(path).map_err(|problem| said(&problem))?;
        let length = file.metadata().map_err(|problem| said(&problem))?.len();
        if length > LARGEST {
            return Err(format!("it is larger than {LARGEST} bytes"));
        }
        let log = beside(path, "-wal");
        let copy = if files::open(&log).is_ok_and(|log| log.metadata().is_ok_and(|it| it.len() > 0))
        {
            Some(copy(path, &log).map_err(|problem| said(&problem))?)
        } else {
            None
        };
        let (opened, immutable) = match &copy {
            Some(folder) => (folder.path().join("copy.db"), ""),
            None => (path.to_owned(), "&immutable=1"),
        };
        let uri = format!("file:{}?mode=ro{immutable}", escaped(&opened));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let prepare = || -> rusqlite::Result<Connection> {
            let mut connection = Connection::open_with_flags(uri, flags)?;
            connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;")?;
            let end = Instant::now() + LONGEST;
            connection.progress_handler(10_000, Some(move || Instant::now() > end))?;
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
            Ok(connection)
        };
        let connection = prepare().map_err(|problem| said(&problem))?;
        Ok(Self {
            connection,
            _copy: copy,
        })
    }

    /// The columns of a table; none if there is no such table. Views and computed columns are not read:
    /// they are programs.
    pub fn columns(&self, table: &str) -> Vec<String> {
        let plain: bool = self
            .connection
            .query_row(
                "SELECT count(*) = 1 FROM sqlite_master
                 WHERE name = ?1 AND type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
                [table],
                |row| row.get(0),
            )
            .unwrap_or(false);
        if !plain {
            return Vec::new();
        }
        self.connection
            .prepare("SELECT name FROM pragma_table_info(?1)")
            .and_then(|mut statement| statement.query_map([table], |row| row.get(0))?.collect())
            .unwrap_or_default()
    }

    pub fn has(&self, table: &str) -> bool {
        !self.columns(table).is_empty()
    }

    /// All rows of a table, each as an object, in the order of the given columns.
    pub fn rows(&self, table: &str, order: &str) -> Result<Vec<Map<String, Json>>, String> {
        let columns = self.columns(table);
        if columns.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
        let sql = format!(
            "SELECT {} FROM {} ORDER BY {order} LIMIT {}",
            names.join(", "),
            quoted(table),
            MOST_ITEMS * 8
        );
        let read = || -> rusqlite::Result<Vec<Map<String, Json>>> {
            let mut statement = self.connection.prepare(&sql)?;
            let rows = statement.query_map([], |row| {
                let mut object = Map::new();
                for (at, name) in columns.iter().enumerate() {
                    object.insert(name.clone(), value(row.get_ref(at)?));
                }
                Ok(object)
            })?;
            rows.collect()
        };
        read().map_err(|problem| format!("its table \"{table}\" cannot be read: {problem}"))
    }
}

fn value(value: ValueRef<'_>) -> Json {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => Json::Null,
        ValueRef::Integer(number) => Json::from(number),
        ValueRef::Real(number) => Number::from_f64(number).map_or(Json::Null, Json::Number),
        ValueRef::Text(bytes) => Json::from(String::from_utf8_lossy(bytes)),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn copy(path: &Path, log: &Path) -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    for (from, name) in [(path, "copy.db"), (log, "copy.db-wal")] {
        std::fs::write(folder.path().join(name), files::bytes(from, LARGEST)?)?;
    }
    Ok(folder)
}

/// A path in a URI of SQLite.
fn escaped(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let mut out = String::new();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
            out.push(char::from(*byte));
        } else {
            out.push('%');
            out.push_str(&windlass_core::hexadecimal(&[*byte]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_still_in_the_log_is_read_and_nothing_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a b?.db");
        let writer = Connection::open(&path).expect("created");
        writer
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
                 CREATE TABLE tasks (id TEXT, n INTEGER); INSERT INTO tasks VALUES ('a', 1);
                 CREATE VIEW views AS SELECT * FROM tasks;",
            )
            .expect("filled");
        let before = std::fs::read(&path).expect("read");
        let database = Database::open(&path).expect("opened");
        let rows = database.rows("tasks", "id").expect("rows");
        assert_eq!(Json::from(rows), serde_json::json!([{"id": "a", "n": 1}]));
        assert!(!database.has("views"), "views are not read");
        assert!(database.rows("absent", "id").expect("none").is_empty());
        assert_eq!(std::fs::read(&path).expect("read"), before);
        drop(writer);
        let database = Database::open(&path).expect("opened as it is");
        assert_eq!(database.rows("tasks", "id").expect("rows").len(), 1);
    }

    #[test]
    fn what_is_not_a_database_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.db");
        std::fs::write(
            &path,
            "not a database, but long enough to be looked at ".repeat(50),
        )
        .expect("written");
        assert!(Database::open(&path).is_err());
        assert!(Database::open(folder.path()).is_err());
    }
}
