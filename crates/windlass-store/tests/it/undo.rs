//! Writes are taken back by new writes, and deleted entities come back.

use serde_json::{Value as Json, json};
use windlass_core::{
    Actor, Dialect, EntityId, EntityType, Error, ErrorKind, EventType, Origin, Patch, RelationType,
    Result,
};
use windlass_store::{Collection, RecordEdit, Revived, Undo, Undone, Update};

use crate::support::{Sandbox, draft, object, origin, sandbox};

fn as_of(actor: Actor, session: &str) -> Origin {
    Origin {
        actor,
        session: session.to_owned(),
        ..origin()
    }
}

impl Sandbox {
    fn undo(&self) -> Result<Undone> {
        self.undo_with(Undo::default())
    }

    fn undo_with(&self, undo: Undo) -> Result<Undone> {
        self.store.write(&origin(), |writer| writer.undo(undo))
    }

    fn restore(&self, text: &str) -> Result<Revived> {
        self.store.write(&origin(), |writer| {
            let id = writer.resolve_deleted(text)?;
            writer.restore(&id)
        })
    }

    fn set_by(&self, by: &Origin, id: &EntityId, properties: Json) {
        let patch = Patch {
            properties: object(properties),
            ..Patch::default()
        };
        self.store
            .write(by, |writer| writer.update(id, &patch, Dialect::Knowledge))
            .expect("changed");
    }

    fn is_whole(&self) {
        assert_eq!(self.store.check(&origin()).expect("checked"), [""; 0]);
    }

    fn comments(&self, id: &EntityId) -> Vec<Json> {
        let records = self
            .store
            .read(None, |reader| reader.records(id, Collection::Comments));
        let records = records.expect("read").into_iter();
        records.map(|record| record.body).collect()
    }

    fn relations(&self, id: &EntityId) -> usize {
        let ids = std::slice::from_ref(id);
        let found = self.store.read(None, |reader| reader.relations_from(ids));
        found.expect("read").len()
    }

    fn comment(&self, id: &EntityId, edit: RecordEdit, event: EventType) {
        let entity = self.get(id.as_str()).expect("there");
        self.store
            .write(&origin(), |writer| {
                let event = (event, &json!({}));
                writer.edit_records(&entity, Collection::Comments, &[edit], event)
            })
            .expect("edited");
    }

    fn last_event(&self) -> i64 {
        self.store.last_event().expect("read")
    }
}

fn kind_of(result: Result<Undone>) -> ErrorKind {
    result.expect_err("refused").kind()
}

#[test]
fn fields_get_the_values_from_before() {
    let sandbox = sandbox();
    let long = "a line of the text\n".repeat(100);
    let note = sandbox.add(draft(
        EntityType::Note,
        "title",
        Some(&long),
        &["one", "two"],
        json!({}),
    ));
    let before = sandbox.get("1").expect("there");
    let patch = Patch {
        title: Some("another".to_owned()),
        content: Some(Some(long.replacen("line", "word", 1))),
        tags: Some(vec!["three".to_owned()]),
        ..Patch::default()
    };
    sandbox.change(&note.id, &patch).expect("changed");
    let undone = sandbox.undo().expect("undone");
    assert_eq!(undone.changes, ["#1: title, content, tags as before"]);
    let after = sandbox.get("1").expect("there");
    assert_eq!(
        (after.title, after.content, after.tags),
        (before.title, before.content, before.tags)
    );
    sandbox.is_whole();
    // The next one takes the creation back, and then there is nothing left.
    let undone = sandbox.undo().expect("undone");
    assert_eq!(undone.changes, ["deleted #1 title"]);
    assert_eq!(kind_of(sandbox.undo()), ErrorKind::NotUndoable);
}

#[test]
fn what_takes_an_undo_back_is_a_redo() {
    let sandbox = sandbox();
    let task = sandbox.task("task");
    sandbox
        .set(&task.id, json!({"assignee": "ann"}))
        .expect("changed");
    sandbox.undo().expect("undone");
    assert_eq!(sandbox.get("1").expect("there").text("assignee"), None);
    let event = Some(sandbox.last_event());
    let redo = Undo {
        event,
        force: false,
    };
    sandbox.undo_with(redo).expect("redone");
    assert_eq!(
        sandbox.get("1").expect("there").text("assignee"),
        Some("ann")
    );
    // The change counts again, so it is the last write.
    sandbox.undo().expect("undone");
    assert_eq!(sandbox.get("1").expect("there").text("assignee"), None);
}

#[test]
fn what_somebody_changed_since_stays_unless_the_caller_insists() {
    let sandbox = sandbox();
    let task = sandbox.task("task");
    sandbox
        .set(&task.id, json!({"assignee": "ann", "priority": "high"}))
        .expect("changed");
    let event = sandbox.last_event();
    sandbox.set_by(
        &as_of(Actor::Human, "cli:bob"),
        &task.id,
        json!({"assignee": "bob"}),
    );
    let undone = sandbox.undo().expect("undone");
    assert_eq!(undone.changes, ["#1: priority as before"]);
    assert_eq!(undone.left, ["assignee of #1 was changed since"]);
    assert_eq!(
        sandbox.get("1").expect("there").text("assignee"),
        Some("bob")
    );
    // Everything was changed since: nothing is done, and it says why.
    sandbox.set_by(&origin(), &task.id, json!({"assignee": "cid"}));
    sandbox.set_by(
        &as_of(Actor::Human, "cli:bob"),
        &task.id,
        json!({"assignee": "dan"}),
    );
    assert_eq!(kind_of(sandbox.undo()), ErrorKind::UndoConflict);
    assert_eq!(
        sandbox.get("1").expect("there").text("assignee"),
        Some("dan")
    );
    let forced = Undo {
        event: None,
        force: true,
    };
    sandbox.undo_with(forced).expect("undone");
    assert_eq!(
        sandbox.get("1").expect("there").text("assignee"),
        Some("bob")
    );
    assert!(event < sandbox.last_event());
}

#[test]
fn one_write_is_taken_back_as_a_whole() {
    let sandbox = sandbox();
    let first = sandbox.task("first");
    sandbox
        .store
        .write(&origin(), |writer| {
            let new = writer.create(draft(EntityType::Task, "second", None, &[], json!({})))?;
            writer.relate(&first, RelationType::Blocks, &new)?;
            let patch = Patch {
                title: Some("changed".to_owned()),
                ..Patch::default()
            };
            writer.update(&first.id, &patch, Dialect::Knowledge)
        })
        .expect("written");
    let undone = sandbox.undo().expect("undone");
    assert_eq!(undone.events.len(), 3);
    assert_eq!(sandbox.get("1").expect("there").title, "first");
    assert!(sandbox.get("2").is_err());
    assert_eq!(sandbox.ready(), ["first"]);
    sandbox.is_whole();
}

#[test]
fn comments_and_relations_are_taken_back() {
    let sandbox = sandbox();
    let (one, two) = (sandbox.task("one"), sandbox.task("two"));
    let text = |text: &str| json!({ "body": text });
    sandbox.comment(&one.id, RecordEdit::Add(text("a")), EventType::CommentAdded);
    sandbox.comment(
        &one.id,
        RecordEdit::Replace(1, text("b")),
        EventType::CommentUpdated,
    );
    sandbox.comment(&one.id, RecordEdit::Remove(1), EventType::CommentDeleted);
    assert_eq!(sandbox.comments(&one.id), [] as [Json; 0]);
    sandbox.undo().expect("undone");
    assert_eq!(sandbox.comments(&one.id), [text("b")]);
    sandbox.undo().expect("undone");
    assert_eq!(sandbox.comments(&one.id), [text("a")]);
    sandbox.undo().expect("undone");
    assert_eq!(sandbox.comments(&one.id), [] as [Json; 0]);
    sandbox
        .relate(&one, RelationType::Blocks, &two)
        .expect("related");
    sandbox
        .unrelate(&one, RelationType::Blocks, &two)
        .expect("removed");
    sandbox.undo().expect("undone");
    assert_eq!(
        (sandbox.relations(&one.id), sandbox.ready()),
        (1, vec!["one".to_owned()])
    );
    sandbox.undo().expect("undone");
    assert_eq!(sandbox.relations(&one.id), 0);
    sandbox.is_whole();
}

#[test]
fn claims_cannot_be_taken_back_and_the_error_says_what_can() {
    let sandbox = sandbox();
    let task = sandbox.task("task");
    let created = sandbox.last_event();
    sandbox
        .store
        .write(&origin(), |writer| {
            writer.claim(&task.id, "test", Some(600))
        })
        .expect("claimed");
    let error: Error = sandbox.undo().expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::NotUndoable);
    assert!(error.message().contains("task.claimed"), "{error}");
    let hint = error.hint().unwrap_or_default();
    assert!(hint.contains(&format!("event {created}")), "{hint}");
}

#[test]
fn an_agent_takes_back_its_own_writes_only() {
    let sandbox = sandbox();
    let person = as_of(Actor::Human, "cli:bob");
    let task = sandbox.task("task");
    sandbox.set_by(&person, &task.id, json!({"assignee": "bob"}));
    let by_person = sandbox.last_event();
    let undo = Undo {
        event: Some(by_person),
        force: true,
    };
    assert_eq!(kind_of(sandbox.undo_with(undo)), ErrorKind::HumanOnly);
    // Another agent's session has written nothing.
    let other = as_of(Actor::Agent, "other");
    let refused = sandbox
        .store
        .write(&other, |writer| writer.undo(Undo::default()));
    assert_eq!(kind_of(refused), ErrorKind::NotUndoable);
    // A person may take back anything.
    let undone = sandbox.store.write(&person, |writer| writer.undo(undo));
    assert_eq!(undone.expect("undone").changes, ["#1: assignee as before"]);
}

#[test]
fn a_deleted_entity_comes_back_with_everything() {
    let sandbox = sandbox();
    let [first, second, third] = ["first", "second", "third"].map(|title| {
        let text = Some("some searchable words");
        sandbox.add(draft(EntityType::Task, title, text, &["tag"], json!({})))
    });
    sandbox
        .relate(&first, RelationType::Blocks, &second)
        .expect("related");
    sandbox
        .relate(&third, RelationType::References, &second)
        .expect("related");
    sandbox.comment(
        &second.id,
        RecordEdit::Add(json!({"body": "a comment"})),
        EventType::CommentAdded,
    );
    let before = sandbox.get("2").expect("there");
    sandbox.delete(&second.id).expect("deleted");
    assert!(sandbox.get("2").is_err());
    let revived = sandbox.restore("#2").expect("restored");
    assert_eq!((revived.relations, revived.dropped), (2, vec![]));
    let after = sandbox.get("2").expect("there");
    assert_eq!(
        (after.title, after.content, after.tags, after.number),
        (before.title, before.content, before.tags, before.number)
    );
    assert_eq!(sandbox.comments(&second.id).len(), 1);
    assert_eq!(sandbox.relations(&first.id), 1);
    assert_eq!(sandbox.ready(), ["first", "third"]);
    sandbox.is_whole();
    let error = sandbox.restore("2").expect_err("there already");
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
    let error = sandbox.restore("99").expect_err("never was");
    assert_eq!(error.kind(), ErrorKind::EntityNotFound);
}

/// A child waits for what its parent waits for.
#[test]
fn a_relation_that_would_make_a_cycle_does_not_come_back() {
    let sandbox = sandbox();
    let [parent, child, other] = ["parent", "child", "other"].map(|title| sandbox.task(title));
    sandbox
        .relate(&child, RelationType::Parent, &parent)
        .expect("related");
    sandbox
        .relate(&other, RelationType::Blocks, &parent)
        .expect("related");
    sandbox.delete(&parent.id).expect("deleted");
    sandbox
        .relate(&child, RelationType::Blocks, &other)
        .expect("possible without the parent");
    let revived = sandbox.restore("1").expect("restored");
    assert_eq!(revived.relations, 1);
    assert!(
        revived.dropped[0].contains("cycle"),
        "{:?}",
        revived.dropped
    );
    assert_eq!(sandbox.ready(), ["parent", "child"]);
    sandbox.is_whole();
}

fn outbox(sandbox: &Sandbox) -> Vec<Update> {
    sandbox.store.outbox(&origin()).expect("sealed").updates
}

/// A restored entity is visible in the other clones too, with its relations from both sides.
#[test]
fn what_comes_back_comes_back_in_other_clones() {
    let (one, two) = (sandbox(), sandbox());
    let (first, second) = (one.task("first"), one.task("second"));
    one.relate(&first, RelationType::Blocks, &second)
        .expect("related");
    one.delete(&second.id).expect("deleted");
    two.store
        .import(&origin(), &outbox(&one))
        .expect("imported");
    assert!(two.get("2").is_err());
    one.restore("2").expect("restored");
    one.set(&second.id, json!({"assignee": "ann"}))
        .expect("set");
    two.store
        .import(&origin(), &outbox(&one))
        .expect("imported");
    let there = two.get("2").expect("there too");
    assert_eq!(there.text("assignee"), Some("ann"));
    assert_eq!(two.relations(&first.id), 1);
    assert_eq!(two.ready(), ["first"]);
    two.is_whole();
    one.is_whole();
}

#[test]
fn the_history_has_the_values_before_and_after() {
    let sandbox = sandbox();
    let task = sandbox.task("task");
    sandbox
        .set(
            &task.id,
            json!({"status": "in_progress", "assignee": "ann"}),
        )
        .expect("set");
    let event = sandbox.last_event();
    let found = sandbox.store.read(None, |reader| reader.differences(event));
    let found = found.expect("read").expect("kept");
    let assignee = found
        .iter()
        .find(|it| it.field == "assignee")
        .expect("there");
    assert_eq!(
        (&assignee.before, &assignee.after),
        (&Json::Null, &json!("ann"))
    );
    let status = found.iter().find(|it| it.field == "status").expect("there");
    assert_eq!(status.after, json!("in_progress"));
}
