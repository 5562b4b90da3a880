//! Writes tar archives in the ustar format, which every tar, npm, dpkg and container engine reads.

use std::collections::BTreeSet;

use super::{Entry, sorted};

const BLOCK: usize = 512;

/// Whether the archive has entries for folders. dpkg and container engines need them; npm does not
/// expect them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Folders {
    Listed,
    Implied,
}

/// An archive of the files, in the order of their paths, all of them owned by root.
pub fn archive(entries: &[Entry], seconds: u64, folders: Folders) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut known = BTreeSet::new();
    for entry in sorted(entries) {
        if folders == Folders::Listed {
            for folder in parents(&entry.path) {
                if known.insert(folder) {
                    bytes.extend(header(&format!("{folder}/"), 0o755, 0, seconds, b'5')?);
                }
            }
        }
        let size = entry.bytes.len();
        bytes.extend(header(&entry.path, entry.mode(), size, seconds, b'0')?);
        bytes.extend_from_slice(&entry.bytes);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    }
    bytes.resize(bytes.len() + 2 * BLOCK, 0);
    Ok(bytes)
}

/// All folders above a path, the outermost first.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

fn header(
    path: &str,
    mode: u32,
    size: usize,
    seconds: u64,
    kind: u8,
) -> Result<[u8; BLOCK], String> {
    let (prefix, name) = split(path).ok_or_else(|| format!("too long for tar: {path}"))?;
    let mut block = [0; BLOCK];
    let mut put =
        |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, &format!("{mode:07o}"));
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, &format!("{seconds:011o}"));
    put(148, "        ");
    put(257, "ustar\u{0}00");
    put(265, "root");
    put(297, "root");
    put(345, prefix);
    block[156] = kind;
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

/// A path as prefix and name, which have room for 155 and 100 bytes.
fn split(path: &str) -> Option<(&str, &str)> {
    if path.len() <= 100 {
        return Some(("", path));
    }
    let fits = |at: &usize| *at <= 155 && path.len() - at - 1 <= 100;
    let at = path.match_indices('/').map(|(at, _)| at).find(fits)?;
    Some((&path[..at], &path[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_are_split_and_too_long_ones_refused() {
        let long = format!("{}/{}", "a".repeat(90), "b".repeat(90));
        assert_eq!(split(&long), Some((&long[..90], &long[91..])));
        assert_eq!(split("short/path"), Some(("", "short/path")));
        assert_eq!(split(&"c".repeat(101)), None);
    }

    #[test]
    fn the_order_in_which_files_are_given_does_not_matter() {
        let one = Entry::text("x/a", "1");
        let other = Entry::text("x/b", "2").executable();
        let bytes = archive(&[one.clone(), other.clone()], 5, Folders::Listed).unwrap();
        assert_eq!(bytes, archive(&[other, one], 5, Folders::Listed).unwrap());
        assert_eq!(&bytes[..2], b"x/");
        assert_eq!(&bytes[BLOCK..BLOCK + 3], b"x/a");
    }
}
