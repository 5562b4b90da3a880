//! The results, for a person and for a program.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::harness::{Measured, Row};

type Result<'r> = (&'r Row, Measured);

pub fn table(results: &[Result<'_>]) -> String {
    let mut out = format!(
        "{:<24} {:>10} {:>10}   {:>10} {:>10}   {:>6} {:>6} {:>6}\n",
        "row", "p50", "p99", "bare p50", "bare p99", "ratio", "at p99", "limit"
    );
    for (row, measured) in results {
        let (ours, bare) = (measured.subject(), measured.baseline());
        let verdict = if is_over(row, measured) { "OVER" } else { "ok" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{:<24} {:>10} {:>10}   {:>10} {:>10}   {:>6.2} {:>6.2} {:>6.2}  {verdict}",
            row.name,
            short(ours.p50),
            short(ours.p99),
            short(bare.p50),
            short(bare.p99),
            measured.ratio_p50(),
            measured.ratio_p99(),
            row.limit,
        );
    }
    out
}

pub fn json(results: &[Result<'_>]) -> Json {
    let rows: Vec<Json> = results
        .iter()
        .map(|(row, measured)| {
            let micros = |time: Duration| time.as_secs_f64() * 1e6;
            let (ours, bare) = (measured.subject(), measured.baseline());
            json!({
                "row": row.name,
                "about": row.about,
                "subject_us": {"p50": micros(ours.p50), "p99": micros(ours.p99)},
                "yardstick_us": {"p50": micros(bare.p50), "p99": micros(bare.p99)},
                "ratio": {"p50": measured.ratio_p50(), "p99": measured.ratio_p99()},
                "limit": row.limit,
                "over": is_over(row, measured),
            })
        })
        .collect();
    json!({"rows": rows})
}

/// Whether a row is slower than the table allows.
pub fn is_over(row: &Row, measured: &Measured) -> bool {
    measured.ratio_p50() > row.limit
}

fn short(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 1_000.0 {
        format!("{micros:.1} µs")
    } else {
        format!("{:.2} ms", micros / 1_000.0)
    }
}
