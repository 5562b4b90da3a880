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
            "INSERT INTO search (search, rowid, title, tags, body) VALUES ('delete', 1, 'first', 'tag', '')",
            "search index",
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
