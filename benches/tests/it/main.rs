//! Every row and every curve can be measured. How long things take, these tests do not say.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

/// Rows that need something of the machine, and what.
const NEEDED: [(&str, &str); 2] = [("cli_read", "sqlite3"), ("search_semantic", "pip")];

/// Whether a row's needs are met. In CI they have to be.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tells a person what was skipped"
)]
fn is_possible(row: &str) -> bool {
    let Some((prefix, needed)) = NEEDED.iter().find(|(prefix, _)| row.starts_with(prefix)) else {
        return true;
    };
    let model = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("clients/models");
    let is_there = match *prefix {
        "search_semantic" => model.is_dir(),
        _ => succeeds(Command::new(needed).arg("--version")),
    };
    if !is_there {
        assert!(std::env::var_os("CI").is_none(), "{row} needs {needed}");
        eprintln!("{row} needs {needed}: skipped");
    }
    is_there
}

fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{problem}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_row_can_be_measured() {
    let rows = windlass_bench::ROWS.iter().map(|row| row.name);
    let rows = rows.filter(|row| !windlass_bench::LONG_BASELINES.contains(row));
    let rows: Vec<&str> = rows.filter(|row| is_possible(row)).collect();
    let arguments = [&["--quick", "--report-only", "--json"], &rows[..]].concat();
    let shown = output(env!("CARGO_BIN_EXE_windlass-bench"), &arguments);
    let shown: Json = serde_json::from_str(&shown).unwrap();
    let measured = shown["rows"].as_array().unwrap();
    let names: Vec<&str> = measured
        .iter()
        .filter_map(|it| it["row"].as_str())
        .collect();
    for row in &rows {
        assert!(names.contains(row), "{row} is not in {names:?}");
    }
    for row in measured {
        let ratio = row["ratio"]["p50"].as_f64().unwrap();
        assert!(ratio > 0.0, "{row}");
    }
}

#[test]
fn every_curve_can_be_measured() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("growth.svg");
    let drawn = file.to_str().unwrap();
    let shown = output(env!("CARGO_BIN_EXE_growth"), &["--quick", "--svg", drawn]);
    let drawn = std::fs::read_to_string(&file).unwrap();
    for title in ["calls, by number of entities", "updates of one entity"] {
        assert!(shown.contains(title), "{shown}");
        assert!(drawn.contains(title), "{drawn}");
    }
}
