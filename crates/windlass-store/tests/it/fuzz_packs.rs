//! Packs that are almost right. Their checksums fit, as those of a pack that somebody made on purpose:
//! one cannot be imported, or it is, and the state agrees with itself afterwards.

use serde_json::json;
use sha2::{Digest as _, Sha256};
use windlass_core::{EntityType, Patch};
use windlass_store::{PackName, PackOutcome};

use crate::mutate::{self, Mutator};
use crate::support::{Sandbox, draft, origin, sandbox};

/// Magic, version, length of the body, SHA-256 of what follows.
const HEADER: usize = 8 + 4 + 8 + 32;

/// The body of a pack.
fn body_of(pack: &[u8]) -> Vec<u8> {
    zstd::stream::decode_all(&pack[HEADER..]).expect("decompressed")
}

/// A pack with a body, with the header of another.
fn around(body: &[u8], pack: &[u8]) -> Vec<u8> {
    let compressed = zstd::bulk::compress(body, 1).expect("compressed");
    let mut bytes = pack[..12].to_vec();
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&Sha256::digest(&compressed));
    bytes.extend_from_slice(&compressed);
    bytes
}

/// XXH32 with the seed that documents have.
fn document_checksum(bytes: &[u8]) -> u32 {
    const PRIMES: [u32; 5] = [
        0x9E37_79B1,
        0x85EB_CA77,
        0xC2B2_AE3D,
        0x27D4_EB2F,
        0x1656_67B1,
    ];
    let seed = u32::from_le_bytes(*b"LORO");
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let (mut sum, mut rest) = (seed.wrapping_add(PRIMES[4]), bytes);
    if bytes.len() >= 16 {
        let mut lanes = [
            seed.wrapping_add(PRIMES[0]).wrapping_add(PRIMES[1]),
            seed.wrapping_add(PRIMES[1]),
            seed,
            seed.wrapping_sub(PRIMES[0]),
        ];
        while rest.len() >= 16 {
            for (lane, part) in lanes.iter_mut().zip(rest.chunks(4)) {
                *lane = lane
                    .wrapping_add(word(part).wrapping_mul(PRIMES[1]))
                    .rotate_left(13)
                    .wrapping_mul(PRIMES[0]);
            }
            rest = &rest[16..];
        }
        let turns = [1, 7, 12, 18];
        sum = lanes.iter().zip(turns).fold(0, |sum: u32, (lane, turn)| {
            sum.wrapping_add(lane.rotate_left(turn))
        });
    }
    sum = sum.wrapping_add(u32::try_from(bytes.len()).expect("short"));
    while rest.len() >= 4 {
        sum = sum
            .wrapping_add(word(rest).wrapping_mul(PRIMES[2]))
            .rotate_left(17)
            .wrapping_mul(PRIMES[3]);
        rest = &rest[4..];
    }
    for byte in rest {
        sum = sum
            .wrapping_add(u32::from(*byte).wrapping_mul(PRIMES[4]))
            .rotate_left(11)
            .wrapping_mul(PRIMES[0]);
    }
    sum = (sum ^ (sum >> 15)).wrapping_mul(PRIMES[1]);
    sum = (sum ^ (sum >> 13)).wrapping_mul(PRIMES[2]);
    sum ^ (sum >> 16)
}

/// Where the updates are in a body without replaced packs: their beginnings and ends.
fn updates_in(body: &[u8]) -> Vec<(usize, usize)> {
    let number = |at: usize| {
        let bytes = body.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    let mut found = Vec::new();
    let mut walk = || -> Option<()> {
        let mut at = 4;
        let entities = number(at)?;
        at += 4;
        for _ in 0..entities {
            at += 16;
            let updates = number(at)?;
            at += 4;
            for _ in 0..updates {
                let length = number(at)?;
                at += 4;
                found.push((at, at + length));
                at += length;
            }
        }
        Some(())
    };
    walk();
    found
}

/// Changes the inside of one update and makes its checksum fit.
fn change_an_update(body: &mut [u8], mutator: &mut Mutator) {
    let updates = updates_in(body);
    let (begin, end) = updates[mutator.number(updates.len())];
    let update = &mut body[begin..end];
    for _ in 0..=mutator.number(4) {
        let at = 20 + mutator.number(update.len() - 20);
        update[at] = u8::try_from(mutator.number(256)).expect("small");
    }
    let sum = document_checksum(&update[20..]);
    update[16..20].copy_from_slice(&sum.to_le_bytes());
}

fn packs() -> Vec<Vec<u8>> {
    let one = sandbox();
    let pack = || {
        let outgoing = one.store.pack_outbox(&origin()).expect("packed");
        outgoing.expect("changes").pack.bytes
    };
    let task = one.task("task");
    let note = one.add(draft(
        EntityType::Note,
        "a note",
        Some("some text\nof two lines"),
        &["tag", "other"],
        json!({}),
    ));
    let first = pack();
    one.set(&task.id, json!({"priority": "high", "assignee": "ann"}))
        .expect("changed");
    one.relate(&note, windlass_core::RelationType::References, &task)
        .expect("related");
    vec![first, pack()]
}

fn offer(clone: &Sandbox, bytes: &[u8]) -> PackOutcome {
    let name = PackName::of(bytes);
    let outcome = clone.store.import_pack(&origin(), &name, bytes);
    outcome.expect("looked at")
}

/// What every reader wants to be true.
fn agrees(clone: &Sandbox) {
    assert_eq!(clone.store.check(&origin()).expect("checked"), [""; 0]);
    listed(clone);
}

fn listed(clone: &Sandbox) -> Vec<windlass_core::Entity> {
    let page = windlass_core::Page::default();
    let filter = windlass_store::EntityFilter::default();
    let listed = clone
        .store
        .read(None, |reader| reader.entities(&filter, page));
    listed.expect("listed").0
}

#[test]
fn the_checksum_of_documents_is_known() {
    for pack in packs() {
        let body = body_of(&pack);
        for (begin, end) in updates_in(&body) {
            let update = &body[begin..end];
            assert_eq!(update[..4], *b"loro");
            assert_eq!(
                update[16..20],
                document_checksum(&update[20..]).to_le_bytes()
            );
        }
    }
}

#[test]
fn fuzz_pack_files() {
    let packs = packs();
    let bodies: Vec<Vec<u8>> = packs.iter().map(|pack| body_of(pack)).collect();
    let mut clone = sandbox();
    let mut offered = 0_u32;
    mutate::fuzz("pack files", 400, |mutator| {
        let whole: Vec<&[u8]> = packs.iter().map(Vec::as_slice).collect();
        offer(&clone, &mutator.bytes(&whole));
        let parts: Vec<&[u8]> = bodies.iter().map(Vec::as_slice).collect();
        offer(&clone, &around(&mutator.bytes(&parts), &packs[0]));
        let mut body = bodies[mutator.number(bodies.len())].clone();
        change_an_update(&mut body, mutator);
        offer(&clone, &around(&body, &packs[0]));
        offered += 1;
        if offered.is_multiple_of(50) {
            agrees(&clone);
            clone = sandbox();
        }
    });
    agrees(&clone);
}

/// Loro fails in the middle of some of them, and cannot even be dropped after that; others it takes,
/// and fails when their result is loaded. Whatever was taken in can be read, written and folded.
#[test]
fn fuzz_changes_inside_of_updates() {
    let packs = packs();
    let bodies: Vec<Vec<u8>> = packs.iter().map(|pack| body_of(pack)).collect();
    let mut clone = sandbox();
    let mut imported = 0_u32;
    mutate::fuzz("changes inside of updates", 2_500, |mutator| {
        let mut body = bodies[mutator.number(bodies.len())].clone();
        change_an_update(&mut body, mutator);
        if !matches!(
            offer(&clone, &around(&body, &packs[0])),
            PackOutcome::Imported(_)
        ) {
            return;
        }
        imported += 1;
        write_all(&clone);
        if imported.is_multiple_of(20) {
            agrees(&clone);
            clone = sandbox();
        }
    });
    agrees(&clone);
    assert!(imported > 10, "only {imported} were taken in");
}

/// Changes every entity, and rewrites its document.
fn write_all(clone: &Sandbox) {
    for entity in listed(clone) {
        let patch = Patch {
            title: Some(format!("{} again", entity.title)),
            content: Some(Some("another text".to_owned())),
            ..Patch::default()
        };
        clone.change(&entity.id, &patch).expect("changed");
    }
    clone.store.fold_histories(&origin()).expect("folded");
}

/// An update that waits for others may turn out to be broken when they arrive. They are not to blame.
#[test]
fn what_waits_and_is_broken_does_not_keep_others_out() {
    let packs = packs();
    let later = body_of(&packs[1]);
    let mut waited = 0_u32;
    mutate::fuzz("updates that wait", 120, |mutator| {
        let clone = sandbox();
        let mut body = later.clone();
        change_an_update(&mut body, mutator);
        let outcome = offer(&clone, &around(&body, &packs[1]));
        if matches!(outcome, PackOutcome::Imported(report) if report.pending > 0) {
            waited += 1;
            let outcome = offer(&clone, &packs[0]);
            assert!(matches!(outcome, PackOutcome::Imported(_)), "{outcome:?}");
            assert_eq!(listed(&clone).len(), 2);
        }
    });
    assert!(waited > 5, "only {waited} waited");
}
