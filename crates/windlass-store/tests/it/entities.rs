//! Creating, finding, changing and deleting entities.

use serde_json::json;
use windlass_core::{EntityType, ErrorKind, Page, Patch, RelationType};
use windlass_store::{EntityFilter, Store};

use crate::support::{draft, origin, sandbox};

#[test]
fn numbers_count_up_and_are_never_reused() {
    let sandbox = sandbox();
    let first = sandbox.task("one");
    let second = sandbox.task("two");
    assert_eq!((first.number, second.number), (1, 2));
    sandbox.delete(&second.id).expect("deleted");
    assert_eq!(sandbox.task("three").number, 3);
}

#[test]
fn an_entity_is_read_back_unchanged_after_reopening_the_store() {
    let sandbox = sandbox();
    let properties = json!({
        "status": "accepted", "context": "Why", "consequences": ["one", "two"]
    });
    let written = sandbox.add(draft(
        EntityType::Decision,
        "Use PostgreSQL",
        Some("## Context\nWe need a database. 🚀"),
        &["zebra", "alpha"],
        properties,
    ));
    assert_eq!(sandbox.get("1").expect("read"), written);
    let again = Store::open(&sandbox.project).expect("opened");
    let read = again
        .read(None, |reader| reader.entity(&written.id))
        .expect("read");
    assert_eq!(read, written);
    assert_eq!(read.tags, ["zebra", "alpha"], "tags keep their order");
}

#[test]
fn entities_are_found_by_number_id_and_prefix() {
    let sandbox = sandbox();
    let entity = sandbox.task("one");
    let id = entity.id.as_str();
    for name in [
        "1",
        "#1",
        id,
        &id[..8],
        &id[..4],
        &id.replace('-', ""),
        &id.to_uppercase(),
    ] {
        assert_eq!(sandbox.get(name).expect(name).id, entity.id, "{name}");
    }
    for name in ["2", "nonexistent-id", "ffffffff-ffff"] {
        assert_eq!(
            sandbox.get(name).unwrap_err().kind(),
            ErrorKind::EntityNotFound,
            "{name}"
        );
    }
}

#[test]
fn an_ambiguous_prefix_lists_the_candidates() {
    let sandbox = sandbox();
    // Sixteen first digits: among 17 ids two share one, and so on for four digits by search.
    let mut seen = std::collections::HashMap::new();
    let shared = loop {
        let entity = sandbox.task("some");
        let prefix = entity.id.as_str()[..4].to_owned();
        if prefix.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        if seen.insert(prefix.clone(), entity.number).is_some() {
            break prefix;
        }
    };
    let error = sandbox.get(&shared).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AmbiguousId);
    assert_eq!(error.data()["candidates"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_patch_that_changes_nothing_writes_nothing() {
    let sandbox = sandbox();
    let task = sandbox.task("one");
    let before = sandbox.store.last_event().expect("read");
    let same = sandbox
        .set(&task.id, json!({"status": "todo", "unknown": 7}))
        .expect("valid");
    assert_eq!(same, task);
    assert_eq!(sandbox.store.last_event().expect("read"), before);
}

#[test]
fn a_failed_write_changes_nothing() {
    let sandbox = sandbox();
    let task = sandbox.task("one");
    let events = sandbox.store.last_event().expect("read");
    let result = sandbox.store.write(&origin(), |writer| {
        writer.create(draft(EntityType::Note, "half", None, &[], json!({})))?;
        writer.delete(&task.id)?;
        Err::<(), _>(windlass_core::Error::internal("stop"))
    });
    assert!(result.is_err());
    assert_eq!(sandbox.store.last_event().expect("read"), events);
    assert!(sandbox.get("1").is_ok());
    assert_eq!(
        sandbox.get("2").unwrap_err().kind(),
        ErrorKind::EntityNotFound
    );
}

#[test]
fn deleting_removes_relations_and_is_refused_for_blockers() {
    let sandbox = sandbox();
    let (blocker, blocked) = (sandbox.task("blocker"), sandbox.task("blocked"));
    let note = sandbox.add(draft(EntityType::Note, "note", None, &[], json!({})));
    sandbox
        .relate(&blocker, RelationType::Blocks, &blocked)
        .expect("related");
    sandbox
        .relate(&note, RelationType::References, &blocked)
        .expect("related");
    let error = sandbox.delete(&blocker.id).unwrap_err();
    assert_eq!(
        error.message(),
        "Cannot delete task 1: task 2 depends on it"
    );
    sandbox.delete(&blocked.id).expect("nothing depends on it");
    let left = sandbox
        .store
        .read(None, |reader| reader.statistics())
        .expect("read");
    assert_eq!(left.relations, 0);
    assert_eq!(left.entities["task"], 1);
    sandbox.delete(&blocker.id).expect("free now");
    assert_eq!(
        sandbox.delete(&blocker.id).unwrap_err().kind(),
        ErrorKind::EntityNotFound
    );
}

#[test]
fn lists_have_filters_and_pages() {
    let sandbox = sandbox();
    for at in 0..7 {
        let status = if at % 2 == 0 { "todo" } else { "done" };
        let tags: &[&str] = if at < 3 { &["early"] } else { &[] };
        sandbox.add(draft(
            EntityType::Task,
            &format!("t{at}"),
            None,
            tags,
            json!({"status": status}),
        ));
    }
    sandbox.add(draft(EntityType::Note, "n", None, &["early"], json!({})));
    let list = |filter: &EntityFilter, limit, offset| {
        let page = Page::new(limit, offset).expect("valid");
        let (entities, total) = sandbox
            .store
            .read(None, |reader| reader.entities(filter, page))
            .expect("read");
        let titles: Vec<String> = entities.into_iter().map(|entity| entity.title).collect();
        (titles.join(" "), total)
    };
    let tasks = EntityFilter::of(EntityType::Task);
    assert_eq!(list(&tasks, 3, 2), ("t2 t3 t4".into(), 7));
    let done = EntityFilter {
        status: Some("done".into()),
        ..tasks.clone()
    };
    assert_eq!(list(&done, 50, 0), ("t1 t3 t5".into(), 3));
    let early = EntityFilter {
        tag: Some("early".into()),
        ..EntityFilter::default()
    };
    assert_eq!(list(&early, 50, 0), ("t0 t1 t2 n".into(), 4));
    let active = EntityFilter {
        active: true,
        ..tasks
    };
    assert_eq!(list(&active, 50, 0), ("t0 t2 t4 t6".into(), 4));
}

#[test]
fn a_part_of_a_write_can_fail_alone() {
    let sandbox = sandbox();
    let outcome = sandbox
        .store
        .write(&origin(), |writer| {
            writer.create(draft(EntityType::Note, "kept", None, &[], json!({})))?;
            let failed = writer.attempt(|writer| {
                writer.create(draft(EntityType::Note, "rolled back", None, &[], json!({})))?;
                Err::<(), _>(windlass_core::Error::internal("stop"))
            })?;
            writer.create(draft(EntityType::Note, "stored too", None, &[], json!({})))?;
            Ok(failed)
        })
        .expect("written");
    assert!(outcome.is_err());
    assert_eq!(sandbox.get("2").expect("read").title, "stored too");
}

#[test]
fn every_change_is_recorded_as_an_event() {
    let sandbox = sandbox();
    let task = sandbox.task("one");
    sandbox
        .set(&task.id, json!({"status": "done"}))
        .expect("valid");
    sandbox
        .change(
            &task.id,
            &Patch {
                title: Some("uno".into()),
                ..Patch::default()
            },
        )
        .expect("valid");
    sandbox.delete(&task.id).expect("deleted");
    let events = sandbox.store.events_after(0, 100).expect("read");
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "entity.created",
            "entity.updated",
            "entity.updated",
            "entity.deleted"
        ]
    );
    assert_eq!(
        events[1].payload["changes"]["status"],
        json!(["pending", "done"])
    );
    assert_eq!(events[1].session, "test");
    assert!(events.windows(2).all(|pair| pair[0].seq < pair[1].seq));
}

#[test]
fn superseded_by_is_stored_as_a_full_id() {
    let sandbox = sandbox();
    let new = sandbox.add(draft(EntityType::Decision, "new", None, &[], json!({})));
    let old = sandbox.add(draft(
        EntityType::Decision,
        "old",
        None,
        &[],
        json!({"status": "superseded", "superseded_by": "1"}),
    ));
    assert_eq!(old.text("superseded_by"), Some(new.id.as_str()));
    let missing = draft(
        EntityType::Decision,
        "x",
        None,
        &[],
        json!({"status": "superseded", "superseded_by": "99"}),
    );
    let error = sandbox
        .store
        .write(&origin(), |writer| writer.create(missing))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RelationTargetNotFound);
}

#[test]
fn the_check_of_a_healthy_store_finds_no_problem() {
    let sandbox = sandbox();
    let task = sandbox.task("one");
    sandbox.add(draft(
        EntityType::Decision,
        "two",
        Some("text"),
        &["a", "b"],
        json!({"consequences": ["x"]}),
    ));
    sandbox
        .change(
            &task.id,
            &Patch {
                add_tags: vec!["t".into()],
                ..Patch::default()
            },
        )
        .expect("valid");
    let deleted = sandbox.task("three");
    sandbox.delete(&deleted.id).expect("deleted");
    assert_eq!(sandbox.store.check(&origin()), Ok(vec![]));
}

/// A tag that was removed leaves a gap in the document, and the next one comes after the others.
#[test]
fn tags_keep_their_order_in_row_and_document() {
    let sandbox = sandbox();
    let task = sandbox.task("task");
    let tags = |add: &str, remove: &str| Patch {
        add_tags: vec![add.into()],
        remove_tags: vec![remove.into()],
        ..Patch::default()
    };
    for (add, remove) in [("c", "-"), ("b", "-"), ("a", "c")] {
        sandbox.change(&task.id, &tags(add, remove)).expect("valid");
    }
    assert_eq!(sandbox.get("1").expect("read").tags, ["b", "a"]);
    assert_eq!(sandbox.store.check(&origin()).expect("checked"), [""; 0]);
}
