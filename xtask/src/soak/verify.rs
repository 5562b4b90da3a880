//! What is left at the end: everything that was acknowledged, in both clones, and nothing else that
//! should not be.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::ledger::{Known, Ledger};
use super::person::run;
use super::place::Place;
use super::sample::{self, COLUMNS, Sample};
use super::sync::exchange;

/// How long processes of jobs may take to end after their servers.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn look(place: &Place, ledger: &Ledger) {
    let end = Instant::now() + PATIENCE;
    while sample::jobs(&place.one) > 0 && Instant::now() < end {
        sleep(Duration::from_millis(200));
    }
    let left = sample::jobs(&place.one);
    if left > 0 {
        ledger.problem("at the end", &format!("{left} processes of jobs are left"));
    }
    // Each sends what the other lacks, also what the first exchange brought up.
    for clone in [&place.one, &place.two, &place.one, &place.two] {
        run(ledger, &mut place.sync(clone), "windlass sync");
        exchange(place, ledger);
    }
    let acknowledged = ledger.acknowledged();
    for clone in [&place.one, &place.two] {
        let name = clone.file_name().unwrap_or_default().to_string_lossy();
        let found = entities(place, ledger, clone);
        for what in differences(&acknowledged, &found) {
            ledger.problem(&format!("at the end, clone {name}"), &what);
        }
        let mut doctor = place.windlass(clone);
        doctor.args(["--json", "doctor"]);
        run(ledger, &mut doctor, "windlass doctor");
    }
}

/// The contents of all entities, by title.
fn entities(place: &Place, ledger: &Ledger, clone: &Path) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut export = place.windlass(clone);
    export.args(["export", "--format", "json"]);
    let all = run(ledger, &mut export, "windlass export").unwrap_or_default();
    for entity in all["entities"].as_array().into_iter().flatten() {
        let text = |name: &str| entity[name].as_str().unwrap_or_default().to_owned();
        found
            .entry(text("title"))
            .or_default()
            .push(text("content"));
    }
    found
}

/// What was acknowledged and is not there, or not as it was acknowledged.
fn differences(
    acknowledged: &BTreeMap<String, Known>,
    found: &BTreeMap<String, Vec<String>>,
) -> Vec<String> {
    let check = |(title, known): (&String, &Known)| {
        let contents = found.get(title).map_or(&[][..], Vec::as_slice);
        match (known.is_deleted, contents) {
            (true, []) => None,
            (true, _) => Some(format!("{title} was deleted and is there")),
            (false, []) => Some(format!("{title} is lost")),
            (false, [content]) => {
                let revision = revision(content);
                (revision < known.revision).then(|| {
                    format!(
                        "{title} has revision {revision}, and {} was acknowledged",
                        known.revision
                    )
                })
            }
            (false, more) => Some(format!("{title} is there {} times", more.len())),
        }
    };
    acknowledged.iter().filter_map(check).collect()
}

fn revision(content: &str) -> u64 {
    let word = content.split_whitespace().nth(1);
    word.and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// What happened, for people.
pub fn report(ledger: &Ledger, samples: &[Sample]) -> String {
    let mut text =
        String::from("| | first 10 minutes | last 10 minutes | most |\n|---|---|---|---|\n");
    for (at, name) in COLUMNS.iter().enumerate().skip(1) {
        let values: Vec<f64> = samples.iter().map(|sample| sample.0[at]).collect();
        let (begin, end) = (
            &values[..values.len().min(10)],
            &values[values.len().saturating_sub(10)..],
        );
        let most = values.iter().copied().fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {most} |",
            median(begin),
            median(end)
        );
    }
    text.push_str("\n| what | how often |\n|---|---|\n");
    for (what, count) in ledger.counts() {
        let _ = writeln!(text, "| {what} | {count} |");
    }
    let _ = writeln!(
        text,
        "\n{} acknowledged notes and tasks, {} problems",
        ledger.acknowledged().len(),
        ledger.problems()
    );
    text
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_doubled_or_older_is_told() {
        let known = |revision, is_deleted| Known {
            revision,
            is_deleted,
        };
        let acknowledged = [
            ("fine", known(2, false)),
            ("gone", known(0, true)),
            ("lost", known(0, false)),
            ("older", known(3, false)),
            ("twice", known(0, false)),
            ("undead", known(0, true)),
        ]
        .map(|(title, known)| (title.to_owned(), known));
        let found = [
            ("fine", vec!["revision 2 x"]),
            ("older", vec!["revision 2 x"]),
            ("twice", vec!["revision 0", "revision 0"]),
            ("undead", vec!["revision 0"]),
        ]
        .map(|(title, texts)| {
            let texts = texts.into_iter().map(str::to_owned).collect();
            (title.to_owned(), texts)
        });
        assert_eq!(
            differences(&acknowledged.into(), &found.into()),
            [
                "lost is lost",
                "older has revision 2, and 3 was acknowledged",
                "twice is there 2 times",
                "undead was deleted and is there",
            ]
        );
    }
}
