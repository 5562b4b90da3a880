//! The files that git tracks, from its index. Git never ignores a file that it tracks, whatever the
//! ignore rules say.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::stamp::Stamp;

/// An index larger than this is not read; ignore rules then count for all files.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
const HEADER: usize = 12;
/// Times, device, inode, mode, owner and size come before the object's name.
const BEFORE_NAME: usize = 40;
/// The object's name is a SHA-1. Indexes of repositories with SHA-256 are not read.
const NAME: usize = 20;

/// The index of the repository that a folder belongs to.
pub struct Index {
    path: PathBuf,
    /// The folder within the repository, with a `/` at its end; empty at its top.
    prefix: String,
}

impl Index {
    pub fn of(root: &Path) -> Option<Self> {
        for top in root.ancestors() {
            let git = top.join(".git");
            let Ok(state) = fs::symlink_metadata(&git) else {
                continue;
            };
            let folder = if state.is_dir() {
                git
            } else {
                // A worktree: the file names the folder.
                let text = fs::read_to_string(&git).ok()?;
                top.join(text.strip_prefix("gitdir:")?.trim())
            };
            let inner = root.strip_prefix(top).ok()?.to_str()?;
            return Some(Self {
                path: folder.join("index"),
                prefix: if inner.is_empty() {
                    String::new()
                } else {
                    format!("{inner}/")
                },
            });
        }
        None
    }

    pub fn stamp(&self) -> Option<Stamp> {
        Stamp::of(&self.path)
    }

    /// The tracked files below the folder for which `wanted` is true, relative to it.
    pub fn files(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let mut bytes = Vec::new();
        let opened = fs::File::open(&self.path).map(|file| file.take(MAX_BYTES));
        if !opened.is_ok_and(|mut file| file.read_to_end(&mut bytes).is_ok()) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let keep = |path: &[u8]| {
            let path = std::str::from_utf8(path).ok();
            let inner = path.and_then(|path| path.strip_prefix(self.prefix.as_str()));
            if let Some(inner) = inner.filter(|inner| wanted(inner)) {
                found.push(inner.to_owned());
            }
        };
        // An index that is not understood to its end tells nothing.
        match entries(&bytes, keep) {
            Some(()) => found,
            None => Vec::new(),
        }
    }
}

/// Calls `keep` with the path of each entry.
fn entries(bytes: &[u8], mut keep: impl FnMut(&[u8])) -> Option<()> {
    let number = |at: usize| -> Option<u32> {
        let four = bytes.get(at..at + 4)?;
        Some(u32::from_be_bytes(four.try_into().ok()?))
    };
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let version = number(4)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = number(8)?;
    let mut at = HEADER;
    let mut path: Vec<u8> = Vec::new();
    for _ in 0..count {
        let start = at;
        at += BEFORE_NAME + NAME;
        let flags = bytes.get(at..at + 2)?;
        let extended = version >= 3 && flags[0] & 0x40 != 0;
        at += if extended { 4 } else { 2 };
        if version == 4 {
            let (removed, length) = variable_number(bytes.get(at..)?)?;
            at += length;
            path.truncate(path.len().checked_sub(removed)?);
            let rest = bytes.get(at..)?;
            let end = rest.iter().position(|byte| *byte == 0)?;
            path.extend_from_slice(&rest[..end]);
            at += end + 1;
        } else {
            let rest = bytes.get(at..)?;
            let end = rest.iter().position(|byte| *byte == 0)?;
            path.clear();
            path.extend_from_slice(&rest[..end]);
            // Entries end on a multiple of eight, with at least one zero.
            at = start + (at + end - start) / 8 * 8 + 8;
        }
        keep(&path);
    }
    Some(())
}

/// The number as git writes the offsets of packs, and its length in bytes.
fn variable_number(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut at = 0;
    while bytes.get(at)? & 0x80 != 0 {
        at += 1;
        let next = usize::from(bytes.get(at)? & 0x7f);
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(next)?;
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn git(folder: &Path, words: &[&str]) -> bool {
        let ended = Command::new("git").args(words).current_dir(folder).output();
        ended.is_ok_and(|ended| ended.status.success())
    }

    #[test]
    fn the_index_of_git_is_read_in_every_version() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        if !git(root, &["init", "-q"]) {
            return;
        }
        let paths = ["a", "deep/er/Makefile", "deep/er/Makefile2", "é/x.sh"];
        for path in paths {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "x").unwrap();
        }
        assert!(git(root, &["add", "."]));
        for version in ["2", "3", "4"] {
            assert!(git(root, &["update-index", "--index-version", version]));
            let index = Index::of(root).unwrap();
            assert_eq!(index.files(|_| true), paths, "version {version}");
            let inner = Index::of(&root.join("deep")).unwrap();
            assert_eq!(inner.files(|_| true), ["er/Makefile", "er/Makefile2"]);
        }
    }

    #[test]
    fn a_broken_index_is_safe() {
        for bytes in [
            b"".as_slice(),
            b"DIRC",
            b"DIRC\0\0\0\x02\xff\xff\xff\xff",
            b"DIRC\0\0\0\x04\0\0\0\x01 and then too little",
            b"PACK\0\0\0\x02\0\0\0\0",
        ] {
            assert_eq!(entries(bytes, |_| ()), None);
        }
        let mut long = b"DIRC\0\0\0\x04\0\0\0\x01".to_vec();
        long.extend([0x40; 62]);
        long.extend([0xff; 40]);
        assert_eq!(entries(&long, |_| ()), None);
    }
}
