//! Saving what can be read of a damaged database.
//!
//! The damaged file is never written to. What can be read of a copy goes into a new database, where
//! everything derived is made again from the documents; that one takes the place of the damaged one,
//! which is kept.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};
use windlass_core::{Entity, EntityId, Error, Origin, Result};

use crate::binding::{Bindings, Standing};
use crate::document::Document;
use crate::entities::{ENTITY_COLUMNS, entity_from_row};
use crate::error::StorageContext as _;
use crate::files;
use crate::migrations::{self, MIGRATIONS};
use crate::project::Project;
use crate::restore::Restoring;
use crate::servers::ThisProcess;
use crate::store::fresh_peer;
use crate::writer::Writer;

/// How many rows between two readable ones are looked for one by one.
const LONGEST_GAP: i64 = 1_000_000;
const PAGE: u64 = 4_096;
const HEADER: usize = 100;

/// What became of a damaged database.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Salvaged {
    /// What could not be saved, or not as it was.
    pub lost: Vec<String>,
    /// Entities that are there now.
    pub entities: u64,
    /// Where the damaged database is.
    pub kept: Option<PathBuf>,
}

/// Makes a sound database of a damaged one. Only for a state of this user.
pub fn salvage(project: &Project, bindings: &Bindings, origin: &Origin) -> Result<Salvaged> {
    if bindings.standing(project)? != Standing::Own {
        return Err(Error::storage("Only a state of this user can be repaired")
            .with_hint("Take it over first, or put a copy in place: windlass restore."));
    }
    let folder = tempfile::Builder::new()
        .prefix("windlass-salvage-")
        .tempdir()
        .map_err(|problem| Error::storage(problem.to_string()))?;
    let damaged = folder.path().join("damaged.db");
    let saved = folder.path().join("saved.db");
    for ending in ["", "-wal"] {
        let from = files::beside(&project.database(), ending);
        if from.exists() {
            fs::copy(&from, files::beside(&damaged, ending))
                .map_err(|problem| Error::storage(format!("{}: {problem}", from.display())))?;
        }
    }
    let mut lost = read_into(&damaged, &saved)?;
    lost.extend(make_whole(&saved, origin)?);
    let restoring = Restoring::read(&saved, origin)?;
    let entities = restoring.found().entities;
    lost.extend(restoring.differences().iter().cloned());
    let done = restoring.put(project, bindings, origin)?;
    Ok(Salvaged {
        lost,
        entities,
        kept: done.kept,
    })
}

/// Copies every row that can be read. Returns what cannot be, in words.
fn read_into(damaged: &Path, saved: &Path) -> Result<Vec<String>> {
    let mut lost = Vec::new();
    let mut source = Connection::open(damaged).stored()?;
    if migrations::version(&source).is_err() {
        drop(source);
        lost.push("The header of the file was made again".to_owned());
        write_header(damaged)?;
        source = Connection::open(damaged).stored()?;
    }
    let newest = migrations::newest(MIGRATIONS);
    let version = migrations::version(&source)
        .ok()
        .filter(|version| (1..=newest).contains(version))
        .unwrap_or(newest);
    let target = Connection::open(saved).stored()?;
    // What a row refers to may come later, or be lost.
    target.pragma_update(None, "foreign_keys", "OFF").stored()?;
    let count = usize::try_from(version).unwrap_or(0);
    migrations::migrate(&target, 0, &MIGRATIONS[..count])?;
    let tables: Vec<(String, bool)> = target
        .prepare(
            "SELECT name, wr FROM pragma_table_list
             WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name",
        )
        .and_then(|mut it| it.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
        .stored()?;
    let transaction = target.unchecked_transaction().stored()?;
    for (table, without_rowid) in tables {
        transaction
            .execute(&format!("DELETE FROM {table}"), [])
            .stored()?;
        let copied = Copying::new(&source, &transaction, &table)?.run(!without_rowid);
        if let Err(problem) = copied {
            lost.push(format!("Rows of {table} cannot be read ({problem})"));
        }
    }
    transaction.commit().stored()?;
    Ok(lost)
}

/// Copies the rows of one table.
struct Copying<'c> {
    source: &'c Connection,
    target: &'c Connection,
    table: &'c str,
    columns: Vec<String>,
    keys: String,
}

impl<'c> Copying<'c> {
    fn new(source: &'c Connection, target: &'c Connection, table: &'c str) -> Result<Self> {
        let columns: Vec<(String, i64)> = target
            .prepare("SELECT name, pk FROM pragma_table_info(?1)")
            .and_then(|mut it| {
                it.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .stored()?;
        let keys = columns.iter().filter(|(_, key)| *key > 0);
        let keys: Vec<String> = keys.map(|(name, _)| format!("{name} DESC")).collect();
        Ok(Self {
            source,
            target,
            table,
            columns: columns.into_iter().map(|(name, _)| name).collect(),
            keys: keys.join(", "),
        })
    }

    /// From the beginning as far as it goes, then from the end, then what is between. The error is the
    /// first that was met.
    fn run(&self, has_rowid: bool) -> rusqlite::Result<()> {
        let (table, list) = (self.table, self.columns.join(", "));
        if !has_rowid {
            let forward = self.copy(&format!("SELECT 0, {list} FROM {table}"), []);
            let Err(problem) = forward.1 else {
                return Ok(());
            };
            let backward = format!("SELECT 0, {list} FROM {table} ORDER BY {}", self.keys);
            let _ = self.copy(&backward, []);
            return Err(problem);
        }
        let all = format!("SELECT rowid, {list} FROM {table} NOT INDEXED");
        let (last, forward) = self.copy(&format!("{all} ORDER BY rowid"), []);
        let Err(problem) = forward else {
            return Ok(());
        };
        let (first, _) = self.copy(&format!("{all} ORDER BY rowid DESC"), []);
        let begin = last.map_or(1, |last| last + 1);
        let end = first
            .unwrap_or(begin + LONGEST_GAP)
            .min(begin + LONGEST_GAP);
        for row in begin..end {
            let _ = self.copy(&format!("{all} WHERE rowid = ?1"), [row]);
        }
        Err(problem)
    }

    /// Copies what a query gives until it fails. Returns the last row that it gave.
    fn copy(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
    ) -> (Option<i64>, rusqlite::Result<()>) {
        let mut last = None;
        let result = (|| {
            let places = vec!["?"; self.columns.len()].join(", ");
            let insert = format!(
                "INSERT OR IGNORE INTO {} ({}) VALUES ({places})",
                self.table,
                self.columns.join(", ")
            );
            let mut statement = self.source.prepare_cached(sql)?;
            let mut rows = statement.query(parameters)?;
            while let Some(row) = rows.next()? {
                let values: Vec<Sql> = (1..=self.columns.len())
                    .map(|place| row.get(place))
                    .collect::<rusqlite::Result<_>>()?;
                last = Some(row.get(0)?);
                // A value that is not of the column's kind is damage too.
                let _ = self
                    .target
                    .prepare_cached(&insert)?
                    .execute(params_from_iter(values));
            }
            Ok(())
        })();
        (last, result)
    }
}

/// Gives a copy whose first bytes are destroyed those of a new database.
fn write_header(damaged: &Path) -> Result<()> {
    let failed = |problem: std::io::Error| Error::storage(problem.to_string());
    let template = damaged.with_extension("template");
    let new = Connection::open(&template).stored()?;
    migrations::migrate(&new, 0, MIGRATIONS)?;
    drop(new);
    let mut header = fs::read(&template).map_err(failed)?;
    header.truncate(HEADER);
    let mut bytes = fs::read(damaged).map_err(failed)?;
    let pages = u32::try_from(bytes.len() as u64 / PAGE).unwrap_or(u32::MAX);
    if header.len() < HEADER || bytes.len() < HEADER {
        return Err(
            Error::storage("There is nothing in the file that could be read")
                .with_hint("Put a copy in place: windlass restore."),
        );
    }
    header[28..32].copy_from_slice(&pages.to_be_bytes());
    // No list of free pages: they may be used.
    header[32..40].fill(0);
    // The number of changes must be that for which the number of pages holds.
    let changes: [u8; 4] = [header[24], header[25], header[26], header[27]];
    header[92..96].copy_from_slice(&changes);
    if files::beside(damaged, "-wal").exists() {
        header[18..20].fill(2);
    }
    bytes[..HEADER].copy_from_slice(&header);
    fs::write(damaged, bytes).map_err(failed)
}

/// Brings the saved rows to this version and makes everything derived again.
fn make_whole(saved: &Path, origin: &Origin) -> Result<Vec<String>> {
    let connection = Connection::open(saved).stored()?;
    connection
        .pragma_update(None, "foreign_keys", "OFF")
        .stored()?;
    let transaction = connection.unchecked_transaction().stored()?;
    let version = migrations::version(&transaction)?;
    migrations::migrate(&transaction, version, MIGRATIONS)?;
    // Tables of one row. What was handed out of the outbox is not known then, so all of it counts.
    for (table, column, value) in [
        ("rewrites", "count", "0"),
        ("project", "id", "''"),
        ("carried", "done", "0"),
        (
            "sealed",
            "through",
            "ifnull((SELECT max(seq) FROM outbox), 0)",
        ),
    ] {
        transaction
            .execute(
                &format!("INSERT INTO {table} ({column}) SELECT {value} WHERE NOT EXISTS (SELECT 1 FROM {table})"),
                [],
            )
            .stored()?;
    }
    let process = ThisProcess::default();
    let writer = Writer::new(&transaction, origin, fresh_peer(), &process);
    let mut lost = writer.replace_unreadable_documents()?;
    lost.extend(writer.rebuild()?);
    writer.rebuild_search()?;
    transaction.commit().stored()?;
    connection
        .pragma_update(None, "journal_mode", "DELETE")
        .stored()?;
    Ok(lost)
}

impl Writer<'_> {
    /// An entity whose document is gone gets a new one from its row, under a new id: other clones may
    /// have the old one, and two documents of one id would not merge.
    fn replace_unreadable_documents(&self) -> Result<Vec<String>> {
        let connection = self.connection();
        let rows: Vec<(i64, bool, Option<Entity>)> = connection
            .prepare(&format!(
                "SELECT {ENTITY_COLUMNS}, e.row, e.deleted FROM entities e ORDER BY e.row"
            ))
            .and_then(|mut it| {
                it.query_map([], |row| {
                    Ok((row.get(10)?, row.get(11)?, entity_from_row(row).ok()))
                })?
                .collect()
            })
            .stored()?;
        let mut lost = Vec::new();
        for (row, deleted, entity) in rows {
            let document = self.document_in(row, self.peer.get());
            if document.is_ok_and(|document| document.record().is_ok()) {
                continue;
            }
            for sql in [
                "DELETE FROM documents WHERE row = ?1",
                "DELETE FROM document_updates WHERE row = ?1",
                "DELETE FROM records WHERE row = ?1",
            ] {
                connection.execute(sql, [row]).stored()?;
            }
            let Some(mut entity) = entity.filter(|_| !deleted) else {
                connection
                    .execute("DELETE FROM tags WHERE row = ?1", [row])
                    .stored()?;
                connection
                    .execute("DELETE FROM entities WHERE row = ?1", [row])
                    .stored()?;
                continue;
            };
            lost.push(format!(
                "#{} {}: its document cannot be read; it was made again from what lists show, without its relations, comments and history",
                entity.number, entity.title
            ));
            let old = std::mem::replace(&mut entity.id, EntityId::random());
            for sql in [
                "UPDATE entities SET id = ?2 WHERE id = ?1",
                "UPDATE events SET entity = ?2 WHERE entity = ?1",
            ] {
                connection
                    .execute(sql, (old.as_str(), entity.id.as_str()))
                    .stored()?;
            }
            connection
                .execute("DELETE FROM outbox WHERE id = ?1", [old.as_str()])
                .stored()?;
            let document = Document::create(&entity, self.peer.get())?;
            let update = document.update()?;
            self.store_new(row, &update)?;
            self.put_in_outbox(&entity.id, &update)?;
        }
        // Documents without a row get one from the rebuild; changes without a document are lost.
        connection
            .execute(
                "DELETE FROM document_updates WHERE row NOT IN (SELECT row FROM documents)",
                [],
            )
            .stored()?;
        Ok(lost)
    }
}
