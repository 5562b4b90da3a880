//! What has changed since a commit, whatever the repository's attributes and ignore rules say.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use similar::TextDiff;

use super::is_there;
use super::run::{ask_with, names};
use super::snapshot::{Files, Stored, files, files_of_commit, path_of};

/// The most bytes of a change that are shown.
const MAX_DIFF_BYTES: usize = 256 * 1024;
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
    /// Files that did not exist, and that git does not track yet.
    pub untracked: Vec<String>,
    /// Files and folders that the repository's rules hide from git.
    pub ignored: Vec<String>,
}

/// The change since a commit, including what is not committed. None without git, or if git does not
/// know the commit.
pub fn change_since(root: &Path, commit: &str) -> Option<Change> {
    let is_commit = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_commit || !is_there(root) {
        return None;
    }
    let before = files_of_commit(root, commit)?;
    let after = files(root)?;
    let (text, truncated) = diff(root, &before, &after);
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
        truncated,
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

fn diff(root: &Path, before: &Files, after: &Files) -> (String, bool) {
    let paths: BTreeSet<&Vec<u8>> = before.keys().chain(after.keys()).collect();
    let changed: Vec<&Vec<u8>> = paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    let old = old_contents(root, before, &changed);
    let mut text = String::new();
    for (path, old) in changed.into_iter().zip(old) {
        if text.len() > MAX_DIFF_BYTES {
            break;
        }
        let new = after.get(path).map(|stored| content(root, path, stored));
        let old = before.get(path).map(|stored| match stored.mode {
            "160000" => format!("commit {}\n", stored.id).into_bytes(),
            _ => old.unwrap_or_default(),
        });
        let modes = (before.get(path), after.get(path));
        text.push_str(&of_file(path, modes, old.as_deref(), new.as_deref()));
    }
    let truncated = text.len() > MAX_DIFF_BYTES;
    if truncated {
        let mut end = MAX_DIFF_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    (text, truncated)
}

fn content(root: &Path, path: &[u8], stored: &Stored) -> Vec<u8> {
    let file = path_of(root, path);
    match stored.mode {
        "160000" => format!("commit {}\n", stored.id).into_bytes(),
        "120000" => fs::read_link(&file)
            .map(|target| target.display().to_string().into_bytes())
            .unwrap_or_default(),
        _ => fs::read(&file).unwrap_or_default(),
    }
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

fn of_file(
    path: &[u8],
    modes: (Option<&Stored>, Option<&Stored>),
    old: Option<&[u8]>,
    new: Option<&[u8]>,
) -> String {
    let name = String::from_utf8_lossy(path);
    let head = format!("diff --git a/{name} b/{name}\n{}", mode_lines(modes));
    let (before, after) = (old.unwrap_or_default(), new.unwrap_or_default());
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
    let side = |exists: bool, letter: &str| {
        if exists {
            format!("{letter}/{name}")
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
    let shown = shown.header(&side(old.is_some(), "a"), &side(new.is_some(), "b"));
    format!("{head}{shown}")
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
