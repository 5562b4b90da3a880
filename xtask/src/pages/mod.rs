//! `cargo xtask check-docs`: every link between pages leads somewhere, and every task that a page, a
//! script or a workflow names exists.

pub mod links;

use std::fs;
use std::path::{Path, PathBuf};

use crate::TASKS;
use crate::programs::output;

/// Files other than pages that start tasks.
const SCRIPTS: &[&str] = &[".ci/run", "justfile"];

pub fn check(root: &Path) -> Result<String, String> {
    let pages = tracked(root, "*.md")?;
    let mut problems = Vec::new();
    let mut count = 0;
    for page in &pages {
        let text = read(root, page)?;
        let links = links::links(&text);
        count += links.len();
        for (line, link) in links {
            if let Some(why) = links::problem(root, page, &link) {
                problems.push(format!("{}:{line}: {link}: {why}", page.display()));
            }
        }
    }
    let workflows = tracked(root, ".github/workflows/*.yml")?;
    let scripts = SCRIPTS.iter().map(PathBuf::from);
    for file in pages.iter().cloned().chain(workflows).chain(scripts) {
        for task in unknown_tasks(&read(root, &file)?) {
            problems.push(format!("{}: there is no task {task}", file.display()));
        }
    }
    if problems.is_empty() {
        let pages = pages.len();
        return Ok(format!("{count} links of {pages} pages lead somewhere."));
    }
    Err(problems.join("\n"))
}

fn read(root: &Path, file: &Path) -> Result<String, String> {
    fs::read_to_string(root.join(file)).map_err(|problem| format!("{}: {problem}", file.display()))
}

/// Files that git tracks or would track.
pub fn tracked(root: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let mut git = std::process::Command::new("git");
    git.args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
    ]);
    let printed = output(git.arg(pattern).current_dir(root))?;
    let exists = |file: &PathBuf| root.join(file).exists();
    Ok(printed.lines().map(PathBuf::from).filter(exists).collect())
}

/// Tasks in `cargo xtask NAME` that do not exist.
fn unknown_tasks(text: &str) -> Vec<&str> {
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    let after = text.split("cargo xtask ").skip(1);
    let names = after.map(|rest| {
        let end = rest.find(|letter| !is_name(letter));
        &rest[..end.unwrap_or(rest.len())]
    });
    names
        .filter(|name| !name.is_empty() && !TASKS.contains(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_that_do_not_exist_are_found() {
        let text =
            "`cargo xtask test`, cargo xtask docs --check, cargo xtask publish; cargo xtask …";
        assert_eq!(unknown_tasks(text), ["publish"]);
    }

    #[test]
    fn the_list_of_tasks_is_that_of_the_usage() {
        for task in TASKS {
            assert!(crate::USAGE.contains(&format!("\n  {task} ")), "{task}");
        }
    }

    #[test]
    fn all_pages_of_this_repository_are_fine() {
        check(&crate::root()).unwrap();
    }
}
