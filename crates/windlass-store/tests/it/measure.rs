//! Figures for a large project. Not part of a usual run:
//! `cargo test --release --package windlass-store -- --ignored --nocapture ten_thousand`.

#![expect(clippy::print_stderr, reason = "the figures are the result")]

use std::time::Instant;

use serde_json::json;
use windlass_core::{Dialect, EntityId, EntityType, Patch};
use windlass_store::{Pack, PackOutcome};

use crate::support::{Sandbox, draft, object, origin, sandbox};

const ENTITIES: usize = 10_000;
const EDITS: usize = 3;

/// About 500 bytes that do not repeat.
fn text(seed: usize) -> String {
    let words = (0..80).map(|at| {
        let number = (seed * 7_919 + at * 104_729) % 20_011;
        format!("w{number:x}")
    });
    words.collect::<Vec<_>>().join(" ")
}

fn fill(clone: &Sandbox) -> Vec<EntityId> {
    let make = |writer: &windlass_store::Writer<'_>| {
        (0..ENTITIES)
            .map(|at| {
                let new = draft(
                    EntityType::Task,
                    &format!("Task {at}"),
                    Some(&text(at)),
                    &["area", "sync"],
                    json!({"priority": "high"}),
                );
                writer.create(new).map(|entity| entity.id)
            })
            .collect()
    };
    clone.store.write(&origin(), make).expect("created")
}

fn edit(clone: &Sandbox, ids: &[EntityId], value: &str) {
    let edit = |writer: &windlass_store::Writer<'_>| {
        for id in ids {
            let patch = Patch {
                properties: object(json!({"assignee": value, "due_date": "2027-01-01"})),
                ..Patch::default()
            };
            writer.update(id, &patch, Dialect::Knowledge)?;
        }
        Ok(())
    };
    clone.store.write(&origin(), edit).expect("edited");
}

fn pack(clone: &Sandbox, what: &str) -> Pack {
    let start = Instant::now();
    let outgoing = clone.store.pack_outbox(&origin()).expect("packed");
    let outgoing = outgoing.expect("changes");
    eprintln!(
        "{what}: {} bytes, packed and kept in {:?}",
        outgoing.pack.bytes.len(),
        start.elapsed()
    );
    outgoing.pack
}

fn import(clone: &Sandbox, pack: &Pack, what: &str) {
    let start = Instant::now();
    let outcome = clone.store.import_pack(&origin(), &pack.name, &pack.bytes);
    let Ok(PackOutcome::Imported(report)) = outcome else {
        panic!("{outcome:?}");
    };
    eprintln!(
        "{what}: {} entities imported in {:?}",
        report.changed,
        start.elapsed()
    );
}

#[test]
#[ignore = "takes minutes; its figures are for people"]
fn ten_thousand_entities_with_history() {
    let (one, fresh) = (sandbox(), sandbox());
    let ids = fill(&one);
    let first = pack(&one, "10,000 new entities");
    for round in 0..EDITS {
        edit(&one, &ids, &format!("person {round}"));
    }
    let second = pack(&one, "3 edits to each");
    import(&fresh, &first, "the new entities");
    import(&fresh, &second, "the edits");
    let start = Instant::now();
    let all = one.store.compact(&origin()).expect("compacted");
    let all = all.expect("a pack");
    eprintln!(
        "both as one: {} bytes in {:?}",
        all.bytes.len(),
        start.elapsed()
    );
    import(&sandbox(), &all, "both as one");
    let ten: Vec<EntityId> = ids.into_iter().take(10).collect();
    edit(&one, &ten, "last");
    let last = pack(&one, "edits to 10 entities");
    import(&fresh, &last, "edits to 10 entities");
}
