//! A sync of many entities against writing and hashing the same bytes.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use windlass_core::Timestamp;
use windlass_store::{JournalKind, PackName, Store};

use crate::generate::origin;
use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::places::Places;

pub const ROW: Row = Row {
    name: "sync",
    about: "the changes of 10,000 entities as a pack, stored and written, against writing and hashing them",
    limit: 3.0,
    measure,
};

const ENTITIES: usize = 10_000;
const ROUNDS: usize = 8;

fn measure(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let changes = changes_of(places)?;
    let file = places.scratch().join("sync.bytes");
    let mut copies = 0;
    rounds.compare_times(
        ROUNDS,
        1,
        || {
            copies += 1;
            one_sync(places, &format!("sync-{copies}"))
        },
        || {
            let start = Instant::now();
            write(&file, &changes)?;
            std::hint::black_box(PackName::of(&changes));
            Ok(start.elapsed())
        },
    )
}

/// The time of one sync of a project in which nothing is packed.
fn one_sync(places: &Places, name: &str) -> Outcome<Duration> {
    let project = places.copy(name, ENTITIES)?;
    let store = Store::open(&project)?;
    // As in a server that has written before.
    store.copy_log_beside_writes()?;
    store.write(&origin(), |writer| {
        writer.append_journal(JournalKind::Progress, "begun", &Timestamp::now())
    })?;
    // The copy is new. Nobody's database is, and the disk should not be writing it meanwhile.
    File::open(project.database())?.sync_all()?;
    let start = Instant::now();
    let outgoing = store.pack_outbox(&origin())?.ok_or("nothing to pack")?;
    let folder = project.folder().join("packs");
    fs::create_dir_all(&folder)?;
    write(
        &folder.join(outgoing.pack.name.file_name()),
        &outgoing.pack.bytes,
    )?;
    let took = start.elapsed();
    drop(store);
    fs::remove_dir_all(project.root())?;
    Ok(took)
}

/// Everything that a sync has to send, as one text.
fn changes_of(places: &Places) -> Outcome<Vec<u8>> {
    let project = places.copy("sync-changes", ENTITIES)?;
    let store = Store::open(&project)?;
    let updates = store.outbox(&origin())?.updates;
    Ok(updates.into_iter().flat_map(|it| it.changes).collect())
}

fn write(path: &Path, bytes: &[u8]) -> Outcome {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    Ok(file.sync_all()?)
}
