//! Packs between stores: what one wrote, the other has.

use serde_json::json;
use windlass_core::{EntityType, Timestamp};
use windlass_store::{JournalKind, Pack, PackName, PackOutcome, Store};

use crate::support::{Sandbox, draft, origin, sandbox};

/// Writes what is in the outbox, as a folder would get it.
fn write_pack(replica: &Sandbox) -> Option<Pack> {
    let outgoing = replica.store.pack_outbox(&origin()).expect("packed")?;
    Some(outgoing.pack)
}

fn import(replica: &Sandbox, pack: &Pack) -> PackOutcome {
    replica
        .store
        .import_pack(&origin(), &pack.name, &pack.bytes)
        .expect("imported")
}

fn names(names: &[PackName]) -> Vec<&str> {
    names.iter().map(PackName::as_str).collect()
}

#[test]
fn a_pack_brings_what_was_written_and_is_imported_once() {
    let (one, two) = (sandbox(), sandbox());
    let task = one.task("a");
    one.set(&task.id, json!({"priority": "high"}))
        .expect("valid");
    one.add(draft(
        EntityType::Note,
        "n",
        Some("text"),
        &["tag"],
        json!({}),
    ));
    assert!(one.store.known_packs().expect("read").is_empty());
    let outgoing = one.store.pack_outbox(&origin()).expect("packed");
    let outgoing = outgoing.expect("changes");
    assert_eq!(outgoing.entities, 2);
    assert!(one.store.pack_outbox(&origin()).expect("packed").is_none());
    let pack = outgoing.pack;
    let known = one.store.known_packs().expect("read");
    assert_eq!(known, std::slice::from_ref(&pack.name), "kept");
    let kept = one.store.pack_bytes(&pack.name).expect("read");
    assert_eq!(kept.as_ref(), Some(&pack.bytes));

    let unknown = two.store.unknown_packs(std::slice::from_ref(&pack.name));
    assert_eq!(unknown.expect("read"), std::slice::from_ref(&pack.name));
    let PackOutcome::Imported(report) = import(&two, &pack) else {
        panic!("not imported");
    };
    assert_eq!((report.changed, report.pending), (2, 0));
    assert_eq!(two.get("1").expect("read").text("priority"), Some("high"));
    assert_eq!(import(&two, &pack), PackOutcome::AlreadyKnown);
    assert_eq!(import(&one, &pack), PackOutcome::AlreadyKnown);
    assert!(two.store.pack_outbox(&origin()).expect("packed").is_none());
    let unknown = two.store.unknown_packs(std::slice::from_ref(&pack.name));
    assert_eq!(unknown.expect("read"), []);
    let events = two.store.events_after(0, 100).expect("read");
    let merged: Vec<_> = events
        .iter()
        .filter(|event| event.kind == "entity.merged")
        .collect();
    assert_eq!(merged.len(), 2);
    assert_eq!(merged[0].payload["pack"], pack.name.as_str());
}

#[test]
fn the_journals_travel_in_one_order() {
    let (one, two) = (sandbox(), sandbox());
    let moment = |second: i64| Timestamp::from_millis(1_700_000_000_000 + second * 1000);
    let append = |replica: &Sandbox, kind, text: &str, second| {
        let append = |writer: &windlass_store::Writer<'_>| {
            writer.append_journal(kind, text, &moment(second))
        };
        replica.store.write(&origin(), append).expect("appended");
    };
    append(&one, JournalKind::Learnings, "first", 1);
    append(&one, JournalKind::Learnings, "third", 3);
    append(&one, JournalKind::Progress, "other", 3);
    append(&two, JournalKind::Learnings, "second", 2);
    append(&two, JournalKind::Learnings, "first", 1);
    let (from_one, from_two) = (write_pack(&one), write_pack(&two));
    let report = match import(&two, &from_one.expect("a pack")) {
        PackOutcome::Imported(report) => report,
        other => panic!("{other:?}"),
    };
    assert_eq!(report.journal, 2, "one of the three was there");
    import(&one, &from_two.expect("a pack"));
    for replica in [&one, &two] {
        let read = |kind| {
            let entries = replica.store.read(None, |reader| reader.journal(kind));
            let texts = entries.expect("read").into_iter().map(|entry| entry.text);
            texts.collect::<Vec<_>>()
        };
        assert_eq!(read(JournalKind::Learnings), ["first", "second", "third"]);
        assert_eq!(read(JournalKind::Progress), ["other"]);
        assert!(write_pack(replica).is_none(), "nothing comes back");
    }
}

#[test]
fn packs_that_cannot_be_imported_are_named_and_change_nothing() {
    let (one, two) = (sandbox(), sandbox());
    one.task("a");
    let pack = write_pack(&one).expect("a pack");
    let offer = |bytes: &[u8]| {
        let name = PackName::of(bytes);
        let outcome = two.store.import_pack(&origin(), &name, bytes);
        outcome.expect("looked at")
    };
    let mut short = pack.bytes.clone();
    short.truncate(short.len() - 3);
    let outcome = two.store.import_pack(&origin(), &pack.name, &short);
    assert!(matches!(outcome, Ok(PackOutcome::Foreign { .. })));
    assert!(matches!(offer(&short), PackOutcome::Damaged { .. }));
    let mut longer = pack.bytes.clone();
    longer.push(0);
    assert!(matches!(offer(&longer), PackOutcome::Damaged { .. }));
    let mut newer = pack.bytes.clone();
    newer[8] = 9;
    assert_eq!(offer(&newer), PackOutcome::Newer { version: 9 });
    for foreign in [
        &b""[..],
        b"loro",
        b"version https://git-lfs.github.com/spec/v1\n",
    ] {
        assert!(matches!(offer(foreign), PackOutcome::Foreign { .. }));
    }
    for at in 12..pack.bytes.len() {
        let mut flipped = pack.bytes.clone();
        flipped[at] ^= 0x10;
        let outcome = offer(&flipped);
        assert!(
            matches!(outcome, PackOutcome::Damaged { .. }),
            "{at}: {outcome:?}"
        );
    }
    assert_eq!(two.store.known_packs().expect("read"), []);
    assert!(two.get("1").is_err());
}

#[test]
fn compaction_replaces_packs_and_late_ones_still_merge() {
    let (one, two, late) = (sandbox(), sandbox(), sandbox());
    let task = one.task("a");
    let first = write_pack(&one).expect("a pack");
    import(&two, &first);
    import(&late, &first);
    one.set(&task.id, json!({"priority": "high"}))
        .expect("valid");
    let second = write_pack(&one).expect("a pack");
    two.set(&task.id, json!({"assignee": "ann"}))
        .expect("valid");
    let third = write_pack(&two).expect("a pack");
    // Each compacts another set.
    import(&two, &second);
    let by_one = one.store.compact(&origin()).expect("compacted");
    let by_one = by_one.expect("a pack");
    let by_two = two.store.compact(&origin()).expect("compacted");
    let by_two = by_two.expect("a pack");
    let known = one.store.known_packs().expect("read");
    assert_eq!(known, std::slice::from_ref(&by_one.name));
    let replaced = one.store.replaced_packs().expect("read");
    let mut expected = vec![first.name.as_str(), second.name.as_str()];
    expected.sort_unstable();
    assert_eq!(names(&replaced), expected);
    assert_eq!(import(&one, &first), PackOutcome::AlreadyKnown);
    assert_eq!(one.store.pack_bytes(&first.name).expect("read"), None);
    // Both results stand beside each other until the next compaction.
    assert!(matches!(import(&one, &by_two), PackOutcome::Imported(_)));
    assert!(matches!(import(&two, &by_one), PackOutcome::Imported(_)));
    let both = one.store.compact(&origin()).expect("compacted");
    let both = both.expect("a pack");
    // One that still writes on top of the first.
    late.set(&task.id, json!({"due_date": "2026-01-01"}))
        .expect("valid");
    let fourth = write_pack(&late).expect("a pack");
    import(&late, &both);
    assert!(
        late.store
            .replaced_packs()
            .expect("read")
            .contains(&first.name)
    );
    import(&one, &fourth);
    import(&two, &both);
    import(&two, &fourth);
    assert_eq!(import(&two, &third), PackOutcome::AlreadyKnown);
    let fresh = sandbox();
    for name in one.store.known_packs().expect("read") {
        let bytes = one.store.pack_bytes(&name).expect("read").expect("kept");
        import(&fresh, &Pack { name, bytes });
    }
    for replica in [&one, &two, &late, &fresh] {
        let task = replica.get("1").expect("read");
        let values = ["priority", "assignee", "due_date"].map(|name| task.text(name));
        assert_eq!(values, [Some("high"), Some("ann"), Some("2026-01-01")]);
        assert_eq!(replica.store.known_packs().expect("read").len(), 2);
    }
}

#[test]
fn a_pack_that_does_not_contain_what_it_claims_to_replace_replaces_nothing() {
    // The compaction of a state that never saw the other's pack, and a pack that claims more.
    let (one, two) = (sandbox(), sandbox());
    one.task("a");
    let first = write_pack(&one).expect("a pack");
    one.task("b");
    let second = write_pack(&one).expect("a pack");
    let whole = one.store.compact(&origin()).expect("compacted");
    let whole = whole.expect("a pack");
    // The compacted pack arrives first; those that it replaces turn up later.
    assert!(matches!(import(&two, &whole), PackOutcome::Imported(_)));
    let claimed = [first.name.clone(), second.name.clone()];
    assert_eq!(two.store.unknown_packs(&claimed).expect("read"), claimed);
    assert_eq!(two.store.replaced_packs().expect("read"), []);
    assert_eq!(import(&two, &first), PackOutcome::AlreadyKnown);
    assert_eq!(two.store.replaced_packs().expect("read"), [first.name]);
    assert_eq!(two.store.known_packs().expect("read"), [whole.name]);
}

#[test]
fn the_number_of_a_deleted_entity_settles_once() {
    let (one, two) = (sandbox(), sandbox());
    let older = one.task("older");
    while Timestamp::now() <= older.created_at {
        std::thread::yield_now();
    }
    let younger = two.task("younger");
    two.delete(&younger.id).expect("deleted");
    let from_one = write_pack(&one).expect("a pack");
    let from_two = write_pack(&two).expect("a pack");
    import(&two, &from_one);
    let settled = write_pack(&two).expect("the younger has another number");
    // Whoever gets all of it has nothing left to settle, in whatever order.
    let packs = [from_one, from_two, settled];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let fresh = sandbox();
        let packs = order.map(|at| (packs[at].name.clone(), packs[at].bytes.clone()));
        let outcomes = fresh.store.import_packs(&origin(), packs);
        for (_, outcome) in outcomes.expect("imported") {
            assert!(
                matches!(outcome, PackOutcome::Imported(report) if report.renumbered.is_empty())
            );
        }
        assert!(write_pack(&fresh).is_none());
        assert_eq!(fresh.store.check(&origin()).expect("checked"), [""; 0]);
    }
}

#[test]
fn two_processes_that_pack_at_once_lose_nothing() {
    let one = sandbox();
    for number in 0..50 {
        one.task(&format!("task {number}"));
    }
    let pack = || {
        let store = Store::open(&one.project).expect("opened");
        let mut entities = 0;
        for _ in 0..20 {
            let outgoing = store.pack_outbox(&origin()).expect("packed");
            entities += outgoing.map_or(0, |it| it.entities);
        }
        entities
    };
    let packed: usize = std::thread::scope(|scope| {
        let both = [scope.spawn(pack), scope.spawn(pack)];
        both.map(|it| it.join().expect("packed")).iter().sum()
    });
    assert_eq!(packed, 50);
    let two = sandbox();
    for name in one.store.known_packs().expect("read") {
        let bytes = one.store.pack_bytes(&name).expect("read").expect("kept");
        import(&two, &Pack { name, bytes });
    }
    assert_eq!(two.get("50").expect("read").number, 50);
}

#[test]
fn what_was_packed_survives_a_reopened_store() {
    let one = sandbox();
    one.task("a");
    let pack = write_pack(&one).expect("changes");
    // The process ends before the pack is in any folder.
    let project = one.project.clone();
    let folder = one.close();
    let store = Store::open(&project).expect("opened");
    let known = store.known_packs().expect("read");
    assert_eq!(known, std::slice::from_ref(&pack.name));
    let kept = store.pack_bytes(&pack.name).expect("read");
    assert_eq!(kept.as_ref(), Some(&pack.bytes));
    let found = store.import_pack(&origin(), &pack.name, &pack.bytes);
    assert_eq!(found.expect("looked at"), PackOutcome::AlreadyKnown);
    assert!(store.pack_outbox(&origin()).expect("packed").is_none());
    drop(folder);
}
