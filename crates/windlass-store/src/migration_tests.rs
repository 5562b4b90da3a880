//! A database of every version that was ever released: read as it is, migrated by the first write
//! with a copy beside it, and nothing in it is lost or changed.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};
use serde_json::json;
use windlass_core::{
    Actor, Dialect, Draft, EntityType, EventType, Origin, Page, Patch, RelationType,
};

use crate::backup::{copies_of, examine};
use crate::entities::EntityFilter;
use crate::migrations::{self, MIGRATIONS};
use crate::project::Project;
use crate::records::{Collection, RecordEdit};
use crate::store::Store;

pub(crate) fn origin() -> Origin {
    Origin {
        actor: Actor::Human,
        source: "test",
        session: "test".into(),
        correlation_id: None,
    }
}

/// Entities have comments since this version.
const WITH_RECORDS: usize = 3;

/// A database with what that version could have, and something in every table.
fn filled(project: &Project, version: usize) {
    let store = Store::open(project).expect("created");
    store
        .write(&origin(), |writer| {
            let mut made = Vec::new();
            for title in ["first", "second", "third"] {
                let fields = json!({"priority": "high", "due_date": "2027-01-01"});
                let fields = fields.as_object().cloned().unwrap_or_default();
                let draft = Draft::new(
                    EntityType::Task,
                    title,
                    Some("some words to search for"),
                    &["tag".to_owned()],
                    &fields,
                    Dialect::Knowledge,
                )?;
                made.push(writer.create(draft)?);
            }
            writer.relate(&made[0], RelationType::Blocks, &made[1])?;
            if version >= WITH_RECORDS {
                let edits = [RecordEdit::Add(json!({"body": "a comment"}))];
                let event = (EventType::CommentAdded, &json!({}));
                writer.edit_records(&made[0], Collection::Comments, &edits, event)?;
            }
            let patch = Patch {
                title: Some("changed".to_owned()),
                ..Patch::default()
            };
            writer.update(&made[0].id, &patch, Dialect::Knowledge)?;
            writer.delete(&made[2].id)?;
            // Older versions have no changes beside a document.
            for entity in &made {
                let (row, document) = writer.load_document(&entity.id)?;
                let connection = writer.connection();
                let whole = document.snapshot()?;
                connection
                    .execute(
                        "UPDATE documents SET document = ?2 WHERE row = ?1",
                        (row, whole),
                    )
                    .expect("folded");
                connection
                    .execute("DELETE FROM document_updates WHERE row = ?1", [row])
                    .expect("folded");
            }
            // Whatever the API has not filled gets one row.
            for table in tables(connection_of(writer)) {
                fill(connection_of(writer), &table);
            }
            Ok(())
        })
        .expect("written");
}

fn connection_of<'c>(writer: &crate::writer::Writer<'c>) -> &'c Connection {
    writer.connection()
}

fn tables(connection: &Connection) -> Vec<String> {
    connection
        .prepare(
            "SELECT name FROM pragma_table_list
             WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name",
        )
        .and_then(|mut it| it.query_map([], |row| row.get(0))?.collect())
        .expect("listed")
}

fn columns(connection: &Connection, table: &str) -> Vec<(String, String)> {
    connection
        .prepare(&format!(
            "SELECT name, type FROM pragma_table_info('{table}')"
        ))
        .and_then(|mut it| {
            it.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .expect("listed")
}

fn fill(connection: &Connection, table: &str) {
    let count: i64 = connection
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        })
        .expect("counted");
    let derived = ["document_updates", "aliases", "pending", "records"];
    if count > 0 || derived.contains(&table) {
        return;
    }
    let columns = columns(connection, table);
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let values = columns.iter().map(|(name, kind)| match kind.as_str() {
        "INTEGER" => Sql::Integer(7),
        "BLOB" => Sql::Blob(vec![1, 2, 3]),
        _ => Sql::Text(format!("{{\"{name}\": 1}}")),
    });
    let places = vec!["?"; names.len()].join(", ");
    let sql = format!(
        "INSERT INTO {table} ({}) VALUES ({places})",
        names.join(", ")
    );
    connection
        .execute(&sql, params_from_iter(values))
        .unwrap_or_else(|problem| panic!("{table}: {problem}"));
}

/// Makes the database of a project one of an older version with the same content.
pub(crate) fn make_older(project: &Project, version: usize) {
    let path = project.database();
    let new = path.with_extension("older");
    let connection = Connection::open(&new).expect("opened");
    connection
        .pragma_update(None, "foreign_keys", "OFF")
        .expect("set");
    migrations::migrate(&connection, 0, &MIGRATIONS[..version]).expect("made");
    connection
        .execute("ATTACH ?1 AS newer", [path.to_str().expect("UTF-8")])
        .expect("attached");
    let newest = newest_columns();
    for table in tables(&connection) {
        let all = columns(&connection, &table);
        let list: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        let list = list.join(", ");
        let values: Vec<&str> = all
            .iter()
            .map(|(name, kind)| match kind.as_str() {
                _ if newest[&table].contains(name) => name.as_str(),
                // A column that a later version dropped.
                "INTEGER" => "0",
                _ => "'{}'",
            })
            .collect();
        let values = values.join(", ");
        connection
            .execute_batch(&format!(
                "DELETE FROM main.{table}; INSERT INTO main.{table} ({list}) SELECT {values} FROM newer.{table};"
            ))
            .unwrap_or_else(|problem| panic!("{table}: {problem}"));
    }
    connection
        .execute_batch("INSERT INTO search (search) VALUES ('rebuild'); DETACH newer;")
        .expect("indexed");
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .expect("set");
    drop(connection);
    for ending in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(crate::files::beside(&path, ending));
    }
    std::fs::rename(new, path).expect("renamed");
}

/// The columns of all tables of the newest version.
fn newest_columns() -> BTreeMap<String, Vec<String>> {
    let connection = Connection::open_in_memory().expect("opened");
    migrations::migrate(&connection, 0, MIGRATIONS).expect("made");
    tables(&connection)
        .into_iter()
        .map(|table| {
            let names = columns(&connection, &table).into_iter();
            (table, names.map(|(name, _)| name).collect())
        })
        .collect()
}

/// The values of all tables by their names, in the columns that there are.
fn contents(path: &Path, like: &BTreeMap<String, Vec<String>>) -> BTreeMap<String, Vec<Vec<Sql>>> {
    let connection = Connection::open(path).expect("opened");
    like.iter()
        .map(|(table, columns)| {
            let list = columns.join(", ");
            let rows = connection
                .prepare(&format!("SELECT {list} FROM {table} ORDER BY {list}"))
                .and_then(|mut it| {
                    it.query_map([], |row| {
                        (0..columns.len()).map(|place| row.get(place)).collect()
                    })?
                    .collect()
                })
                .expect("read");
            (table.clone(), rows)
        })
        .collect()
}

pub(crate) fn version_on_disk(path: &Path) -> i64 {
    migrations::version(&Connection::open(path).expect("opened")).expect("a version")
}

#[test]
fn every_version_is_read_as_it_is_and_migrated_by_the_first_write() {
    for version in 1..MIGRATIONS.len() {
        let folder = tempfile::tempdir().expect("a folder");
        let (project, _) = Project::init(folder.path()).expect("a project");
        filled(&project, version);
        make_older(&project, version);
        let path = project.database();
        let shape: BTreeMap<String, Vec<String>> = {
            let connection = Connection::open(&path).expect("opened");
            let newest = newest_columns();
            let all = tables(&connection).into_iter();
            // What changes by itself with the version, or is a shadow of the search index.
            all.filter(|table| !table.starts_with("search"))
                .map(|table| {
                    let names = columns(&connection, &table).into_iter();
                    let names = names.map(|(name, _)| name);
                    let kept = names.filter(|name| newest[&table].contains(name)).collect();
                    (table, kept)
                })
                .collect()
        };
        assert!(shape.len() >= 7, "{shape:?}");
        let before = contents(&path, &shape);
        for (table, rows) in &before {
            let may_be_empty = ["aliases", "pending", "document_updates"];
            assert!(
                !rows.is_empty() || may_be_empty.contains(&table.as_str()),
                "version {version}: {table} has no rows"
            );
        }
        let store = Store::open(&project).expect("opened");
        let titles = |store: &Store| -> Vec<String> {
            let all = EntityFilter::default();
            let read = store.read(None, |reader| reader.entities(&all, Page::default()));
            read.expect("read")
                .0
                .into_iter()
                .map(|it| it.title)
                .collect()
        };
        assert_eq!(titles(&store), ["changed", "second"], "version {version}");
        let found: i64 = i64::try_from(version).expect("small");
        assert_eq!(version_on_disk(&path), found, "reading migrates nothing");
        store.write(&origin(), |_| Ok(())).expect("migrated");
        assert_eq!(version_on_disk(&path), migrations::newest(MIGRATIONS));
        assert_eq!(titles(&store), ["changed", "second"]);
        assert_eq!(contents(&path, &shape), before, "version {version}");
        let problems = store.check(&origin()).expect("checked");
        assert_eq!(problems, [""; 0], "version {version}");
        // What is searched for is found, and what waits waits.
        let hits = store.read(None, |reader| {
            reader.ready_tasks(None, "x", Page::default())
        });
        assert_eq!(hits.expect("read").len(), 1);
        // The copy is offered, and is what was there before.
        let copies = copies_of(&project);
        let [(copy, Ok(known))] = copies.as_slice() else {
            panic!("{copies:?}");
        };
        assert_eq!((known.version, known.entities), (found, 2));
        assert_eq!(contents(copy, &shape), before);
        assert_eq!(examine(copy).expect("sound").version, found);
        drop(store);
    }
}

/// A database that fails its check is not migrated: it stays as it is.
#[test]
fn a_damaged_database_is_not_migrated() {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, _) = Project::init(folder.path()).expect("a project");
    filled(&project, MIGRATIONS.len() - 1);
    make_older(&project, MIGRATIONS.len() - 1);
    let path = project.database();
    let page = {
        let connection = Connection::open(&path).expect("opened");
        let sql = "SELECT pageno FROM dbstat WHERE name = 'entities_number' LIMIT 1";
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'entities_number'";
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u32>(0));
        usize::try_from(number(sql).or_else(|_| number(root)).expect("a page")).expect("small")
    };
    let mut bytes = std::fs::read(&path).expect("read");
    bytes[(page - 1) * 4_096..page * 4_096].fill(0xEE);
    std::fs::write(&path, &bytes).expect("written");
    let store = Store::open(&project).expect("opened");
    let refused = store.write(&origin(), |_| Ok(())).expect_err("refused");
    assert!(
        refused.hint().is_some_and(|hint| hint.contains("--repair")),
        "{refused}"
    );
    assert_eq!(
        std::fs::read(&path).expect("read"),
        bytes,
        "not a byte was written"
    );
    assert!(copies_of(&project).is_empty());
}

/// Run by the test below, in a process that is killed.
#[test]
#[ignore = "needs the folder that another test prepares"]
fn child() {
    let here = std::env::current_dir().expect("a folder");
    if !here.join("migrate").exists() {
        return;
    }
    let project = Project::find(&here).expect("found");
    let store = Store::open(&project).expect("opened");
    store.write(&origin(), |_| Ok(())).expect("migrated");
}

#[test]
fn a_migration_that_is_killed_has_happened_or_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, _) = Project::init(folder.path()).expect("a project");
    filled(&project, MIGRATIONS.len() - 1);
    make_older(&project, MIGRATIONS.len() - 1);
    std::fs::write(folder.path().join("migrate"), "").expect("written");
    let old = std::fs::read(project.database()).expect("read");
    let (mut before, mut after) = (0, 0);
    for round in 0..24_u64 {
        // The same old database again, and no copies of it.
        for entry in std::fs::read_dir(project.state()).expect("read").flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_file()) {
                std::fs::remove_file(entry.path()).expect("removed");
            }
        }
        std::fs::write(project.database(), &old).expect("written");
        let mut child = std::process::Command::new(std::env::current_exe().expect("known"))
            .args(["--exact", "migration_tests::child", "--ignored"])
            .current_dir(folder.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("started");
        std::thread::sleep(std::time::Duration::from_millis(round * 4));
        let _ = child.kill();
        child.wait().expect("ended");
        let version = version_on_disk(&project.database());
        if version == migrations::newest(MIGRATIONS) {
            after += 1;
            assert!(copies_of(&project).iter().any(|(_, copy)| copy.is_ok()));
        } else {
            before += 1;
        }
        let store = Store::open(&project).expect("opened");
        assert_eq!(
            store.check(&origin()).expect("checked"),
            [""; 0],
            "round {round}"
        );
        store.write(&origin(), |_| Ok(())).expect("migrated");
        // Whatever a killed process left, every copy with a name is whole.
        for (path, copy) in copies_of(&project) {
            assert!(copy.is_ok(), "{}: {copy:?}", path.display());
        }
    }
    println!("killed before {before}, after {after}");
    assert!(before > 0);
}
