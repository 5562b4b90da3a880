//! Replicas merge field by field, and converge in whatever order updates arrive.

use proptest::prelude::*;
use serde_json::json;
use windlass_core::{EntityId, EntityType, Page, Patch, RelationType};
use windlass_store::{EntityFilter, Update};

use crate::support::{Sandbox, draft, object, origin, sandbox};

fn take_outbox(sandbox: &Sandbox) -> Vec<Update> {
    let outbox = sandbox.store.outbox(&origin()).expect("read");
    sandbox
        .store
        .mark_packed(&origin(), outbox.through)
        .expect("marked");
    outbox.updates
}

fn import(sandbox: &Sandbox, updates: &[Update]) {
    sandbox.store.import(&origin(), updates).expect("imported");
}

/// Exchanges updates until no replica has a new one.
fn exchange_all(replicas: &[&Sandbox]) {
    for _ in 0..10 {
        let batches: Vec<Vec<Update>> = replicas
            .iter()
            .map(|replica| take_outbox(replica))
            .collect();
        if batches.iter().all(Vec::is_empty) {
            return;
        }
        for (to, replica) in replicas.iter().enumerate() {
            for (from, updates) in batches.iter().enumerate() {
                if from != to {
                    import(replica, updates);
                }
            }
        }
    }
    panic!("the replicas do not converge");
}

/// Everything that a reader can see, in a form that can be compared.
fn state(sandbox: &Sandbox) -> Vec<String> {
    let page = Page {
        limit: 1000,
        offset: 0,
    };
    sandbox
        .store
        .read(None, |reader| {
            let (entities, _) = reader.entities(&EntityFilter::default(), page)?;
            let ids: Vec<EntityId> = entities.iter().map(|entity| entity.id.clone()).collect();
            let mut lines: Vec<String> = entities
                .iter()
                .map(|entity| format!("{entity:?}"))
                .collect();
            let relations = reader.relations_from(&ids)?;
            lines.extend(relations.iter().map(|relation| format!("{relation:?}")));
            let ready = reader.ready_tasks(None, "x", page)?;
            lines.extend(
                ready
                    .iter()
                    .map(|queued| format!("ready {}", queued.task.id)),
            );
            lines.sort();
            Ok(lines)
        })
        .expect("read")
}

/// Two replicas that both have one entity.
fn pair() -> (Sandbox, Sandbox, EntityId) {
    let (one, two) = (sandbox(), sandbox());
    let entity = one.add(draft(
        EntityType::Task,
        "title",
        Some("first line\nmiddle\nlast line"),
        &["kept", "removed"],
        json!({}),
    ));
    exchange_all(&[&one, &two]);
    (one, two, entity.id)
}

#[test]
fn changes_to_different_fields_are_both_kept() {
    let (one, two, id) = pair();
    one.set(&id, json!({"priority": "urgent"})).expect("valid");
    two.set(&id, json!({"due_date": "2026-01-01", "assignee": "ann"}))
        .expect("valid");
    exchange_all(&[&one, &two]);
    for replica in [&one, &two] {
        let entity = replica.get("1").expect("read");
        assert_eq!(entity.text("priority"), Some("urgent"));
        assert_eq!(entity.text("due_date"), Some("2026-01-01"));
        assert_eq!(entity.text("assignee"), Some("ann"));
    }
    assert_eq!(state(&one), state(&two));
}

#[test]
fn text_merges_as_text_and_tags_as_a_set() {
    let (one, two, id) = pair();
    let content = |text: &str| Patch {
        content: Some(Some(text.into())),
        ..Patch::default()
    };
    one.change(&id, &content("FIRST line\nmiddle\nlast line"))
        .expect("valid");
    two.change(&id, &content("first line\nmiddle\nlast LINE"))
        .expect("valid");
    let tags = |add: &str, remove: &str| Patch {
        add_tags: vec![add.into()],
        remove_tags: vec![remove.into()],
        ..Patch::default()
    };
    one.change(&id, &tags("one", "removed")).expect("valid");
    two.change(&id, &tags("two", "none")).expect("valid");
    exchange_all(&[&one, &two]);
    let entity = one.get("1").expect("read");
    assert_eq!(
        entity.content.as_deref(),
        Some("FIRST line\nmiddle\nlast LINE")
    );
    let mut tags = entity.tags.clone();
    tags.sort();
    assert_eq!(tags, ["kept", "one", "two"]);
    assert_eq!(state(&one), state(&two));
}

#[test]
fn relations_merge_as_a_set_and_are_removed_by_a_delete() {
    let (one, two, _) = pair();
    let [a, b, c] = ["a", "b", "c"].map(|title| one.task(title));
    exchange_all(&[&one, &two]);
    one.relate(&a, RelationType::Blocks, &b).expect("related");
    two.relate(&a, RelationType::Blocks, &c).expect("related");
    exchange_all(&[&one, &two]);
    let related = |replica: &Sandbox| {
        replica
            .store
            .read(None, |reader| {
                reader.relations_from(std::slice::from_ref(&a.id))
            })
            .expect("read")
            .len()
    };
    assert_eq!((related(&one), related(&two)), (2, 2));
    assert!(!one.ready().contains(&"c".to_owned()));
    // One deletes a target while the other adds relations to it.
    two.unrelate(&a, RelationType::Blocks, &c).expect("removed");
    two.delete(&c.id).expect("deleted");
    one.relate(&c, RelationType::References, &b)
        .expect("related");
    exchange_all(&[&one, &two]);
    assert_eq!(state(&one), state(&two));
    assert!(one.get(c.id.as_str()).is_err());
}

#[test]
fn a_late_edit_does_not_restore_a_deleted_entity() {
    let (one, two, id) = pair();
    one.delete(&id).expect("deleted");
    two.set(&id, json!({"priority": "high"})).expect("valid");
    exchange_all(&[&one, &two]);
    assert!(one.get("1").is_err() && two.get("1").is_err());
    assert_eq!(state(&one), state(&two));
}

#[test]
fn the_younger_entity_with_an_equal_number_is_renumbered_and_still_found() {
    let (one, two) = (sandbox(), sandbox());
    let older = one.task("older");
    // Timestamps have milliseconds; wait for the clock to advance.
    while windlass_core::Timestamp::now() <= older.created_at {
        std::thread::yield_now();
    }
    let younger = two.task("younger");
    assert_eq!((older.number, younger.number), (1, 1));
    exchange_all(&[&one, &two]);
    for replica in [&one, &two] {
        assert_eq!(replica.get("1").expect("read").id, older.id);
        let moved = replica.get(younger.id.as_str()).expect("read");
        assert_eq!(moved.number, 2);
        assert_eq!(moved.former_numbers, [1]);
        assert_eq!(replica.task("next").number, 3, "numbering continues");
    }
    one.delete(&older.id).expect("deleted");
    assert_eq!(one.get("1").expect("the former number").id, younger.id);
}

#[test]
fn updates_that_arrive_too_early_wait() {
    let (one, two) = (sandbox(), sandbox());
    let task = one.task("a");
    one.set(&task.id, json!({"priority": "high"}))
        .expect("valid");
    one.set(&task.id, json!({"assignee": "ann"}))
        .expect("valid");
    let batches = take_outbox(&one);
    assert_eq!(batches.len(), 3);
    let report = two
        .store
        .import(&origin(), &batches[2..])
        .expect("imported");
    assert_eq!((report.changed, report.pending), (0, 1));
    assert!(two.get("1").is_err());
    let report = two
        .store
        .import(&origin(), &batches[..1])
        .expect("imported");
    assert_eq!(report.pending, 1);
    import(&two, &batches[1..2]);
    assert_eq!(state(&one), state(&two));
}

#[test]
fn a_full_export_equals_the_original() {
    let (one, _, _) = pair();
    let [a, b] = ["a", "b"].map(|title| one.task(title));
    one.relate(&a, RelationType::Blocks, &b).expect("related");
    let copy = sandbox();
    import(&copy, &one.store.export_all(&origin()).expect("exported"));
    assert_eq!(state(&one), state(&copy));
}

#[test]
fn invalid_updates_are_refused_and_change_nothing() {
    let (one, _, id) = pair();
    let before = state(&one);
    for changes in [vec![], vec![0; 40], b"loro\0\0".to_vec()] {
        let update = Update {
            id: id.clone(),
            changes,
        };
        assert!(one.store.import(&origin(), &[update]).is_err());
    }
    let batches = one.store.export_all(&origin()).expect("exported");
    let swapped = Update {
        id: EntityId::random(),
        changes: batches[0].changes.clone(),
    };
    assert!(one.store.import(&origin(), &[swapped]).is_err());
    assert_eq!(state(&one), before);
}

#[derive(Debug, Clone)]
enum Step {
    Create(u8),
    Set(usize, &'static str, &'static str),
    Content(usize, String),
    Tag(usize, u8, bool),
    Relate(usize, usize, bool),
    Delete(usize),
    /// Replaces what has not been exchanged yet.
    Fold,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0u8..9).prop_map(Step::Create),
        4 => (0usize..5, prop_oneof![Just(("priority", "high")), Just(("priority", "low")),
            Just(("status", "done")), Just(("status", "todo")), Just(("assignee", "ann"))])
            .prop_map(|(at, (field, value))| Step::Set(at, field, value)),
        2 => (0usize..5, "[a-c\n]{0,12}").prop_map(|(at, text)| Step::Content(at, text)),
        2 => (0usize..5, 0u8..4, any::<bool>()).prop_map(|(at, tag, add)| Step::Tag(at, tag, add)),
        3 => (0usize..5, 0usize..5, any::<bool>()).prop_map(|(a, b, add)| Step::Relate(a, b, add)),
        1 => (0usize..5).prop_map(Step::Delete),
        2 => Just(Step::Fold),
    ]
}

/// Applies a step to the replica's entities; steps that the rules refuse are skipped.
fn apply(replica: &Sandbox, step: &Step) {
    let page = Page {
        limit: 100,
        offset: 0,
    };
    let (entities, _) = replica
        .store
        .read(None, |reader| {
            reader.entities(&EntityFilter::default(), page)
        })
        .expect("read");
    let pick = |at: usize| entities.get(at % entities.len().max(1));
    match step {
        Step::Create(title) => {
            replica.task(&format!("t{title}"));
        }
        Step::Set(at, field, value) => {
            if let Some(entity) = pick(*at) {
                let _ = replica.set(&entity.id, json!({ *field: *value }));
            }
        }
        Step::Content(at, text) => {
            if let Some(entity) = pick(*at) {
                let patch = Patch {
                    content: Some(Some(text.clone())),
                    ..Patch::default()
                };
                let _ = replica.change(&entity.id, &patch);
            }
        }
        Step::Tag(at, tag, add) => {
            if let Some(entity) = pick(*at) {
                let tag = vec![format!("tag{tag}")];
                let (add_tags, remove_tags) = if *add { (tag, vec![]) } else { (vec![], tag) };
                let patch = Patch {
                    add_tags,
                    remove_tags,
                    properties: object(json!({})),
                    ..Patch::default()
                };
                let _ = replica.change(&entity.id, &patch);
            }
        }
        Step::Relate(a, b, add) => {
            if let (Some(a), Some(b)) = (pick(*a), pick(*b)) {
                let _ = if *add {
                    replica.relate(a, RelationType::Blocks, b).map(|_| ())
                } else {
                    replica.unrelate(a, RelationType::Blocks, b)
                };
            }
        }
        Step::Fold => {
            replica.store.fold_histories(&origin()).expect("folded");
        }
        Step::Delete(at) => {
            if let Some(entity) = pick(*at) {
                let _ = replica.delete(&entity.id);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Replicas that received the same updates, in any order and with duplicates, have equal state.
    #[test]
    fn replicas_agree(
        steps in prop::collection::vec((0usize..2, step()), 1..30),
        order in any::<prop::sample::Index>(),
        repeats in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let (one, two, third) = (sandbox(), sandbox(), sandbox());
        let mut batches: Vec<Update> = Vec::new();
        for (at, (who, step)) in steps.iter().enumerate() {
            apply(if *who == 0 { &one } else { &two }, step);
            // Now and then the two exchange updates, so that edits build on each other.
            if at % 7 == 6 {
                for (from, to) in [(&one, &two), (&two, &one)] {
                    let updates = take_outbox(from);
                    import(to, &updates);
                    batches.extend(updates);
                }
            }
        }
        for (from, to) in [(&one, &two), (&two, &one)] {
            let updates = take_outbox(from);
            import(to, &updates);
            batches.extend(updates);
        }
        // The third gets everything late, rotated, and some of it twice.
        if !batches.is_empty() {
            let turn = order.index(batches.len());
            batches.rotate_left(turn);
            let doubles: Vec<Update> = repeats.iter().map(|at| batches[at.index(batches.len())].clone()).collect();
            batches.extend(doubles);
        }
        for update in &batches {
            import(&third, std::slice::from_ref(update));
        }
        exchange_all(&[&one, &two, &third]);
        prop_assert_eq!(state(&one), state(&two));
        prop_assert_eq!(state(&one), state(&third));
        for replica in [&one, &two, &third] {
            prop_assert_eq!(replica.store.check(&origin()).expect("checked"), [""; 0]);
        }
    }

    /// Replacing what has not been exchanged changes nothing that a reader sees, here or elsewhere.
    #[test]
    fn folding_changes_no_state(steps in prop::collection::vec(step(), 1..20)) {
        let (one, two) = (sandbox(), sandbox());
        for (at, step) in steps.iter().enumerate() {
            apply(&one, step);
            if at == steps.len() / 2 {
                exchange_all(&[&one, &two]);
            }
        }
        let before = state(&one);
        one.store.fold_histories(&origin()).expect("folded");
        prop_assert_eq!(&state(&one), &before);
        prop_assert_eq!(one.store.check(&origin()).expect("checked"), [""; 0]);
        exchange_all(&[&one, &two]);
        prop_assert_eq!(&state(&two), &before);
    }
}
