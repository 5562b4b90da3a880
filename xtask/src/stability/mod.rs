//! `cargo xtask stability`: what Windlass promises to programs, one promise a line, and whether all of
//! it still holds.
//!
//! The promises are read from the documents that are made from the code. `docs/stability.txt` has what
//! was promised before; a line that is there and no longer true is a break.

mod promises;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const FILE: &str = "docs/stability.txt";
const HEADER: &str =
    "# Made by `cargo xtask stability`. docs/guide/stability.md says what it means.";

/// Fails if something that was promised is no longer so.
pub fn check(root: &Path) -> Result<String, String> {
    let (before, now) = (stored(root)?, promises::of_repository(root)?);
    let broken = broken(&before, &now);
    if !broken.is_empty() {
        return Err(format!(
            "Programs may rely on what is not so any more:\n{}\nKeep it. If it has to go, say so in CHANGELOG.md under \
             \"Breaking\", and run: cargo xtask stability --accept",
            broken.join("\n")
        ));
    }
    let new = now.difference(&before).count();
    let kept = before.len();
    Ok(format!(
        "All {kept} promises hold; {new} are new and not in {FILE} yet."
    ))
}

/// Adds what is new to the promises, as for a release. Broken ones are not taken away.
pub fn add(root: &Path) -> Result<String, String> {
    check(root)?;
    accept(root)
}

/// Makes what is true now the promises.
pub fn accept(root: &Path) -> Result<String, String> {
    let now = promises::of_repository(root)?;
    let mut lines = vec![HEADER];
    lines.extend(now.iter().map(String::as_str));
    let text = format!("{}\n", lines.join("\n"));
    fs::write(root.join(FILE), text).map_err(|problem| format!("{FILE}: {problem}"))?;
    Ok(format!("{FILE} has {} promises.", now.len()))
}

fn stored(root: &Path) -> Result<BTreeSet<String>, String> {
    let text =
        fs::read_to_string(root.join(FILE)).map_err(|problem| format!("{FILE}: {problem}"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

/// Promises that are gone, and inputs that callers from before do not give.
fn broken(before: &BTreeSet<String>, now: &BTreeSet<String>) -> Vec<String> {
    let gone = before.difference(now).map(|line| format!("- {line}"));
    let demanded = now.difference(before).filter_map(|line| {
        let (tool, _) = line
            .strip_suffix(promises::REQUIRED)?
            .split_once(" input ")?;
        before.contains(tool).then(|| format!("+ {line}"))
    });
    gone.chain(demanded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(lines: &[&str]) -> BTreeSet<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn less_or_more_demanding_is_a_break() {
        let before = set(&["tool a", "tool a input x: string", "command add"]);
        assert_eq!(broken(&before, &before), Vec::<String>::new());
        let more = set(&[
            "tool a",
            "tool a input x: string",
            "tool a input y: string",
            "tool b",
            "tool b input z: string, required",
            "command add",
        ]);
        assert_eq!(broken(&before, &more), Vec::<String>::new());
        let changed = set(&["tool a", "tool a input x: string, required"]);
        assert_eq!(
            broken(&before, &changed),
            [
                "- command add",
                "- tool a input x: string",
                "+ tool a input x: string, required"
            ]
        );
    }

    #[test]
    fn every_promise_holds() {
        check(&crate::root()).unwrap();
    }
}
