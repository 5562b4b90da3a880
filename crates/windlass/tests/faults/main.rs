//! A campaign of faults with the real binary: processes are killed, disks are full, locks are held,
//! memory is short. Each scenario counts its attempts, what was lost, and the longest wait.
//!
//! A short form runs with all other tests. `cargo xtask faults --minutes N --seed S` runs it for as
//! long as wanted, and prints the table.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod disk;
mod fuzz;
mod kills;
mod locks;
mod memory;
mod processes;
mod project;

// Some of it is only used by the other tests.
#[expect(dead_code, reason = "the client of the other tests")]
#[path = "../it/server.rs"]
mod server;
/// What the client needs to know about where it works.
mod sample {
    pub use crate::project::{config_of, windlass};
}

use std::time::{Duration, Instant};

/// How long a scenario takes in the short form.
const SHORT: Duration = Duration::from_secs(6);

/// A small generator of numbers that look random, seeded, so that a failure can be looked into.
pub struct Dice(u64);

impl Dice {
    pub fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below.max(1)
    }
}

/// What a scenario may use, and what it found.
pub struct Scenario {
    pub dice: Dice,
    until: Instant,
    pub attempts: u64,
    pub losses: Vec<String>,
    pub worst: Duration,
    pub note: String,
}

impl Scenario {
    /// Whether there is time for another attempt. There is for the first.
    pub fn goes_on(&mut self) -> bool {
        let goes_on = self.attempts == 0 || Instant::now() < self.until;
        self.attempts += u64::from(goes_on);
        goes_on
    }

    pub fn waited(&mut self, time: Duration) {
        self.worst = self.worst.max(time);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the campaign is told how long it takes"
)]
fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs one scenario and prints its row of the table.
#[expect(clippy::print_stdout, reason = "the campaign prints what it found")]
fn run(name: &str, share: u32, work: impl FnOnce(&mut Scenario)) {
    let seed = setting("WINDLASS_FAULTS_SEED").unwrap_or(1);
    let time = match setting("WINDLASS_FAULTS_MINUTES") {
        Some(minutes) => Duration::from_secs(minutes * 60) * share / 100,
        None => SHORT,
    };
    let mut scenario = Scenario {
        dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        until: Instant::now() + time,
        attempts: 0,
        losses: Vec::new(),
        worst: Duration::ZERO,
        note: String::new(),
    };
    work(&mut scenario);
    println!(
        "| {name} | {} | {} | {:.1} s | {} |",
        scenario.attempts,
        scenario.losses.len(),
        scenario.worst.as_secs_f64(),
        scenario.note
    );
    scenario.losses.truncate(3);
    assert_eq!(scenario.losses, [""; 0], "{name}, seed {seed}");
}

#[test]
fn faults_kill_of_a_process_that_writes() {
    run("kill, writing process", 40, kills::writer);
}

#[test]
fn faults_kill_of_a_server() {
    run("kill, server", 15, kills::server);
}

#[test]
fn faults_held_lock() {
    run("lock held by another process", 10, locks::held);
}

#[test]
fn faults_full_disk() {
    run("disk, no space and no inodes", 5, disk::full);
}

#[test]
fn faults_file_size_limit() {
    run("disk, limit of file sizes", 5, disk::limited);
}

#[test]
fn faults_burst_of_searches() {
    run("memory, 1,000 searches at once", 5, memory::burst);
}

#[test]
fn faults_killed_supervisors() {
    run("processes, killed server or shim", 10, processes::killed);
}
