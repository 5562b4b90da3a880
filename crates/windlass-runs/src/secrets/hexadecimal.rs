//! The forms of a secret in hexadecimal: digits in a row, and the bytes apart as dumps print them.

use std::collections::BTreeSet;

/// What stands between two bytes: nothing, and as in URLs, fingerprints, dumps, string literals and
/// lists of numbers.
const SEPARATORS: &[&str] = &["", "%", ":", " ", "-", r"\x", ", 0x", ",0x", " 0x"];

/// The most common of them, for long secrets: each form of each part is searched for.
const COMMON_SEPARATORS: &[&str] = &["", ":", " "];

/// A secret of at most this length is found whatever part of it a dump shows.
const SHORT: usize = 64;

/// How many bytes of a short secret, in a row, are masked.
const SHORT_PART: usize = 4;

/// The same for digits in a row, which hashes consist of: a shorter part would be found in them by
/// chance.
const SHORT_PART_IN_A_ROW: usize = 6;

/// A long secret is searched for in parts of this length, one after another.
const LONG_PART: usize = 8;

/// Adds the forms of `text`.
pub fn add(found: &mut BTreeSet<Vec<u8>>, text: &[u8]) {
    if text.len() < SHORT_PART {
        return;
    }
    if text.len() <= SHORT {
        let (in_a_row, apart) = SEPARATORS.split_at(1);
        for part in text.windows(SHORT_PART_IN_A_ROW.min(text.len())) {
            add_separated(found, part, in_a_row);
        }
        for part in text.windows(SHORT_PART) {
            add_separated(found, part, apart);
            add_pairs(found, part);
        }
        return;
    }
    let end = &text[text.len() - LONG_PART..];
    for part in text.chunks_exact(LONG_PART).chain([end]) {
        add_separated(found, part, COMMON_SEPARATORS);
        add_pairs(found, part);
    }
}

fn add_separated(found: &mut BTreeSet<Vec<u8>>, part: &[u8], separators: &[&str]) {
    let lower: Vec<String> = part.iter().map(|byte| format!("{byte:02x}")).collect();
    let upper: Vec<String> = part.iter().map(|byte| format!("{byte:02X}")).collect();
    for separator in separators {
        found.insert(lower.join(separator).into_bytes());
        found.insert(upper.join(separator).into_bytes());
    }
}

/// Pairs of bytes, as `xxd` prints them. The first byte may be the second of its pair.
fn add_pairs(found: &mut BTreeSet<Vec<u8>>, part: &[u8]) {
    for before in [0, 1] {
        let digits = part.iter().enumerate().map(|(index, byte)| {
            let space = if (index + before) % 2 == 1 { " " } else { "" };
            format!("{byte:02x}{space}")
        });
        found.insert(digits.collect::<String>().trim_end().as_bytes().to_vec());
    }
}
