//! What was acknowledged, what went wrong, and how long it took: shared by everyone at work.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is known of a note: the last revision that was acknowledged, and whether it was deleted.
#[derive(Default, Clone)]
pub struct Known {
    pub revision: u64,
    pub is_deleted: bool,
}

#[derive(Default)]
struct Books {
    acknowledged: BTreeMap<String, Known>,
    counts: BTreeMap<String, u64>,
    waits: Vec<Duration>,
    servers: BTreeMap<u64, u32>,
    problems: u64,
}

pub struct Ledger {
    until: Instant,
    begin: Instant,
    books: Mutex<Books>,
    log: Mutex<File>,
}

impl Ledger {
    pub fn new(base: &Path, minutes: u64) -> Result<Self, String> {
        let path = base.join("problems.log");
        let log = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let _ = fs::remove_file(base.join("report.md"));
        Ok(Self {
            until: Instant::now() + Duration::from_mins(minutes),
            begin: Instant::now(),
            books: Mutex::default(),
            log: Mutex::new(log),
        })
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }

    /// Waits, but not beyond the end.
    pub fn pause(&self, time: Duration) {
        let left = self.until.saturating_duration_since(Instant::now());
        std::thread::sleep(time.min(left));
    }

    pub fn count(&self, what: &str) {
        *self.books().counts.entry(what.to_owned()).or_default() += 1;
    }

    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.books().counts.clone()
    }

    pub fn problem(&self, who: &str, what: &str) {
        self.books().problems += 1;
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let at = self.begin.elapsed().as_secs();
        let _ = writeln!(log, "{at} s, {who}: {what}");
    }

    pub fn problems(&self) -> u64 {
        self.books().problems
    }

    pub fn created(&self, title: &str) {
        let known = Known::default();
        self.books().acknowledged.insert(title.to_owned(), known);
    }

    pub fn revised(&self, title: &str, revision: u64) {
        if let Some(known) = self.books().acknowledged.get_mut(title) {
            known.revision = revision;
        }
    }

    pub fn deleted(&self, title: &str) {
        if let Some(known) = self.books().acknowledged.get_mut(title) {
            known.is_deleted = true;
        }
    }

    pub fn acknowledged(&self) -> BTreeMap<String, Known> {
        self.books().acknowledged.clone()
    }

    pub fn waited(&self, time: Duration) {
        self.books().waits.push(time);
    }

    /// The waits since the last time this was asked, shortest first.
    pub fn take_waits(&self) -> Vec<Duration> {
        let mut waits = std::mem::take(&mut self.books().waits);
        waits.sort();
        waits
    }

    pub fn serves(&self, agent: u64, pid: u32) {
        self.books().servers.insert(agent, pid);
    }

    /// The process of each agent's server.
    pub fn servers(&self) -> BTreeMap<u64, u32> {
        self.books().servers.clone()
    }
}
