//! Names, records and times: what the plan adds to entities.

use serde_json::json;
use windlass_core::{Entity, EntityType, ErrorKind, EventType};
use windlass_store::{AttachedRecord, Collection, RecordEdit};

use crate::support::{Sandbox, draft, origin, sandbox};

fn feature(sandbox: &Sandbox, name: &str) -> Entity {
    sandbox.add(draft(
        EntityType::Feature,
        name,
        None,
        &[],
        json!({"name": name}),
    ))
}

fn edit(sandbox: &Sandbox, on: &Entity, edits: &[RecordEdit]) -> Vec<i64> {
    sandbox
        .store
        .write(&origin(), |writer| {
            let event = (EventType::CommentAdded, &json!({}));
            writer.edit_records(on, Collection::Comments, edits, event)
        })
        .expect("edited")
}

fn comments(sandbox: &Sandbox, on: &Entity) -> Vec<AttachedRecord> {
    sandbox
        .store
        .read(None, |reader| reader.records(&on.id, Collection::Comments))
        .expect("read")
}

fn assert_consistent(sandbox: &Sandbox) {
    assert_eq!(sandbox.store.check(&origin()).expect("checked"), [""; 0]);
}

#[test]
fn names_and_acronyms_are_unique_and_names_cannot_change() {
    let sandbox = sandbox();
    let auth = feature(&sandbox, "auth");
    let refused = |properties| {
        let draft = draft(EntityType::Feature, "x", None, &[], properties);
        sandbox
            .store
            .write(&origin(), |writer| writer.create(draft))
            .unwrap_err()
    };
    assert_eq!(refused(json!({"name": "auth"})).data()["field"], "name");
    sandbox
        .set(&auth.id, json!({"acronym": "AUTH"}))
        .expect("set");
    let taken = refused(json!({"name": "other", "acronym": "AUTH"}));
    assert_eq!(taken.data()["field"], "acronym");
    let renamed = sandbox.set(&auth.id, json!({"name": "login"})).unwrap_err();
    assert_eq!(renamed.data()["field"], "name");
    // A discipline is another type.
    sandbox.add(draft(
        EntityType::Discipline,
        "Auth",
        None,
        &[],
        json!({"name": "auth", "acronym": "AUTH"}),
    ));
    let free = sandbox
        .store
        .write(&origin(), |writer| {
            writer.free_acronym(EntityType::Feature, "authority")
        })
        .expect("asked");
    assert_eq!(free.as_deref(), Some("AUT2"));
}

#[test]
fn referenced_entities_must_exist_and_cannot_be_deleted() {
    let sandbox = sandbox();
    let task = sandbox.task("One");
    let unknown = sandbox
        .set(&task.id, json!({"feature": "auht"}))
        .unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::NameNotFound);
    let auth = feature(&sandbox, "auth");
    let near = sandbox
        .set(&task.id, json!({"feature": "auht"}))
        .unwrap_err();
    assert_eq!(near.hint(), Some("Did you mean \"auth\"?"));
    sandbox
        .set(&task.id, json!({"feature": "auth"}))
        .expect("set");
    let error = sandbox
        .store
        .write(&origin(), |writer| writer.delete(&auth.id))
        .unwrap_err();
    assert_eq!(
        error.message(),
        format!(
            "Cannot delete feature \"auth\": task {} references it",
            task.number
        )
    );
    assert_eq!(error.data()["tasks"], json!([task.number]));
    let ui = feature(&sandbox, "ui");
    sandbox
        .set(&ui.id, json!({"dependencies": ["auth"]}))
        .expect("set");
    sandbox
        .set(&task.id, json!({"feature": null}))
        .expect("cleared");
    let error = sandbox
        .store
        .write(&origin(), |writer| writer.delete(&auth.id))
        .unwrap_err();
    assert_eq!(error.data()["features"], json!(["ui"]));
    let itself = sandbox
        .set(&ui.id, json!({"dependencies": ["ui"]}))
        .unwrap_err();
    assert_eq!(itself.data()["value"], "ui");
    assert_consistent(&sandbox);
}

#[test]
fn records_keep_their_numbers() {
    let sandbox = sandbox();
    let task = sandbox.task("One");
    let add = |text: &str| RecordEdit::Add(json!({"body": text}));
    assert_eq!(edit(&sandbox, &task, &[add("a"), add("b")]), [1, 2]);
    edit(&sandbox, &task, &[RecordEdit::Remove(2)]);
    assert_eq!(edit(&sandbox, &task, &[add("c")]), [3]);
    let changed = RecordEdit::Replace(1, json!({"body": "A"}));
    edit(&sandbox, &task, &[changed]);
    let found: Vec<(i64, String)> = comments(&sandbox, &task)
        .into_iter()
        .map(|record| (record.number, record.body["body"].to_string()))
        .collect();
    assert_eq!(found, [(1, "\"A\"".to_owned()), (3, "\"c\"".to_owned())]);
    assert_consistent(&sandbox);
}

#[test]
fn records_of_two_clones_merge() {
    let (here, there) = (sandbox(), sandbox());
    let task = here.task("One");
    edit(&here, &task, &[RecordEdit::Add(json!("first"))]);
    let mail = |from: &Sandbox, to: &Sandbox| {
        let updates = from.store.export_all(&origin()).expect("exported");
        to.store.import(&origin(), &updates).expect("imported");
    };
    mail(&here, &there);
    assert_eq!(comments(&there, &task), comments(&here, &task));
    edit(&here, &task, &[RecordEdit::Add(json!("mine"))]);
    edit(&there, &task, &[RecordEdit::Add(json!("yours"))]);
    mail(&here, &there);
    mail(&there, &here);
    let both = comments(&here, &task);
    assert_eq!(both, comments(&there, &task));
    let numbers: Vec<i64> = both.iter().map(|record| record.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_consistent(&here);
    assert_consistent(&there);
}

#[test]
fn a_merged_row_has_its_names() {
    let (here, there) = (sandbox(), sandbox());
    feature(&here, "auth");
    let task = here.task("One");
    here.set(&task.id, json!({"feature": "auth"})).expect("set");
    let updates = here.store.export_all(&origin()).expect("exported");
    there.store.import(&origin(), &updates).expect("imported");
    let counts = there
        .store
        .read(None, |reader| reader.task_counts())
        .expect("counted");
    assert_eq!(counts[0].feature.as_deref(), Some("auth"));
    let found = there
        .store
        .read(None, |reader| {
            reader.find_by_name(EntityType::Feature, "auth")
        })
        .expect("asked");
    assert!(found.is_some());
}

#[test]
fn status_changes_set_the_times() {
    let sandbox = sandbox();
    let task = sandbox.task("One");
    let started = sandbox
        .set(&task.id, json!({"status": "in_progress"}))
        .expect("set");
    let since = started.text("started_at").expect("a time").to_owned();
    let done = sandbox
        .set(&task.id, json!({"status": "done"}))
        .expect("set");
    assert!(done.text("completed_at").is_some());
    let again = sandbox
        .set(&task.id, json!({"status": "in_progress"}))
        .expect("set");
    assert_eq!(again.text("started_at"), Some(since.as_str()));
    assert_eq!(again.text("completed_at"), None);
    let forged = sandbox
        .set(&task.id, json!({"completed_at": "2020-01-01"}))
        .unwrap_err();
    assert_eq!(forged.data()["field"], "completed_at");
    assert_consistent(&sandbox);
}
