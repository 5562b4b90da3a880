//! The names of packs on a remote: `packs/1763435525123-<sha256>.pack`.
//!
//! A pack is known by its hash. The number before it is the time of its upload in milliseconds, never
//! less than the newest that the writer had seen there: so the newest packs are at the end of the list,
//! and a clone lists from where it stopped.

use windlass_store::PackName;

/// The folder of packs.
pub const PACKS: &str = "packs";
const EXTENSION: &str = ".pack";
const STAMP_DIGITS: usize = 13;

/// A stamp further in the future than this was not made by a clock, and does not move others' stamps.
pub const FUTURE: i64 = 24 * 3_600_000;

/// The name of an object.
pub fn object_name(stamp: i64, name: &PackName) -> String {
    format!("{}-{name}{EXTENSION}", stamp_text(stamp))
}

/// The beginning of the names that were given at that time.
pub fn stamp_text(stamp: i64) -> String {
    format!("{:0STAMP_DIGITS$}", stamp.max(0))
}

/// The stamp and the pack of an object's name; none if it is not the name of a pack.
pub fn parse_object_name(text: &str) -> Option<(i64, PackName)> {
    let (stamp, name) = text.strip_suffix(EXTENSION)?.split_once('-')?;
    let digits = stamp.len() == STAMP_DIGITS && stamp.bytes().all(|byte| byte.is_ascii_digit());
    let stamp = digits.then(|| stamp.parse().ok())??;
    Some((stamp, PackName::parse(name).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let hash = "0123456789abcdef".repeat(4);
        let name = PackName::parse(&hash).unwrap();
        let text = object_name(1_763_435_525_123, &name);
        assert_eq!(text, format!("1763435525123-{hash}.pack"));
        assert_eq!(parse_object_name(&text), Some((1_763_435_525_123, name)));
    }

    #[test]
    fn other_names_are_not_packs() {
        let hash = "0123456789abcdef".repeat(4);
        for odd in [
            String::new(),
            "notes.txt".to_owned(),
            format!("{hash}.pack"),
            format!("1763435525123-{hash}"),
            format!("176343552512-{hash}.pack"),
            format!("+763435525123-{hash}.pack"),
            format!("1763435525123-{}.pack", &hash[1..]),
            format!("1763435525123-{}.pack", hash.to_uppercase()),
            format!("1763435525123-{hash}.pack.pack"),
        ] {
            assert_eq!(parse_object_name(&odd), None, "{odd}");
        }
    }
}
