//! Whether git tracks the state, read from git's index: it costs microseconds, and runs nothing.

use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use windlass_core::hexadecimal;

use crate::worktree;

/// A longer index is not read.
const LONGEST_INDEX: u64 = 256 << 20;
/// The lengths of SHA-1 and SHA-256. The index does not say which it has.
const HASH_LENGTHS: [usize; 2] = [20, 32];

/// Whether git tracks that file, or a file in that folder. What git tracks comes and goes with every clone, pull
/// and checkout: git replaces ignored files without a word.
pub(crate) fn is_tracked(folder: &Path) -> bool {
    folder.ancestors().any(|top| {
        let Ok(inside) = folder.strip_prefix(top) else {
            return false;
        };
        top.join(".git").symlink_metadata().is_ok()
            && worktree::git_files(top)
                .is_some_and(|files| lists(&files, inside.as_os_str().as_bytes()))
    })
}

/// Whether the index of a repository has files in the folder.
fn lists(git_files: &Path, folder: &[u8]) -> bool {
    let Some(index) = read(&git_files.join("index")) else {
        return false;
    };
    let found = find(&index, folder);
    if found.any {
        return true;
    }
    // A split index has most of its entries in a second file.
    found.shared.is_some_and(|name| {
        let shared = read(&git_files.join(format!("sharedindex.{name}")));
        shared.is_some_and(|shared| find(&shared, folder).any)
    })
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST_INDEX {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
    let file = fs::File::open(path).ok()?;
    file.take(LONGEST_INDEX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    any: bool,
    /// The name of the second file of a split index.
    shared: Option<String>,
}

fn find(index: &[u8], folder: &[u8]) -> Found {
    HASH_LENGTHS
        .into_iter()
        .find_map(|hash| find_with(index, folder, hash))
        .unwrap_or_default()
}

/// None if the index is damaged, or has hashes of another length.
fn find_with(index: &[u8], folder: &[u8], hash: usize) -> Option<Found> {
    let mut rest = Bytes(index);
    if rest.take(4)? != b"DIRC" {
        return None;
    }
    let version = rest.number()?;
    let count = rest.number()?;
    let mut found = Found::default();
    let mut name = Vec::new();
    for _ in 0..count {
        let before = rest.0.len();
        rest.take(40 + hash)?;
        let flags = u16::from_be_bytes(rest.take(2)?.try_into().ok()?);
        if version >= 3 && flags & 0x4000 != 0 {
            rest.take(2)?;
        }
        if version >= 4 {
            // The name begins as the one before it does.
            let dropped = rest.varint()?;
            name.truncate(name.len().checked_sub(dropped)?);
            name.extend_from_slice(rest.until_zero()?);
        } else {
            name.clear();
            name.extend_from_slice(rest.until_zero()?);
            let used = before - rest.0.len();
            rest.take(used.next_multiple_of(8) - used)?;
        }
        let length = usize::from(flags & 0x0fff);
        if length != name.len().min(0x0fff) {
            return None;
        }
        let below = name.strip_prefix(folder);
        found.any |= below.is_some_and(|below| below.is_empty() || below.starts_with(b"/"));
    }
    while rest.0.len() > hash {
        let (signature, length) = (rest.take(4)?, rest.number()?);
        let content = rest.take(length)?;
        if signature == b"link" {
            found.shared = Some(hexadecimal(content.get(..hash)?));
        }
    }
    Some(found)
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        let bytes = self.take(4)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(bytes)).ok()
    }

    fn until_zero(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }

    /// Git's own form: seven bits a byte, the highest first, each further byte adds one.
    fn varint(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.take(1)?[0];
            value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, words: &[&str]) {
        let output = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["-c", "core.excludesFile=/dev/null"])
            .args(words)
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    /// A repository with files beside the state, in one form of git's index.
    fn repository(setup: &[&[&str]]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        git(folder.path(), setup[0]);
        for words in &setup[1..] {
            git(folder.path(), words);
        }
        for file in [
            "a.txt",
            "web/.windlass/state.txt",
            "web/.windlass/states/x",
            "zoo/z",
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("created");
            fs::write(path, file).expect("written");
        }
        fs::create_dir_all(folder.path().join("web/.windlass/state")).expect("created");
        git(folder.path(), &["add", "--all", "--force"]);
        folder
    }

    #[test]
    fn every_form_of_the_index_is_read() {
        for setup in [
            &[&["init", "--quiet"][..]][..],
            &[&["init", "--quiet", "--object-format=sha256"][..]],
            &[&["init", "--quiet"][..], &["config", "index.version", "4"]],
            &[&["init", "--quiet"][..], &["config", "index.version", "3"]],
            &[
                &["init", "--quiet"][..],
                &["config", "core.splitIndex", "true"],
            ],
        ] {
            let folder = repository(setup);
            let state = folder.path().join("web/.windlass/state");
            assert!(!is_tracked(&state), "{setup:?}");
            let long = state.join("n".repeat(250));
            fs::write(&long, "x").expect("written");
            git(folder.path(), &["add", "--all", "--force"]);
            assert!(is_tracked(&state), "{setup:?}");
        }
    }

    #[test]
    fn a_damaged_index_or_none_tracks_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join(".windlass/state");
        assert!(!is_tracked(&state));
        fs::create_dir(folder.path().join(".git")).expect("created");
        for text in ["", "DIRC", "DIRC\0\0\0\x02\0\0\0\x09abc"] {
            fs::write(folder.path().join(".git/index"), text).expect("written");
            assert!(!is_tracked(&state), "{text:?}");
        }
    }
}
