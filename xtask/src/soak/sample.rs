//! What a minute looked like: memory, handles and threads of the servers, sizes on disk, waits.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::ledger::Ledger;
use super::place::{self, PACKS, Place};
use super::plot;

/// The columns, in the order of [`Sample::values`].
pub const COLUMNS: &[&str] = &[
    "minute",
    "first server, MiB",
    "all servers, MiB",
    "first server, handles",
    "all servers, handles",
    "first server, threads",
    "processes of jobs",
    "database, KiB",
    "log, KiB",
    "folder of the project, KiB",
    "files of the project",
    "packs, KiB",
    "acknowledged",
    "median wait, ms",
    "longest wait, ms",
    "problems",
];

pub struct Sample(pub Vec<f64>);

#[expect(
    clippy::cast_precision_loss,
    reason = "what is plotted is far below 2^52"
)]
pub fn take(place: &Place, ledger: &Ledger, at: Duration) -> Sample {
    let servers = ledger.servers();
    let of = |wanted: Option<u64>, measure: fn(u32) -> u64| -> u64 {
        let chosen = servers
            .iter()
            .filter(|(agent, _)| wanted.is_none_or(|wanted| wanted == **agent));
        chosen.map(|(_, pid)| measure(*pid)).sum()
    };
    let state = place.one.join(".windlass/state");
    let size = |name: &str| fs::metadata(state.join(name)).map_or(0, |known| known.len() >> 10);
    let (folder, files) = size_of(&place.one.join(".windlass"));
    let (packs, _) = size_of(&place.one.join(PACKS));
    let waits = ledger.take_waits();
    let wait = |at: usize| waits.get(at).map_or(0.0, |wait| wait.as_secs_f64() * 1e3);
    let whole = [
        of(Some(0), memory) >> 10,
        of(None, memory) >> 10,
        of(Some(0), handles),
        of(None, handles),
        of(Some(0), threads),
        jobs(&place.one),
        size("windlass.db"),
        size("windlass.db-wal"),
        folder >> 10,
        files,
        packs >> 10,
        ledger.acknowledged().len() as u64,
    ];
    let mut values = vec![(at.as_secs_f64() / 6.0).round() / 10.0];
    values.extend(whole.iter().map(|value| *value as f64));
    values.push(wait(waits.len() / 2).round());
    values.push(wait(waits.len().saturating_sub(1)).round());
    values.push(ledger.problems() as f64);
    Sample(values)
}

/// Writes the table and the picture anew.
pub fn keep(base: &Path, samples: &[Sample]) -> Result<(), String> {
    let names: Vec<String> = COLUMNS.iter().map(|name| format!("\"{name}\"")).collect();
    let mut table = format!("{}\n", names.join(","));
    for sample in samples {
        let values: Vec<String> = sample.0.iter().map(ToString::to_string).collect();
        table.push_str(&values.join(","));
        table.push('\n');
    }
    place::write(&base.join("samples.csv"), &table)?;
    place::write(&base.join("soak.svg"), &plot::draw(COLUMNS, samples))
}

/// A number of `/proc/PID/status`; none of another system's.
fn status(pid: u32, field: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(field));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}

fn memory(pid: u32) -> u64 {
    status(pid, "VmRSS:")
}

fn threads(pid: u32) -> u64 {
    status(pid, "Threads:")
}

fn handles(pid: u32) -> u64 {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, |found| found.count() as u64)
}

/// How many processes of jobs there are in the folder.
pub fn jobs(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir("/proc") else {
        return 0;
    };
    let works_here = |entry: &fs::DirEntry| {
        let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        matches!(name.trim(), "make" | "sh" | "sleep")
            && fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder)
    };
    entries.flatten().filter(works_here).count() as u64
}

/// The bytes and the number of the files below a folder.
fn size_of(folder: &Path) -> (u64, u64) {
    let Ok(entries) = fs::read_dir(folder) else {
        return (0, 0);
    };
    let mut sum = (0, 0);
    for entry in entries.flatten() {
        let Ok(known) = entry.metadata() else {
            continue;
        };
        let (bytes, files) = if known.is_dir() {
            size_of(&entry.path())
        } else {
            (known.len(), 1)
        };
        sum = (sum.0 + bytes, sum.1 + files);
    }
    sum
}
