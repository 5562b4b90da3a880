//! Runs the campaign of faults for as long as wanted, and prints its table.

use std::path::Path;
use std::process::Stdio;

use crate::{cargo, progress};

/// The tests of the campaign, by package and target: all whose name has this part.
const PARTS: &[(&str, &str)] = &[
    ("windlass", "faults"),
    ("windlass-store", "it"),
    ("windlass-commands", "it"),
];
const NAME: &str = "faults_";

const HEAD: &str = "| scenario | attempts | losses | worst wait | |\n|---|---|---|---|---|";

/// `--minutes N` and `--seed S`, in any order.
pub fn run(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let (mut minutes, mut seed) = (None, None);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().and_then(|value| value.parse::<u64>().ok());
        match (*word, value) {
            ("--minutes", Some(value)) => minutes = Some(value),
            ("--seed", Some(value)) => seed = Some(value),
            _ => return Err("Usage: cargo xtask faults [--minutes N] [--seed S]".to_owned()),
        }
    }
    progress("Building windlass and the campaign…");
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    for (package, target) in PARTS {
        let mut command = cargo::command(root);
        command
            .args(["test", "--package", package, "--test", target, NAME])
            .args(["--", "--nocapture", "--test-threads", "1"])
            .stderr(Stdio::inherit());
        for (name, value) in [
            ("WINDLASS_FAULTS_MINUTES", minutes),
            ("WINDLASS_FAULTS_SEED", seed),
        ] {
            if let Some(value) = value {
                command.env(name, value.to_string());
            }
        }
        let done = command
            .output()
            .map_err(|problem| format!("cargo: {problem}"))?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        rows.extend(said.lines().filter_map(row));
        if !done.status.success() {
            failures.push(format!("{package}:\n{said}"));
        }
    }
    let table = format!("{HEAD}\n{}", rows.join("\n"));
    if failures.is_empty() {
        Ok(table)
    } else {
        Err(format!("{}\n\n{table}", failures.join("\n")))
    }
}

/// A row of the table, or what could not be checked. The test runner writes the name of a test on the
/// same line.
fn row(line: &str) -> Option<String> {
    let at = line.find("| ").or_else(|| line.find("not checked"))?;
    Some(line[at..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn rows_are_found_among_what_the_tests_say() {
        let found = row("test faults_a ... | kill | 3 | 0 | 1.0 s | |");
        assert_eq!(found.as_deref(), Some("| kill | 3 | 0 | 1.0 s | |"));
        assert_eq!(row("running 3 tests"), None);
        let skipped = row("test power ... not checked: strace does not work here");
        assert!(skipped.is_some_and(|line| line.starts_with("not checked")));
    }
}
