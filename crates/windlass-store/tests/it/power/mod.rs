//! The power fails while a process writes: nothing that it acknowledged is lost, and what is left is
//! never damaged.

pub mod record;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use windlass_core::{EntityId, EntityType, Page, Patch, SearchQuery};
use windlass_store::{Project, SearchFilter, Store};

use self::record::{Dice, Left, Recording, record};
use crate::support::{draft, origin, sandbox};

/// How many changes the recorded process makes: enough for the log to be folded into the database
/// several times.
const CHANGES: usize = 60;
/// How many of the possible ends are looked at in an ordinary run.
const ENDS: usize = 40;

#[expect(
    clippy::disallowed_methods,
    reason = "the campaign says how long it takes"
)]
fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn faults_nothing_acknowledged_is_lost_when_the_power_fails() {
    let sandbox = sandbox();
    let first = sandbox.task("there before");
    let folder = sandbox.close();
    let state = folder.path().join(".windlass/state");
    let Some(mut recording) = recorded(folder.path(), &state) else {
        println!("not checked: strace does not work here");
        return;
    };
    let seed = setting("WINDLASS_FAULTS_SEED").unwrap_or(1);
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let minutes = setting("WINDLASS_FAULTS_MINUTES");
    let until = minutes.map(|minutes| Instant::now() + Duration::from_secs(minutes * 60 / 8));
    let (mut ends, mut acknowledged) = (0, 0);
    while match until {
        Some(until) => Instant::now() < until,
        None => ends < ENDS,
    } {
        let moment = dice.roll(recording.moments());
        let left = recording.left_at(moment, &mut dice);
        acknowledged += said_to_be_stored(&left).count();
        let wrong = what_is_wrong(&left, &first.id);
        let moments = recording.moments();
        assert_eq!(
            wrong, None,
            "seed {seed}, before step {moment} of {moments}"
        );
        ends += 1;
    }
    assert!(acknowledged > 0, "the power always failed too early");
    // The same without a flush: if nothing were lost then, this would prove nothing.
    let flushes = recording.flushes();
    recording.forget_flushes();
    let is_lost = (0..ENDS).any(|_| {
        let left = recording.left_at(recording.moments() - 1, &mut dice);
        what_is_wrong(&left, &first.id).is_some()
    });
    assert!(is_lost, "what is not flushed is lost");
    println!(
        "| power, database | {ends} | 0 | - | {} steps, {flushes} flushes |",
        recording.moments() - 1,
    );
}

fn said_to_be_stored(left: &Left) -> impl Iterator<Item = &str> {
    let said = left.said.iter();
    said.filter_map(|line| line.strip_prefix("acknowledged "))
}

/// What is lost or damaged of what a loss of power left.
fn what_is_wrong(left: &Left, first: &EntityId) -> Option<String> {
    let copy = tempfile::tempdir().expect("a folder");
    let (project, _) = Project::init(copy.path()).expect("a project");
    for (name, bytes) in &left.files {
        // The index of the log is in memory only.
        if !name.ends_with("-shm") {
            std::fs::write(project.state().join(name), bytes).expect("written");
        }
    }
    let store = match Store::open(&project) {
        Ok(store) => store,
        Err(error) => return Some(error.to_string()),
    };
    if let Err(error) = store.read(None, |reader| reader.entity(first)) {
        return Some(error.to_string());
    }
    if let Some(title) = said_to_be_stored(left).find(|title| !has(&store, title)) {
        return Some(format!("{title} is lost"));
    }
    match store.check(&origin()) {
        Ok(problems) if problems.is_empty() => None,
        problems => Some(format!("{problems:?}")),
    }
}

fn recorded(folder: &Path, state: &Path) -> Option<Recording> {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command
        .args(["--exact", "power::writes", "--ignored", "--nocapture"])
        .env("WINDLASS_TEST_FOLDER", folder);
    record(state, &command)
}

fn has(store: &Store, title: &str) -> bool {
    let filter = SearchFilter {
        query: SearchQuery {
            text: format!("{title} "),
            ..SearchQuery::default()
        },
        page: Page::default(),
    };
    let found = store.read(None, |reader| reader.search(&filter));
    found.is_ok_and(|(hits, _)| hits.iter().any(|hit| hit.entity.title == title))
}

/// The process whose power fails.
#[test]
#[ignore = "run by another test"]
#[expect(clippy::disallowed_methods, reason = "another test tells it where")]
fn writes() {
    let folder = std::env::var_os("WINDLASS_TEST_FOLDER").expect("a folder");
    let (project, _) = Project::init(&PathBuf::from(folder)).expect("a project");
    let store = Store::open(&project).expect("opened");
    for number in 0..CHANGES {
        let title = format!("change{number}");
        let text = format!("words of {number} ").repeat(1 + number * 37 % 1_500);
        let draft = draft(EntityType::Note, "new", Some(&text), &["power"], json!({}));
        let changed = store.write(&origin(), |writer| {
            let made = writer.create(draft)?;
            let patch = Patch {
                title: Some(title.clone()),
                ..Patch::default()
            };
            writer.update(&made.id, &patch, windlass_core::Dialect::Knowledge)
        });
        changed.expect("written");
        println!("acknowledged {title}");
    }
}
