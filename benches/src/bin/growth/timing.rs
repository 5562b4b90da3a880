//! How times are taken.

use std::time::{Duration, Instant};

use windlass_bench::Outcome;

/// How long the calls of one size in one round may take together. A slow call is made less often.
const TURN: Duration = Duration::from_secs(1);

/// The median time in seconds of some calls; `work` gets the number of the call.
pub fn median_of(calls: u64, mut work: impl FnMut(u64) -> Outcome) -> Outcome<f64> {
    let begun = Instant::now();
    let mut times = Vec::new();
    for call in 0..calls {
        let start = Instant::now();
        work(call)?;
        times.push(start.elapsed().as_secs_f64());
        if begun.elapsed() > TURN {
            break;
        }
    }
    Ok(median(&times))
}

pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The medians of rounds at each size, and the median of the rounds' ratios of the last to the first
/// size. All sizes are measured in each round, so that other load on the machine disturbs all of them.
pub fn in_rounds(
    rounds: usize,
    sizes: usize,
    mut measure: impl FnMut(usize, usize) -> Outcome<f64>,
) -> Outcome<(Vec<f64>, f64)> {
    let mut values = vec![Vec::new(); sizes];
    for round in 0..=rounds {
        for turn in 0..sizes {
            // Another size goes first in each round.
            let size = (turn + round) % sizes;
            let value = measure(size, round)?;
            // The first round warms caches.
            if round > 0 {
                values[size].push(value);
            }
        }
    }
    let ends = values.first().zip(values.last());
    let ratios: Vec<f64> = ends
        .map(|(first, last)| last.iter().zip(first).map(|(last, first)| last / first))
        .into_iter()
        .flatten()
        .collect();
    let medians = values.iter().map(|values| median(values)).collect();
    Ok((medians, median(&ratios)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_round_does_not_count_and_a_disturbed_one_changes_little() {
        let measured = in_rounds(3, 2, |size, round| {
            Ok(match (size, round) {
                (_, 0) => 100.0,
                (1, 2) => 50.0,
                (1, _) => 3.0,
                _ => 2.0,
            })
        });
        let (medians, ratio) = measured.expect("measured");
        assert_eq!((medians, ratio), (vec![2.0, 3.0], 1.5));
    }
}
