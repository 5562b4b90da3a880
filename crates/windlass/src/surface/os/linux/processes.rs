//! The processes that led to this one, from `/proc`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::surface::person::{Process, names_of};

/// How often the walk begins again because a process ended meanwhile.
const TRIES: usize = 5;
/// No person's terminal is deeper in processes than this.
const DEEPEST: usize = 500;

/// From the parent upwards; an error where they cannot be known but should be.
pub fn ancestors() -> Result<Vec<Process>, String> {
    for _ in 0..TRIES {
        match walk() {
            Ok(found) => return Ok(found),
            Err(Stop::Again) => {}
            Err(Stop::Unknown(why)) => return Err(why),
        }
    }
    Err("the processes that led to it keep ending".to_owned())
}

enum Stop {
    /// A process ended between two looks, and what it started has another parent now.
    Again,
    Unknown(String),
}

fn walk() -> Result<Vec<Process>, Stop> {
    let own = std::process::id();
    let first = parent(own).ok_or_else(|| Stop::Unknown("/proc cannot be read".to_owned()))?;
    let mut found: Vec<Process> = Vec::new();
    let (mut child, mut pid) = (own, first);
    // A parent outside of this container has the number 0.
    while pid != 0 {
        if found.len() == DEEPEST {
            return Err(Stop::Unknown(
                "too many processes led to this one".to_owned(),
            ));
        }
        let Some(above) = parent(pid) else {
            if parent(child) == Some(pid) {
                // It lives, and this user may not see it: what is above it is others' too.
                break;
            }
            return Err(Stop::Again);
        };
        found.push(read(pid));
        (child, pid) = (pid, above);
    }
    // Whoever gave up a child while this was read gave it to another parent.
    let mut child = own;
    for process in &found {
        if parent(child) != Some(process.pid) {
            return Err(Stop::Again);
        }
        child = process.pid;
    }
    Ok(found)
}

fn place(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

/// The number of a process's parent.
fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read(place(pid).join("stat")).ok()?;
    parent_in(&stat)
}

/// The second field after the name, which may hold anything, parentheses too.
fn parent_in(stat: &[u8]) -> Option<u32> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn read(pid: u32) -> Process {
    let place = place(pid);
    let bytes = |name: &str| fs::read(place.join(name)).unwrap_or_default();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let words = bytes("cmdline");
    let words = words.strip_suffix(b"\0").unwrap_or(&words);
    Process {
        pid,
        name: text(bytes("comm").trim_ascii_end()),
        words: words.split(|byte| *byte == 0).map(text).collect(),
        program: fs::read_link(place.join("exe")).ok(),
        variables: names_of(&bytes("environ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent_in(b"12 (a) b) 9 (c) S 7 12 12 0"), Some(7));
        assert_eq!(parent_in(b"12 (sh"), None);
    }

    #[test]
    fn the_chain_begins_with_the_parent() {
        let found = ancestors().unwrap();
        assert_eq!(found[0].pid, std::os::unix::process::parent_id());
        assert!(!found[0].name.is_empty() && !found[0].words.is_empty());
    }
}
