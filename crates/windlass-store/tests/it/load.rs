//! Many requests at once: bounded connections and memory, and everyone is served.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use windlass_core::EntityType;
use windlass_store::SearchFilter;

use crate::support::{Sandbox, draft, origin, sandbox};

const WORDS: [&str; 12] = [
    "alpha", "bravo", "cargo", "delta", "engine", "falcon", "gamma", "harbour", "index", "jetty",
    "kernel", "ledger",
];

fn fill(sandbox: &Sandbox, count: usize) {
    sandbox
        .store
        .write(&origin(), |writer| {
            for at in 0..count {
                let mut text = String::new();
                for step in 0..60 {
                    text.push_str(WORDS[(at * 7 + step * step) % WORDS.len()]);
                    let _ = write!(text, " w{} ", (at * 31 + step) % 5_000);
                }
                let title = format!("{} note {at}", WORDS[at % WORDS.len()]);
                writer.create(draft(EntityType::Note, &title, Some(&text), &[], json!({})))?;
            }
            Ok(())
        })
        .expect("filled");
}

/// How many handles of this process are open on a file, and how much memory it takes, in MiB.
#[cfg(target_os = "linux")]
fn handles_on(path: &Path) -> usize {
    let handles = std::fs::read_dir("/proc/self/fd").expect("read");
    handles
        .filter_map(|handle| std::fs::read_link(handle.ok()?.path()).ok())
        .filter(|target| target == path)
        .count()
}

#[cfg(target_os = "linux")]
fn resident_mebibytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("read");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("a line");
    let kibibytes: u64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|number| number.parse().ok())
        .expect("a number");
    kibibytes / 1024
}

#[cfg(target_os = "linux")]
#[test]
fn three_hundred_searches_at_once_are_served_by_few_connections() {
    let sandbox = sandbox();
    fill(&sandbox, 20_000);
    let database = sandbox.project.database().canonicalize().expect("a path");
    let before = resident_mebibytes();
    let (done, begin) = (std::sync::atomic::AtomicBool::new(false), Instant::now());
    let (mut handles, mut memory) = (0, 0);
    std::thread::scope(|scope| {
        let searches: Vec<_> = (0..300)
            .map(|at| {
                let store = &sandbox.store;
                scope.spawn(move || {
                    // As long as a request may take; a loaded machine gets more.
                    let deadline = Some(Instant::now() + Duration::from_mins(2));
                    let mut filter = SearchFilter::default();
                    filter.query.text = format!("{} w{at}", WORDS[at % WORDS.len()]);
                    store.read(deadline, |reader| reader.search(&filter))
                })
            })
            .collect();
        let done = &done;
        let watch = scope.spawn(move || {
            let (mut handles, mut memory) = (0, 0);
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                handles = handles.max(handles_on(&database));
                memory = memory.max(resident_mebibytes());
                std::thread::sleep(Duration::from_millis(5));
            }
            (handles, memory)
        });
        for search in searches {
            let (hits, _) = search.join().expect("ended").expect("found");
            assert!(!hits.is_empty());
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        (handles, memory) = watch.join().expect("ended");
    });
    let after = resident_mebibytes();
    println!(
        "300 searches: {:?}, {handles} handles, {before} MiB before, {memory} MiB at most, {after} MiB after",
        begin.elapsed()
    );
    // One is the writer's.
    assert!(handles <= 17, "{handles} handles on the database");
    assert!(memory < before + 150, "{before} MiB before, {memory} MiB");
}
