//! The power fails while the allowlist is changed: it is the old one or the new one, and the new one
//! once the change was acknowledged.

#[path = "../../../windlass-store/tests/it/power/record.rs"]
mod record;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use windlass_commands::allowlist::{Allowlist, Scope, allow};

use self::record::{Dice, Left, record};

const CHANGES: usize = 12;
const ENDS: usize = 300;

#[expect(
    clippy::disallowed_methods,
    reason = "the campaign says where to begin"
)]
fn seed() -> u64 {
    let seed = std::env::var("WINDLASS_FAULTS_SEED").ok();
    seed.and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

#[test]
fn faults_an_allowlist_is_old_or_new_when_the_power_fails() {
    let base = tempfile::tempdir().unwrap();
    let folder = base.path().canonicalize().unwrap().join("config");
    fs::create_dir(&folder).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "power::changes", "--ignored", "--nocapture"])
        .env("WINDLASS_TEST_FOLDER", &folder);
    let Some(mut recording) = record(&folder, &command) else {
        println!("not checked: strace does not work here");
        return;
    };
    let mut dice = Dice(seed().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..ENDS {
        let moment = dice.roll(recording.moments());
        let left = recording.left_at(moment, &mut dice);
        assert_eq!(what_is_wrong(&left), None, "before step {moment}");
    }
    // The same without a flush: if nothing were lost then, this would prove nothing.
    let flushes = recording.flushes();
    recording.forget_flushes();
    let is_lost = (0..ENDS).any(|_| {
        let left = recording.left_at(recording.moments() - 1, &mut dice);
        what_is_wrong(&left).is_some()
    });
    assert!(is_lost, "what is not flushed is lost");
    println!(
        "| power, allowlist | {ENDS} | 0 | - | {} steps, {flushes} flushes |",
        recording.moments() - 1,
    );
}

/// What is lost or damaged of what a loss of power left.
fn what_is_wrong(left: &Left) -> Option<String> {
    let said = left.said.iter();
    let acknowledged = said.filter(|line| line.starts_with("acknowledged")).count();
    let copy = tempfile::tempdir().unwrap();
    for (name, bytes) in &left.files {
        fs::write(copy.path().join(name), bytes).unwrap();
    }
    let list = Allowlist::new(copy.path().join("allowlist.toml"), Vec::new());
    match list.entries().map(|entries| entries.len()) {
        Ok(entries) if (acknowledged..=acknowledged + 1).contains(&entries) => None,
        Ok(entries) => Some(format!("{entries} entries, {acknowledged} acknowledged")),
        Err(error) => Some(error.to_string()),
    }
}

/// The process whose power fails: each change adds an entry.
#[test]
#[ignore = "run by another test"]
#[expect(clippy::disallowed_methods, reason = "another test tells it where")]
fn changes() {
    let folder = PathBuf::from(std::env::var_os("WINDLASS_TEST_FOLDER").unwrap());
    let files = tempfile::tempdir().unwrap();
    for number in 0..CHANGES {
        let granted = files.path().join(format!("folder{number}"));
        fs::create_dir(&granted).unwrap();
        allow(
            &folder.join("allowlist.toml"),
            &granted,
            Scope::Directory,
            &[],
        )
        .unwrap();
        println!("acknowledged {number}");
    }
}
