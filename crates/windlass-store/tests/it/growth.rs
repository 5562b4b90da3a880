//! A write costs as much as its change, however often the entity was changed before.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

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

fn rewrite(sandbox: &Sandbox, id: &EntityId, text: String) -> Duration {
    let patch = Patch {
        content: Some(Some(text)),
        ..Patch::default()
    };
    let begin = Instant::now();
    sandbox.change(id, &patch).expect("changed");
    begin.elapsed()
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

#[test]
fn a_large_note_that_is_rewritten_often_does_not_keep_its_former_texts() {
    let sandbox = sandbox();
    let note = sandbox.add(draft(
        EntityType::Note,
        "note",
        Some("short"),
        &[],
        json!({}),
    ));
    let rewrites = 60;
    let times: Vec<Duration> = (0..rewrites)
        .map(|seed| rewrite(&sandbox, &note.id, text(seed, SIZE)))
        .collect();
    let (first, last) = (median(times[..20].to_vec()), median(times[40..].to_vec()));
    let document = sandbox.store.history_bytes(&note.id).expect("read");
    println!(
        "{rewrites} rewrites of 98 KB: first {first:?}, last {last:?}, document and outbox {} KiB, files {} KiB",
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

#[test]
fn many_small_changes_cost_the_same_each() {
    let sandbox = sandbox();
    let task = sandbox.task("task");
    let times: Vec<Duration> = (0..1_500)
        .map(|at| {
            let begin = Instant::now();
            let owner = format!("owner {at}");
            sandbox
                .set(&task.id, json!({"assignee": owner}))
                .expect("changed");
            begin.elapsed()
        })
        .collect();
    let (first, last) = (
        median(times[..200].to_vec()),
        median(times[1_300..].to_vec()),
    );
    let document = sandbox.store.history_bytes(&task.id).expect("read");
    println!("1,500 small changes: first {first:?}, last {last:?}, {document} bytes");
    assert!(document < 256 << 10, "{document} bytes");
    assert!(
        last < first * 2 + Duration::from_millis(20),
        "{first:?}, {last:?}"
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
