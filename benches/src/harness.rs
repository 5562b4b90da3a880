//! Runs a subject and its baseline alternately, in rounds, in one process.
//!
//! The two alternate, and alternate in who goes first, so that other load on the machine affects
//! both. A ratio is computed for each round, and the result is the median of the rounds: a
//! disturbed round has no more weight than any other.

use std::error::Error;
use std::time::{Duration, Instant};

use crate::places::Places;

pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// One line of the speed table.
pub struct Row {
    pub name: &'static str,
    /// What is measured, and against which baseline.
    pub about: &'static str,
    /// The highest acceptable ratio.
    pub limit: f64,
    pub measure: fn(&Places, Rounds) -> Outcome<Measured>,
}

/// How long to measure.
#[derive(Debug, Clone, Copy)]
pub struct Rounds {
    /// Quick rounds only check that everything runs.
    pub quick: bool,
}

impl Rounds {
    /// Runs each side `rounds` times `calls`, after one round that is not counted.
    pub fn compare(
        self,
        rounds: usize,
        calls: usize,
        mut subject: impl FnMut() -> Outcome,
        mut baseline: impl FnMut() -> Outcome,
    ) -> Outcome<Measured> {
        self.compare_times(rounds, calls, || time(&mut subject), || time(&mut baseline))
    }

    /// The same for work that measures its own time.
    pub fn compare_times(
        self,
        rounds: usize,
        calls: usize,
        mut subject: impl FnMut() -> Outcome<Duration>,
        mut baseline: impl FnMut() -> Outcome<Duration>,
    ) -> Outcome<Measured> {
        let (rounds, calls) = if self.quick {
            (3, (calls / 10).max(2))
        } else {
            (rounds, calls)
        };
        let mut measured = Measured::default();
        for round in 0..=rounds {
            let (ours, theirs) = if round % 2 == 0 {
                let ours = times(calls, &mut subject)?;
                (ours, times(calls, &mut baseline)?)
            } else {
                let theirs = times(calls, &mut baseline)?;
                (times(calls, &mut subject)?, theirs)
            };
            // The first round warms caches on both sides.
            if round > 0 {
                measured.add(ours, theirs);
            }
        }
        Ok(measured)
    }
}

fn time(work: &mut impl FnMut() -> Outcome) -> Outcome<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

fn times(calls: usize, work: &mut impl FnMut() -> Outcome<Duration>) -> Outcome<Vec<Duration>> {
    (0..calls).map(|_| work()).collect()
}

/// The measurements of all rounds.
#[derive(Debug, Default)]
pub struct Measured {
    subject: Vec<Duration>,
    baseline: Vec<Duration>,
    ratios_p50: Vec<f64>,
    ratios_p99: Vec<f64>,
}

/// The numbers of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    pub p50: Duration,
    pub p99: Duration,
}

impl Measured {
    /// One round of work that cannot alternate.
    pub fn of(subject: Vec<Duration>, baseline: Vec<Duration>) -> Self {
        let mut measured = Self::default();
        measured.add(subject, baseline);
        measured
    }

    /// The number of calls of the subject.
    pub fn calls(&self) -> usize {
        self.subject.len()
    }

    fn add(&mut self, mut subject: Vec<Duration>, mut baseline: Vec<Duration>) {
        for (share, ratios) in [(50, &mut self.ratios_p50), (99, &mut self.ratios_p99)] {
            let ours = percentile(&mut subject, share).as_secs_f64();
            let theirs = percentile(&mut baseline, share).as_secs_f64();
            ratios.push(ours / theirs.max(f64::EPSILON));
        }
        self.subject.append(&mut subject);
        self.baseline.append(&mut baseline);
    }

    pub fn subject(&self) -> Side {
        side(&self.subject)
    }

    pub fn baseline(&self) -> Side {
        side(&self.baseline)
    }

    /// The median over the rounds, which is compared to the limit.
    pub fn ratio_p50(&self) -> f64 {
        median(&self.ratios_p50)
    }

    pub fn ratio_p99(&self) -> f64 {
        median(&self.ratios_p99)
    }
}

fn side(times: &[Duration]) -> Side {
    let mut times = times.to_vec();
    Side {
        p50: percentile(&mut times, 50),
        p99: percentile(&mut times, 99),
    }
}

fn percentile(times: &mut [Duration], share: usize) -> Duration {
    times.sort_unstable();
    let at = (times.len() * share / 100).min(times.len().saturating_sub(1));
    times.get(at).copied().unwrap_or_default()
}

fn median(ratios: &[f64]) -> f64 {
    let mut ratios = ratios.to_vec();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_disturbed_round_does_not_count() {
        let mut measured = Measured::default();
        let millis = |number| vec![Duration::from_millis(number); 10];
        measured.add(millis(20), millis(10));
        measured.add(millis(900), millis(10));
        measured.add(millis(40), millis(20));
        assert!((measured.ratio_p50() - 2.0).abs() < 1e-9);
        assert_eq!(measured.subject().p50, Duration::from_millis(40));
        assert_eq!(measured.subject().p99, Duration::from_millis(900));
    }

    #[test]
    fn both_sides_run_equally_often_and_alternate_in_going_first() {
        let calls = std::cell::RefCell::new(String::new());
        let note = |side: &str| {
            calls.borrow_mut().push_str(side);
            Ok(())
        };
        Rounds { quick: false }
            .compare(2, 2, || note("s"), || note("y"))
            .expect("measured");
        assert_eq!(calls.into_inner(), "ssyyyyssssyy");
    }
}
