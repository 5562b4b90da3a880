//! What is derived from documents: every difference is found and made good.

use serde_json::json;
use windlass_core::{EntityType, RelationType};
use windlass_store::Collection;

use crate::support::{Sandbox, draft, origin, sandbox};

/// A project with something of everything that is derived.
fn project() -> Sandbox {
    let sandbox = sandbox();
    let [first, second, gone] = ["first", "second", "gone"].map(|title| {
        sandbox.add(draft(
            EntityType::Task,
            title,
            Some("some words"),
            &["tag"],
            json!({"priority": "high", "due_date": "2027-01-01"}),
        ))
    });
    sandbox
        .relate(&first, RelationType::Blocks, &second)
        .expect("related");
    sandbox.delete(&gone.id).expect("deleted");
    sandbox
        .store
        .write(&origin(), |writer| {
            writer.edit_records(
                &first,
                Collection::Comments,
                &[windlass_store::RecordEdit::Add(
                    json!({"body": "a comment"}),
                )],
                (windlass_core::EventType::EntityUpdated, &json!({})),
            )
        })
        .expect("commented");
    sandbox
}

fn damage(sandbox: &Sandbox, sql: &str) {
    let connection = rusqlite::Connection::open(sandbox.project.database()).expect("opened");
    connection.execute_batch(sql).expect("damaged");
}

#[test]
fn a_whole_project_has_no_problems_and_a_repair_changes_nothing() {
    let sandbox = project();
    assert_eq!(sandbox.store.check(&origin()).expect("checked"), [""; 0]);
    let before = sandbox.store.last_event().expect("read");
    let repair = sandbox.store.repair(&origin()).expect("repaired");
    assert_eq!(repair, windlass_store::Repair::default());
    assert_eq!(sandbox.store.last_event().expect("read"), before);
}

#[test]
fn every_derived_thing_is_checked_and_repaired() {
    for (sql, expected) in [
        ("DELETE FROM relations", "A relation of #1"),
        ("DELETE FROM tags WHERE row = 2", "A tag of #2"),
        (
            "UPDATE entities SET queue = 1 WHERE row = 2",
            "The row of #2",
        ),
        (
            "UPDATE entities SET queue = NULL WHERE row = 1",
            "The row of #1",
        ),
        (
            "UPDATE entities SET status = 'done' WHERE row = 1",
            "The row of #1",
        ),
        (
            "UPDATE entities SET priority = 3 WHERE row = 1",
            "The row of #1",
        ),
        (
            "UPDATE entities SET due_date = NULL WHERE row = 1",
            "The row of #1",
        ),
        (
            "UPDATE entities SET title = 'other' WHERE row = 1",
            "The row of #1",
        ),
        (
            "UPDATE entities SET deleted = 0 WHERE row = 3",
            "The row of #3",
        ),
        (
            "UPDATE entities SET deleted = 1 WHERE row = 2",
            "The row of #2",
        ),
        ("DELETE FROM records", "A record of #1"),
        (
            "INSERT INTO aliases VALUES (77, (SELECT id FROM entities WHERE row = 1))",
            "A former number of #1",
        ),
        (
            "DELETE FROM events WHERE entity = (SELECT id FROM entities WHERE row = 2)",
            "The history of #2",
        ),
        (
            "UPDATE events SET payload = 'no' WHERE seq = 1",
            "The history of #1",
        ),
        ("DELETE FROM document_updates", "of #1"),
        (
            "INSERT INTO search (search, rowid, title, tags, body, title_pairs, pairs)
                 VALUES ('delete', 1, 'first', 'tag', '', '', '')",
            "search index",
        ),
        (
            "INSERT INTO unspaced (row, title_pairs, pairs) VALUES (2, '東京 京', '')",
            "The search text of #2",
        ),
    ] {
        let sandbox = project();
        damage(&sandbox, sql);
        let found = sandbox.store.check(&origin()).expect("checked");
        assert!(
            found.iter().any(|problem| problem.contains(expected)),
            "{sql}: {found:?}"
        );
        let repair = sandbox.store.repair(&origin()).expect("repaired");
        assert_eq!((repair.found, repair.left), (found, vec![]), "{sql}");
        assert_eq!(sandbox.ready(), ["first"], "{sql}");
    }
}

/// A check of a large project takes seconds: nobody waits for it.
#[test]
fn a_check_holds_no_lock() {
    let sandbox = project();
    let (begun, written) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    let store = &sandbox.store;
    std::thread::scope(|scope| {
        // A writer that is in the middle of its write all the time.
        scope.spawn(|| {
            store
                .write(&origin(), |_| {
                    begun.wait();
                    written.wait();
                    Ok(())
                })
                .expect("written");
        });
        begun.wait();
        assert_eq!(store.check(&origin()).expect("checked"), [""; 0]);
        written.wait();
    });
}

/// A project on record, with so much in it that every table has pages of its own.
struct Recorded {
    _folder: tempfile::TempDir,
    project: windlass_store::Project,
    bindings: windlass_store::Bindings,
}

impl Recorded {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        let (project, _) = windlass_store::Project::init(&root).expect("a project");
        let bindings = windlass_store::Bindings::new(folder.path().join("records"));
        let recorded = Self {
            _folder: folder,
            project,
            bindings,
        };
        let store = recorded.open().expect("opened");
        let text = "some words that are searched for. ".repeat(30);
        for number in 0..120 {
            let title = format!("task {number}");
            let new = draft(EntityType::Task, &title, Some(&text), &["tag"], json!({}));
            let made = store.write(&origin(), |writer| writer.create(new));
            let made = made.expect("created");
            if number % 3 == 0 {
                store
                    .write(&origin(), |writer| writer.delete(&made.id))
                    .expect("deleted");
            }
        }
        drop(store);
        // Free pages, and everything in the file itself.
        let connection = recorded.connection();
        connection
            .execute_batch(
                "CREATE TABLE filler (x); INSERT INTO filler SELECT zeroblob(3000) FROM events LIMIT 60;
                 DROP TABLE filler; PRAGMA wal_checkpoint(TRUNCATE);",
            )
            .expect("freed");
        recorded
    }

    fn open(&self) -> windlass_core::Result<windlass_store::Store> {
        windlass_store::Store::open_bound(&self.project, &self.bindings)
    }

    fn connection(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.project.database()).expect("opened")
    }

    /// A page of a table or index.
    fn page(&self, name: &str, kind: &str) -> usize {
        let sql =
            "SELECT pageno FROM dbstat WHERE name = ?1 AND pagetype = ?2 ORDER BY pageno LIMIT 1";
        let page: u32 = self
            .connection()
            .query_row(sql, [name, kind], |row| row.get(0))
            .expect("a page");
        usize::try_from(page).expect("small")
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.project.database()).expect("read")
    }

    fn spoil(&self, from: usize, count: usize) {
        let mut bytes = self.bytes();
        bytes[from..from + count].fill(0xC3);
        std::fs::write(self.project.database(), bytes).expect("written");
    }
}

const PAGE: usize = 4_096;

/// Real damage at several places: nothing is written to the file once it was noticed, and what can be
/// read is saved into a new one.
#[test]
fn a_damaged_file_is_not_written_to_and_what_can_be_read_is_saved() {
    let free = |recorded: &Recorded| {
        let bytes = recorded.bytes();
        let page = u32::from_be_bytes([bytes[32], bytes[33], bytes[34], bytes[35]]);
        usize::try_from(page).expect("small")
    };
    for (name, most_lost) in [
        ("header", 0),
        ("documents leaf", 40),
        ("entities leaf", 40),
        ("entities_number leaf", 0),
        ("events leaf", 0),
        ("freelist", 0),
    ] {
        let recorded = Recorded::new();
        match name {
            "header" => recorded.spoil(0, 100),
            "freelist" => {
                let page = free(&recorded);
                assert!(page > 1, "there are free pages");
                recorded.spoil((page - 1) * PAGE, PAGE);
            }
            place => {
                let (table, kind) = place.split_once(' ').expect("two words");
                let page = recorded.page(table, kind);
                recorded.spoil((page - 1) * PAGE, PAGE);
            }
        }
        for beside in ["windlass.db-wal", "windlass.db-shm"] {
            let _ = std::fs::remove_file(recorded.project.state().join(beside));
        }
        let before = recorded.bytes();
        if let Ok(store) = recorded.open() {
            let found = store.check_file();
            assert!(!found.is_ok_and(|found| found.is_empty()), "{name}");
            let new = draft(EntityType::Task, "new", None, &[], json!({}));
            let refused = store.write(&origin(), |writer| writer.create(new));
            let refused = refused.expect_err("refused");
            assert!(
                refused.hint().is_some_and(|hint| hint.contains("--repair")),
                "{name}: {refused}"
            );
            let repair = store.repair(&origin());
            assert!(
                repair.is_err() || repair.is_ok_and(|it| !it.left.is_empty()),
                "{name}"
            );
        }
        assert_eq!(recorded.bytes(), before, "{name}: not a byte was written");
        let saved = windlass_store::salvage(&recorded.project, &recorded.bindings, &origin());
        let saved = saved.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(saved.entities >= 80 - most_lost, "{name}: {saved:?}");
        let kept = saved.kept.expect("kept");
        assert_eq!(std::fs::read(kept).expect("read"), before, "{name}");
        let store = recorded.open().expect("opened");
        store.check_trusted().expect("trusted");
        let problems = store.check(&origin()).expect("checked");
        assert_eq!(problems, [""; 0], "{name}");
        let new = draft(EntityType::Task, "new", None, &[], json!({}));
        store
            .write(&origin(), |writer| writer.create(new))
            .expect("written");
    }
}
