//! A write costs as much as its change, however often the entity was changed before.

#![expect(clippy::print_stdout, reason = "the figures are printed")]

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;
use windlass_core::{EntityId, EntityType, Patch};

use crate::support::{Sandbox, draft, origin, sandbox};

const SIZE: usize = 98 << 10;

/// Text without repetition, another one for each seed.
fn text(seed: u64, bytes: usize) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let _ = write!(text, "{:x}", state % 0xFF_FFFF);
        text.push(if state.is_multiple_of(11) { '\n' } else { ' ' });
    }
    text.truncate(bytes);
    text
}

/// What this thread has used of a processor, which other work on the machine does not change.
fn processor_time() -> Duration {
    let known = std::fs::read_to_string("/proc/thread-self/schedstat").expect("read");
    let nanoseconds = known.split(' ').next().expect("a number");
    Duration::from_nanos(nanoseconds.parse().expect("a number"))
}

fn rewrite(sandbox: &Sandbox, id: &EntityId, text: String) -> Duration {
    let patch = Patch {
        content: Some(Some(text)),
        ..Patch::default()
    };
    let begin = processor_time();
    sandbox.change(id, &patch).expect("changed");
    processor_time() - begin
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The bytes of the database and its log, without what is free in it.
fn stored_bytes(sandbox: &Sandbox) -> u64 {
    let path = sandbox.project.database();
    let log = path.with_extension("db-wal");
    [path, log]
        .iter()
        .map(|path| std::fs::metadata(path).map_or(0, |known| known.len()))
        .sum()
}

/// The medians of the first and the last tenth.
fn ends(times: &[Duration]) -> (Duration, Duration) {
    let part = (times.len() / 10).max(1);
    let (first, last) = (&times[..part], &times[times.len() - part..]);
    (median(first.to_vec()), median(last.to_vec()))
}

/// Rewrites a note of 98 KB so often.
fn rewrite_a_large_note(rewrites: u64) {
    let sandbox = sandbox();
    let note = sandbox.add(draft(
        EntityType::Note,
        "note",
        Some("short"),
        &[],
        json!({}),
    ));
    let times: Vec<Duration> = (0..rewrites)
        .map(|seed| rewrite(&sandbox, &note.id, text(seed, SIZE)))
        .collect();
    let (first, last) = ends(&times);
    let document = sandbox.store.history_bytes(&note.id).expect("read");
    println!(
        "{rewrites} rewrites of 98 KB: first {first:?}, last {last:?}, longest {:?}, document and outbox {} KiB, files {} KiB",
        times.iter().max().expect("some"),
        document >> 10,
        stored_bytes(&sandbox) >> 10
    );
    assert!(document < (1 << 20) + SIZE as u64, "{document} bytes");
    assert!(
        last < first * 2 + Duration::from_millis(50),
        "{first:?}, {last:?}"
    );
    assert_eq!(sandbox.store.check(&origin()).expect("checked"), [""; 0]);
}

/// Changes one field so often.
fn change_a_small_field(changes: usize) {
    let sandbox = sandbox();
    let task = sandbox.task("task");
    let times: Vec<Duration> = (0..changes)
        .map(|at| {
            let begin = processor_time();
            let owner = format!("owner {at}");
            sandbox
                .set(&task.id, json!({"assignee": owner}))
                .expect("changed");
            processor_time() - begin
        })
        .collect();
    let (first, last) = ends(&times);
    let document = sandbox.store.history_bytes(&task.id).expect("read");
    println!(
        "{changes} small changes: first {first:?}, last {last:?}, longest {:?}, {document} bytes, files {} KiB",
        times.iter().max().expect("some"),
        stored_bytes(&sandbox) >> 10
    );
    assert!(document < 256 << 10, "{document} bytes");
    assert!(
        last < first * 2 + Duration::from_millis(20),
        "{first:?}, {last:?}"
    );
    assert_eq!(sandbox.store.check(&origin()).expect("checked"), [""; 0]);
}

#[test]
fn a_large_note_that_is_rewritten_often_does_not_keep_its_former_texts() {
    rewrite_a_large_note(60);
}

#[test]
fn many_small_changes_cost_the_same_each() {
    change_a_small_field(1_500);
}

/// `cargo test --release --package windlass-store -- --ignored --nocapture growth_in_full`
#[test]
#[ignore = "takes minutes; a shorter form of it is above"]
fn growth_in_full() {
    rewrite_a_large_note(400);
    change_a_small_field(20_000);
}

/// What others may have is kept, so that a note grows with each exchange. `cargo test --release
/// --package windlass-store -- --ignored --nocapture growth_with_an_exchange`
#[test]
#[ignore = "takes minutes; its figures are for people"]
fn growth_with_an_exchange_after_each_rewrite() {
    let sandbox = sandbox();
    let note = sandbox.add(draft(
        EntityType::Note,
        "note",
        Some("short"),
        &[],
        json!({}),
    ));
    let times: Vec<Duration> = (0..400)
        .map(|seed| {
            let time = rewrite(&sandbox, &note.id, text(seed, SIZE));
            sandbox.store.outbox(&origin()).expect("sealed");
            time
        })
        .collect();
    let (first, last) = ends(&times);
    let document = sandbox.store.history_bytes(&note.id).expect("read");
    println!(
        "400 rewrites of 98 KB with an exchange after each: first {first:?}, last {last:?}, document and outbox {} KiB",
        document >> 10
    );
}

/// What another clone has, or may have, is kept: its work may build on it.
#[test]
fn work_of_another_clone_on_an_older_text_is_merged_after_many_rewrites() {
    let (one, two) = (sandbox(), sandbox());
    let lines = |end: &str| format!("{}\nlast {end}", text(1, 40 << 10));
    let note = one.add(draft(
        EntityType::Note,
        "note",
        Some(&lines("line")),
        &[],
        json!({}),
    ));
    let packed = one.store.outbox(&origin()).expect("sealed");
    two.store
        .import(&origin(), &packed.updates)
        .expect("imported");
    for at in 0..50 {
        let title = format!("title {at}");
        let patch = Patch {
            title: Some(title),
            content: Some(Some(format!(
                "{} {at}\n{}",
                text(at + 2, 10 << 10),
                lines("line")
            ))),
            ..Patch::default()
        };
        one.change(&note.id, &patch).expect("changed");
    }
    rewrite(&two, &note.id, lines("LINE"));
    let late = two.store.outbox(&origin()).expect("sealed");
    one.store
        .import(&origin(), &late.updates)
        .expect("imported");
    let more = one.store.outbox(&origin()).expect("sealed");
    assert!(more.updates.len() < 60, "{} updates", more.updates.len());
    two.store
        .import(&origin(), &more.updates)
        .expect("imported");
    let (here, there) = (one.get("1").expect("read"), two.get("1").expect("read"));
    assert_eq!(here.content, there.content);
    let content = here.content.expect("content");
    assert!(content.contains(" 49\n") && content.ends_with("last LINE"));
    assert_eq!(here.title, "title 49");
}
