use windlass_core::{Dialect, Draft};

use super::*;

/// A document and the update that made it.
fn created() -> (Document, Entity, Vec<u8>) {
    let draft = Draft::new(
        EntityType::Task,
        "title",
        Some("text"),
        &["tag".to_owned()],
        &serde_json::Map::new(),
        Dialect::Knowledge,
    )
    .expect("valid");
    let entity = Entity {
        id: EntityId::random(),
        number: 1,
        kind: draft.kind,
        title: draft.title,
        content: draft.content,
        tags: draft.tags,
        properties: draft.properties,
        created_at: Timestamp::now(),
        updated_at: Timestamp::now(),
        former_numbers: Vec::new(),
    };
    let document = Document::create(&entity, 1).expect("created");
    let update = document.update().expect("exported");
    (document, entity, update)
}

/// Changes the content, as the next write of a process would.
fn changed(document: &Document, before: &Entity, content: &str) -> (Document, Entity, Vec<u8>) {
    let all = document.all_updates().expect("exported");
    let next = Document::load(&all, &[], 1).expect("loaded");
    let after = Entity {
        content: Some(content.to_owned()),
        tags: vec!["other".to_owned()],
        ..before.clone()
    };
    next.change(before, &after).expect("changed");
    let update = next.update().expect("exported");
    (next, after, update)
}

#[test]
fn what_nobody_has_is_replaced_by_one_change() {
    let (document, entity, first) = created();
    let (document, entity, second) = changed(&document, &entity, "another text");
    let (document, _, third) = changed(&document, &entity, "the last words");
    let replaced = document.replacing(&[first.clone(), second.clone(), third.clone()], 7);
    let replaced = replaced.expect("valid").expect("replaced");
    assert_eq!(replaced.record().unwrap(), document.record().unwrap());
    let all = replaced.update().expect("exported");
    assert!(!all.windows(7).any(|part| part == b"another"));
    // What another clone has stays, and the change is one on top of it.
    let replaced = document.replacing(&[second, third], 7);
    let replaced = replaced.expect("valid").expect("replaced");
    let other = Document::load(&first, &[replaced.update().expect("exported")], 3);
    let other = other.expect("merged");
    assert_eq!(other.record().unwrap(), document.record().unwrap());
}
