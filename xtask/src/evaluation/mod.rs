//! Compares the commands that windlass lists with those that the tools themselves know, on a folder
//! of checkouts: `cargo xtask commands DIR`. It makes each checkout a project (`.windlass`).
//!
//! Truth comes from the tools that are installed (make, just, task, mise, cargo, rake, poe, tox, nox,
//! cmake), from a second reader in Python where a format is plain data (JSON, TOML, YAML, XML), and
//! from git for files that are commands. Some of the tools run code of the checkout (make, rake, nox,
//! cmake), so use it on repositories that you trust, or in a container.

mod tools;
mod truth;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::progress;
use truth::{Key, Truth};

/// The runs of which the median time is taken.
const RUNS: usize = 5;

/// `DIR [--binary FILE] [--misses] [--untimed]`.
pub fn run(root: &Path, words: &[&str]) -> Result<String, String> {
    let mut words = words.iter();
    let (mut folder, mut binary, mut misses) = (None, root.join("target/debug/windlass"), false);
    let mut timed = true;
    while let Some(word) = words.next() {
        match *word {
            "--binary" => binary = words.next().ok_or("--binary needs a file")?.into(),
            "--misses" => misses = true,
            "--untimed" => timed = false,
            word => folder = Some(PathBuf::from(word)),
        }
    }
    let folder = folder.ok_or("Name a folder of checkouts")?;
    let binary = binary
        .canonicalize()
        .map_err(|problem| format!("{}: {problem}", binary.display()))?;
    let mut checkouts: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map_err(|problem| format!("{}: {problem}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join(".git").exists())
        .collect();
    checkouts.sort();
    let mut report = Report::default();
    for checkout in &checkouts {
        let name = checkout.file_name().unwrap_or_default().to_string_lossy();
        progress(&name);
        if !checkout.join(".windlass").exists() {
            let init = Command::new(&binary)
                .arg("init")
                .current_dir(checkout)
                .output();
            init.map_err(|problem| format!("{name}: {problem}"))?;
        }
        report.checkout(&name, checkout, &binary, timed)?;
    }
    Ok(report.text(misses))
}

#[derive(Default)]
struct Row {
    truth: usize,
    found: usize,
    missed: usize,
    /// Those of the missed that exist only because a program was run to read the file.
    computed: usize,
    invented: usize,
}

#[derive(Default)]
struct Report {
    rows: BTreeMap<String, Row>,
    times: Vec<(String, usize, usize, Duration, Duration)>,
    misses: Vec<String>,
    refused: Vec<String>,
}

impl Report {
    fn checkout(
        &mut self,
        name: &str,
        checkout: &Path,
        binary: &Path,
        timed: bool,
    ) -> Result<(), String> {
        let listed = listed(checkout, binary)?;
        let truth = Truth::of(checkout);
        self.refused
            .extend(truth.refused.iter().map(|it| format!("{name}: {it}")));
        for (format, known) in &truth.commands {
            let row = self.rows.entry(format.clone()).or_default();
            row.truth += known.len();
            let missed: Vec<&Key> = known.difference(&listed).collect();
            row.missed += missed.len();
            row.found += known.len() - missed.len();
            let is_computed = |it: &&Key| truth.computed.contains(*it);
            row.computed += missed.iter().copied().filter(is_computed).count();
            let missed = missed.iter().map(|it| {
                let word = if is_computed(it) {
                    "computed"
                } else {
                    "missed"
                };
                format!("{word}  {name} {format} {it:?}")
            });
            self.misses.extend(missed);
            // Only where the tool has said what there is can a name be one too many.
            let judged = |it: &&Key| truth.judges(format, it);
            let invented: Vec<&Key> = listed.difference(known).filter(judged).collect();
            row.invented += invented.len();
            let invented = invented
                .iter()
                .map(|it| format!("no such {name} {format} {it:?}"));
            self.misses.extend(invented);
        }
        if !timed {
            return Ok(());
        }
        let files = git(checkout, &["ls-files"]).lines().count();
        let (cold, warm) = times(checkout, binary);
        self.times
            .push((name.to_owned(), files, listed.len(), cold, warm));
        Ok(())
    }

    fn text(&self, misses: bool) -> String {
        let mut out = String::from(
            "| format | truth | found | missed | of these computed by a program | invented | precision | recall | without the computed |\n|-|-|-|-|-|-|-|-|-|\n",
        );
        let percent = |part: usize, whole: usize| match whole {
            0 => "-".to_owned(),
            whole => {
                let tenths = part * 1_000 / whole;
                format!("{}.{}%", tenths / 10, tenths % 10)
            }
        };
        let mut all = Row::default();
        let mut line = |name: &str, row: &Row| {
            let Row {
                truth,
                found,
                missed,
                computed,
                invented,
            } = row;
            // Writing to a text cannot fail.
            let _ = writeln!(
                out,
                "| {name} | {truth} | {found} | {missed} | {computed} | {invented} | {} | {} | {} |",
                percent(*found, found + invented),
                percent(*found, *truth),
                percent(*found, truth - computed)
            );
        };
        for (name, row) in &self.rows {
            line(name, row);
            all.truth += row.truth;
            all.found += row.found;
            all.missed += row.missed;
            all.computed += row.computed;
            all.invented += row.invented;
        }
        line("all", &all);
        if !self.times.is_empty() {
            let _ = writeln!(
                out,
                "\n| repository | files | commands | first time | again |\n|-|-|-|-|-|"
            );
        }
        for (name, files, commands, cold, warm) in &self.times {
            let name = name.replace('+', "/");
            let _ = writeln!(
                out,
                "| {name} | {files} | {commands} | {} ms | {} ms |",
                cold.as_millis(),
                warm.as_millis()
            );
        }
        if misses {
            for text in self.misses.iter().chain(&self.refused) {
                let _ = writeln!(out, "{text}");
            }
        }
        out
    }
}

/// What windlass lists.
fn listed(checkout: &Path, binary: &Path) -> Result<BTreeSet<Key>, String> {
    let output = windlass(checkout, binary);
    let json: Json = serde_json::from_slice(&output)
        .map_err(|problem| format!("{}: {problem}", checkout.display()))?;
    let tasks = json["tasks"].as_array().cloned().unwrap_or_default();
    let text = |task: &Json, key: &str| task[key].as_str().unwrap_or_default().to_owned();
    let keys = tasks.iter().map(|task| {
        let folder = text(task, "unique_name");
        let name = text(task, "source_name");
        // The folder is the part of the unique name before the name.
        let folder = match folder.rfind(&name) {
            Some(at) => folder[..at].trim_end_matches('/').to_owned(),
            None => String::new(),
        };
        (folder, text(task, "runner"), name)
    });
    Ok(keys.collect())
}

fn windlass(checkout: &Path, binary: &Path) -> Vec<u8> {
    let output = Command::new(binary)
        .args(["--json", "commands", "--all"])
        .current_dir(checkout)
        .output();
    output.map(|it| it.stdout).unwrap_or_default()
}

/// The median times of a first listing and of those after it.
fn times(checkout: &Path, binary: &Path) -> (Duration, Duration) {
    let median = |mut work: Box<dyn FnMut() + '_>| {
        let mut times: Vec<Duration> = (0..RUNS)
            .map(|_| {
                let start = Instant::now();
                work();
                start.elapsed()
            })
            .collect();
        times.sort();
        times[RUNS / 2]
    };
    let state = checkout.join(".windlass");
    let cold = median(Box::new(|| {
        let kept = std::fs::read_dir(state.join("state"))
            .into_iter()
            .flatten()
            .flatten();
        for entry in kept.filter(|it| it.file_name().to_string_lossy().starts_with("commands-")) {
            let _ = std::fs::remove_file(entry.path());
        }
        windlass(checkout, binary);
    }));
    let warm = median(Box::new(|| drop(windlass(checkout, binary))));
    (cold, warm)
}

/// What git prints.
fn git(checkout: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .args(words)
        .current_dir(checkout)
        .output();
    let bytes = output.map(|it| it.stdout).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
