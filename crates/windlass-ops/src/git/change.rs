//! What has changed since a commit, whatever the repository's attributes and ignore rules say.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use similar::TextDiff;

use super::is_there;
use super::renames::{Candidate, alike, pairs};
use super::run::{ask_with, names};
use super::snapshot::{Files, Stored, files, files_of_commit, path_of};

/// The most bytes of a change that are shown.
const MAX_DIFF_BYTES: usize = 256 * 1024;
/// The most bytes of the change of one file, if only that file is asked for.
const MAX_FILE_DIFF_BYTES: usize = 2 * 1024 * 1024;
/// A longer file is named and not compared.
const MAX_COMPARED_BYTES: usize = 1024 * 1024;
const MAX_NAMES: usize = 200;

/// What has changed since work began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    pub from: String,
    pub text: String,
    /// Whether the text is cut.
    pub truncated: bool,
    /// Files that changed and are not in the text, because it would be too long.
    pub not_shown: Vec<String>,
    /// Files that did not exist, and that git does not track yet.
    pub untracked: Vec<String>,
    /// Files and folders that the repository's rules hide from git.
    pub ignored: Vec<String>,
}

/// The change since a commit, including what is not committed, of all files or of one. None without
/// git, or if git does not know the commit.
pub fn change_since(root: &Path, commit: &str, only: Option<&str>) -> Option<Change> {
    let is_commit = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_commit || !is_there(root) {
        return None;
    }
    let before = files_of_commit(root, commit)?;
    let after = files(root)?;
    let (text, not_shown, cut) = diff(root, &before, &after, only);
    let untracked = names(root, &["ls-files", "-z", "--others", "--exclude-standard"]);
    let ignored = names(
        root,
        &[
            "ls-files",
            "-z",
            "--others",
            "--ignored",
            "--exclude-standard",
            "--directory",
        ],
    );
    Some(Change {
        from: commit.to_owned(),
        text,
        truncated: cut || !not_shown.is_empty(),
        not_shown,
        untracked: readable(untracked.unwrap_or_default()),
        ignored: readable(ignored.unwrap_or_default()),
    })
}

fn readable(names: Vec<Vec<u8>>) -> Vec<String> {
    names
        .iter()
        .filter(|name| !name.starts_with(b".windlass/state"))
        .take(MAX_NAMES)
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}

/// A file before and after the change. Both paths are there, and differ, if it was moved.
struct Changed<'a> {
    old: Option<(&'a [u8], &'a Stored, Vec<u8>)>,
    new: Option<(&'a [u8], &'a Stored)>,
}

impl<'a> Changed<'a> {
    fn path(&self) -> &'a [u8] {
        let new = self.new.as_ref().map(|(path, _)| *path);
        let old = self.old.as_ref().map(|(path, _, _)| *path);
        new.or(old).unwrap_or_default()
    }
}

/// The text of the change, the files that are not in it, and whether the last one is cut.
fn diff(
    root: &Path,
    before: &Files,
    after: &Files,
    only: Option<&str>,
) -> (String, Vec<String>, bool) {
    let most = only.map_or(MAX_DIFF_BYTES, |_| MAX_FILE_DIFF_BYTES);
    let wanted = |path: &[u8]| only.is_none_or(|only| String::from_utf8_lossy(path) == only);
    let changed = with_moves(root, all_changed(root, before, after));
    let mut text = String::new();
    let mut not_shown = Vec::new();
    for one in changed.iter().filter(|one| wanted(one.path())) {
        if !not_shown.is_empty() {
            not_shown.push(String::from_utf8_lossy(one.path()).into_owned());
            continue;
        }
        let part = of_file(root, one);
        if !text.is_empty() && text.len() + part.len() > most {
            not_shown.push(String::from_utf8_lossy(one.path()).into_owned());
        } else {
            text.push_str(&part);
        }
    }
    let cut = text.len() > most;
    if cut {
        text.truncate(text.floor_char_boundary(most));
    }
    not_shown.truncate(MAX_NAMES);
    (text, not_shown, cut)
}

fn all_changed<'a>(root: &Path, before: &'a Files, after: &'a Files) -> Vec<Changed<'a>> {
    let paths: BTreeSet<&Vec<u8>> = before.keys().chain(after.keys()).collect();
    let paths: Vec<&Vec<u8>> = paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    let contents = old_contents(root, before, &paths);
    let changed = paths.into_iter().zip(contents).map(|(path, content)| {
        let old = before.get(path).map(|stored| {
            let content = match stored.mode {
                "160000" => format!("commit {}\n", stored.id).into_bytes(),
                _ => content.unwrap_or_default(),
            };
            (path.as_slice(), stored, content)
        });
        let new = after.get(path).map(|stored| (path.as_slice(), stored));
        Changed { old, new }
    });
    changed.collect()
}

/// Joins a deleted file and the new one that it became.
fn with_moves<'a>(root: &Path, mut changed: Vec<Changed<'a>>) -> Vec<Changed<'a>> {
    let places = |wanted: fn(&Changed) -> bool| -> Vec<usize> {
        let all = changed.iter().enumerate();
        all.filter(|(_, one)| wanted(one))
            .map(|(at, _)| at)
            .collect()
    };
    let gone = places(|one| one.new.is_none());
    let made = places(|one| one.old.is_none());
    if gone.is_empty() || made.is_empty() {
        return changed;
    }
    let new_contents: Vec<Vec<u8>> = made
        .iter()
        .map(|at| new_content(root, &changed[*at]).unwrap_or_default())
        .collect();
    let deleted: Vec<Candidate> = gone
        .iter()
        .filter_map(|at| changed[*at].old.as_ref())
        .map(|(_, stored, content)| Candidate {
            id: &stored.id,
            content,
        })
        .collect();
    let added: Vec<Candidate> = made
        .iter()
        .zip(&new_contents)
        .filter_map(|(at, content)| changed[*at].new.as_ref().map(|new| (new, content)))
        .map(|((_, stored), content)| Candidate {
            id: &stored.id,
            content,
        })
        .collect();
    let moved = pairs(&deleted, &added);
    for (from, to) in &moved {
        changed[made[*to]].old = changed[gone[*from]].old.take();
    }
    changed.retain(|one| one.old.is_some() || one.new.is_some());
    changed
}

fn new_content(root: &Path, changed: &Changed) -> Option<Vec<u8>> {
    let (path, stored) = changed.new.as_ref()?;
    let file = path_of(root, path);
    Some(match stored.mode {
        "160000" => format!("commit {}\n", stored.id).into_bytes(),
        "120000" => fs::read_link(&file)
            .map(|target| target.display().to_string().into_bytes())
            .unwrap_or_default(),
        _ => fs::read(&file).unwrap_or_default(),
    })
}

/// What git has stored for each path, in order.
fn old_contents(root: &Path, before: &Files, paths: &[&Vec<u8>]) -> Vec<Option<Vec<u8>>> {
    let id = |path: &&Vec<u8>| {
        let stored = before.get(*path)?;
        (stored.mode != "160000").then(|| stored.id.clone())
    };
    let ids: Vec<Option<String>> = paths.iter().map(id).collect();
    let input = ids
        .iter()
        .flatten()
        .fold(String::new(), |all, id| all + id + "\n");
    let output = ask_with(root, &["cat-file", "--batch"], &[], input.into_bytes());
    let output = output.unwrap_or_default();
    let mut rest = output.as_slice();
    ids.iter()
        .map(|id| id.as_ref().and_then(|_| next_object(&mut rest)))
        .collect()
}

/// `<id> blob <size>`, a line end, the content, a line end.
fn next_object(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&rest[..end]).ok()?.to_owned();
    *rest = &rest[end + 1..];
    let size: usize = header.split(' ').nth(2)?.parse().ok()?;
    let content = rest.get(..size)?.to_vec();
    *rest = rest.get(size + 1..).unwrap_or_default();
    Some(content)
}

fn of_file(root: &Path, changed: &Changed) -> String {
    let new = new_content(root, changed);
    let old = changed.old.as_ref().map(|(_, _, content)| content);
    let new_path = changed.path();
    let old_path = changed.old.as_ref().map_or(new_path, |(path, _, _)| path);
    let modes = (
        changed.old.as_ref().map(|(_, stored, _)| *stored),
        changed.new.as_ref().map(|(_, stored)| *stored),
    );
    let before = old.map(Vec::as_slice).unwrap_or_default();
    let after = new.as_deref().unwrap_or_default();
    let mut head = format!(
        "diff --git {} {}\n{}",
        named("a/", old_path),
        named("b/", new_path),
        mode_lines(modes)
    );
    if old_path != new_path {
        let percent = if before == after {
            100
        } else {
            alike(before, after)
        };
        let (from, to) = (named("", old_path), named("", new_path));
        let _ = writeln!(
            head,
            "similarity index {percent}%\nrename from {from}\nrename to {to}"
        );
    }
    if before == after {
        return head;
    }
    let sizes = format!("{} bytes before, {} bytes now", before.len(), after.len());
    if is_binary(before) || is_binary(after) {
        return format!("{head}Binary file: {sizes}\n");
    }
    if before.len().max(after.len()) > MAX_COMPARED_BYTES {
        return format!("{head}Too long to compare: {sizes}\n");
    }
    let side = |exists: bool, prefix: &str, path: &[u8]| {
        if exists {
            named(prefix, path)
        } else {
            "/dev/null".to_owned()
        }
    };
    let (before, after) = (
        String::from_utf8_lossy(before),
        String::from_utf8_lossy(after),
    );
    let compared = TextDiff::configure()
        .timeout(std::time::Duration::from_secs(2))
        .diff_lines(&*before, &*after);
    let mut shown = compared.unified_diff();
    let shown = shown.header(
        &side(old.is_some(), "a/", old_path),
        &side(new.is_some(), "b/", new_path),
    );
    format!("{head}{shown}")
}

/// A path in a line of its own. A name with a line end could otherwise write lines of the diff, so such
/// names are quoted as git does.
fn named(prefix: &str, path: &[u8]) -> String {
    let name = String::from_utf8_lossy(path);
    let plain = |letter: char| !letter.is_control() && !matches!(letter, '"' | '\\');
    if name.chars().all(plain) {
        return format!("{prefix}{name}");
    }
    let mut quoted = format!("\"{prefix}");
    for letter in name.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let mut bytes = [0; 4];
                for byte in letter.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

fn mode_lines(modes: (Option<&Stored>, Option<&Stored>)) -> String {
    match modes {
        (None, Some(now)) => format!("new file mode {}\n", now.mode),
        (Some(then), None) => format!("deleted file mode {}\n", then.mode),
        (Some(then), Some(now)) if then.mode != now.mode => {
            format!("old mode {}\nnew mode {}\n", then.mode, now.mode)
        }
        _ => String::new(),
    }
}

fn is_binary(content: &[u8]) -> bool {
    content[..content.len().min(8_000)].contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_line() {
        assert_eq!(named("a/", "src/lamp.rs".as_bytes()), "a/src/lamp.rs");
        assert_eq!(named("a/", "größe <b>.rs".as_bytes()), "a/größe <b>.rs");
        let hostile = b"x\n+++ b/src/safe.rs\n@@ -1 +1 @@";
        assert_eq!(
            named("b/", hostile),
            r#""b/x\012+++ b/src/safe.rs\012@@ -1 +1 @@""#
        );
        assert_eq!(named("", br#"a"b\c"#), r#""a\"b\\c""#);
        assert_eq!(named("", "a\u{85}b".as_bytes()), r#""a\302\205b""#);
    }
}
