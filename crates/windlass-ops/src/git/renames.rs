//! Which deleted file became which new one, so that a reviewer sees a move and not two whole files.

use std::collections::HashMap;

/// More candidates than this on either side are compared by content only where it is the same.
const MAX_CANDIDATES: usize = 60;
/// Longer files are moved only if nothing in them changed.
const MAX_BYTES: usize = 256 * 1024;
/// The least share of lines that both have, in percent.
const LEAST_ALIKE: usize = 50;

/// A file that is gone, or one that is new.
pub struct Candidate<'a> {
    pub id: &'a str,
    pub content: &'a [u8],
}

/// Pairs of places: a deleted file and the new one that it became.
pub fn pairs(deleted: &[Candidate], added: &[Candidate]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut free: Vec<usize> = (0..added.len()).collect();
    let mut left = Vec::new();
    for (place, gone) in deleted.iter().enumerate() {
        let same = |new: &usize| !gone.content.is_empty() && added[*new].id == gone.id;
        match free.iter().position(same) {
            Some(at) => found.push((place, free.remove(at))),
            None => left.push(place),
        }
    }
    if left.len() > MAX_CANDIDATES || free.len() > MAX_CANDIDATES {
        return found;
    }
    for place in left {
        let best = free
            .iter()
            .enumerate()
            .map(|(at, new)| (alike(deleted[place].content, added[*new].content), at))
            .max_by_key(|(percent, at)| (*percent, usize::MAX - at));
        if let Some((percent, at)) = best
            && percent >= LEAST_ALIKE
        {
            found.push((place, free.remove(at)));
        }
    }
    found
}

/// How much of the longer text is lines that both have, in percent.
pub fn alike(old: &[u8], new: &[u8]) -> usize {
    let longest = old.len().max(new.len());
    if longest == 0 || longest > MAX_BYTES || old.contains(&0) || new.contains(&0) {
        return 0;
    }
    let mut lines: HashMap<&[u8], usize> = HashMap::new();
    for line in old.split_inclusive(|byte| *byte == b'\n') {
        *lines.entry(line).or_default() += 1;
    }
    let mut common = 0;
    for line in new.split_inclusive(|byte| *byte == b'\n') {
        if let Some(count) = lines.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            common += line.len();
        }
    }
    common * 100 / longest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates<'a>(list: &'a [(&'a str, &'a str)]) -> Vec<Candidate<'a>> {
        list.iter()
            .map(|(id, content)| Candidate {
                id,
                content: content.as_bytes(),
            })
            .collect()
    }

    #[test]
    fn the_same_content_first_then_the_most_alike() {
        let deleted = [("1", "one\ntwo\nthree\n"), ("2", "x\ny\nz\n")];
        let added = [
            ("3", "one\ntwo\nthree\nfour\n"),
            ("1", "one\ntwo\nthree\n"),
            ("4", "x\ny\nz\nw\n"),
        ];
        let found = pairs(&candidates(&deleted), &candidates(&added));
        assert_eq!(found, [(0, 1), (1, 2)]);
    }

    #[test]
    fn other_files_and_empty_ones_are_not_moved() {
        let deleted = [("1", "one\ntwo\n"), ("0", "")];
        let added = [("2", "three\nfour\n"), ("0", "")];
        assert!(pairs(&candidates(&deleted), &candidates(&added)).is_empty());
        assert_eq!(alike(b"a\0b", b"a\0b"), 0);
    }
}
