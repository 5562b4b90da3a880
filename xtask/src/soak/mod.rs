//! Hours of ordinary and rough use on one project: agents over MCP, people on the command line, two
//! clones that exchange their changes, and kills at random moments. Each minute it notes memory,
//! handles, sizes and waits, and draws them; at the end it looks for what was acknowledged.
//!
//! Results are in the folder: `samples.csv`, `soak.svg`, `problems.log`, `report.md`, all of them up to
//! date while it runs.

mod agent;
mod ledger;
mod person;
mod place;
mod plot;
mod sample;
mod sync;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ledger::Ledger;
use place::Place;

use crate::cargo;
use crate::progress;

const USAGE: &str =
    "Usage: cargo xtask soak [--minutes N] [--folder DIR] [--binary FILE] [--seed S]";
/// How many of each there are.
const AGENTS: u64 = 4;
const PEOPLE: u64 = 2;

struct Options {
    minutes: u64,
    folder: PathBuf,
    binary: Option<PathBuf>,
    seed: u64,
}

fn options(root: &Path, arguments: &[&str]) -> Result<Options, String> {
    let mut options = Options {
        minutes: 120,
        folder: root.join("target/soak"),
        binary: None,
        seed: 1,
    };
    for pair in arguments.chunks(2) {
        match pair {
            ["--minutes", value] => options.minutes = value.parse().map_err(|_| USAGE)?,
            ["--seed", value] => options.seed = value.parse().map_err(|_| USAGE)?,
            ["--folder", value] => options.folder = PathBuf::from(value),
            ["--binary", value] => options.binary = Some(PathBuf::from(value)),
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(options)
}

/// A small generator of numbers that look random, with a seed.
pub struct Dice(u64);

impl Dice {
    fn new(seed: u64, who: u64) -> Self {
        Self((seed * 1_000 + who + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below.max(1)
    }

    /// A time between these, in milliseconds.
    fn time(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(from + self.roll(to - from))
    }
}

pub fn run(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let options = options(root, arguments)?;
    let binary = match options.binary {
        Some(binary) => binary,
        None => cargo::build_windlass(root)?,
    };
    let place = Arc::new(Place::make(&options.folder, &binary)?);
    let ledger = Arc::new(Ledger::new(&place.base, options.minutes)?);
    progress(&format!(
        "Working for {} minutes; what is found is in {}.",
        options.minutes,
        place.base.display()
    ));
    let mut workers = Vec::new();
    for number in 0..AGENTS {
        let (place, ledger, dice) = (
            place.clone(),
            ledger.clone(),
            Dice::new(options.seed, number),
        );
        workers.push(thread::spawn(move || {
            agent::work(&place, &ledger, dice, number);
        }));
    }
    for number in 0..PEOPLE {
        let dice = Dice::new(options.seed, 100 + number);
        let (place, ledger) = (place.clone(), ledger.clone());
        workers.push(thread::spawn(move || {
            person::work(&place, &ledger, dice, number);
        }));
    }
    for clone in [&place.one, &place.two] {
        let dice = Dice::new(options.seed, 200 + workers.len() as u64);
        let (place, ledger, clone) = (place.clone(), ledger.clone(), clone.clone());
        workers.push(thread::spawn(move || {
            sync::work(&place, &ledger, dice, &clone);
        }));
    }
    let mut samples = Vec::new();
    let begin = Instant::now();
    while ledger.goes_on() {
        let next = Duration::from_mins(samples.len() as u64);
        if begin.elapsed() < next {
            thread::sleep(Duration::from_millis(200));
            continue;
        }
        samples.push(sample::take(&place, &ledger, begin.elapsed()));
        sample::keep(&place.base, &samples)?;
    }
    for worker in workers {
        if worker.join().is_err() {
            ledger.problem("a worker", "panicked");
        }
    }
    samples.push(sample::take(&place, &ledger, begin.elapsed()));
    sample::keep(&place.base, &samples)?;
    verify::look(&place, &ledger);
    let report = verify::report(&ledger, &samples);
    place::write(&place.base.join("report.md"), &report)?;
    if ledger.problems() == 0 {
        Ok(report)
    } else {
        Err(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_defaults_and_are_checked() {
        let root = Path::new("/r");
        let found = options(root, &["--minutes", "5", "--folder", "/f"]).expect("read");
        assert_eq!((found.minutes, found.seed), (5, 1));
        assert_eq!(found.folder, Path::new("/f"));
        assert!(options(root, &["--minutes"]).is_err());
        assert!(options(root, &["--minutes", "x"]).is_err());
    }

    #[test]
    fn dice_differ_by_seed_and_by_who_rolls() {
        let rolls = |seed, who| Dice::new(seed, who).roll(u64::MAX);
        assert_eq!(rolls(1, 1), rolls(1, 1));
        assert_ne!(rolls(1, 1), rolls(1, 2));
        assert_ne!(rolls(1, 1), rolls(2, 1));
    }
}
