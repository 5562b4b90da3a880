//! The schema of the database, by version. The statements of a released version are never changed.

use rusqlite::Connection;
use windlass_core::{Error, ErrorKind, Result};

use crate::error::StorageContext as _;
use crate::unspaced;

/// Statements that lead from each version to the next. The first creates a new database.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
    include_str!("schema/7.sql"),
    include_str!("schema/8.sql"),
    include_str!("schema/9.sql"),
    include_str!("schema/10.sql"),
];

/// The version that a list of migrations leads to.
pub(crate) fn newest(migrations: &[&str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

pub(crate) fn version(connection: &Connection) -> Result<i64> {
    connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .stored()
}

/// Refuses a database that a newer binary wrote.
pub(crate) fn check_not_newer(found: i64, migrations: &[&str]) -> Result<()> {
    let known = newest(migrations);
    if found <= known {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::DatabaseTooNew,
        format!(
            "The project's database has version {found}, but this windlass supports only versions up to {known}"
        ),
    )
    .with("found", found)
    .with("known", known)
    .with_hint(
        "Install a newer windlass. If it is installed, this is an older process that still runs: \
         restart it. The database was not changed.",
    ))
}

/// Migrates a database to the newest version. The caller holds the transaction.
pub(crate) fn migrate(connection: &Connection, from: i64, migrations: &[&str]) -> Result<()> {
    let done = usize::try_from(from).unwrap_or(0);
    for statements in &migrations[done.min(migrations.len())..] {
        connection.execute_batch(statements).stored()?;
    }
    if (from..newest(migrations)).contains(&(unspaced::SINCE - 1)) {
        unspaced::introduce(connection)?;
    }
    connection
        .pragma_update(None, "user_version", newest(migrations))
        .stored()
}
