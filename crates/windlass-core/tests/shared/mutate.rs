//! Inputs that are almost right: taken from a small collection and changed at random, with a seed, so
//! that a failure can be looked into. Several crates fuzz what they read with it.
//!
//! An ordinary run tries a few hundred of each; `WINDLASS_FUZZ_SECONDS` says how long each kind takes
//! instead, and `WINDLASS_FUZZ_SEED` where it begins.

use std::time::{Duration, Instant};

/// Texts that readers stumble over.
const ODD: &[&str] = &[
    "\0",
    "\"",
    "'",
    "\\",
    "\\u0000",
    "\\ud800",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "<!--",
    "*/",
    "/*",
    "//",
    "#",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    ":",
    ",",
    ";",
    "=",
    "-",
    "--",
    "${",
    "$(",
    "`",
    "|",
    "&",
    "*",
    "?",
    "!",
    "@",
    "%",
    "~",
    "null",
    "true",
    "1e999",
    "-0",
    "18446744073709551616",
    "0x",
    "\u{feff}",
    "\u{202e}",
    "\u{2028}",
    "é",
    "日本",
    "🚀",
    "\u{e000}",
    "AND",
    "NEAR(",
    "title:",
    "type:",
];

/// The longest input.
const LONGEST: usize = 64 * 1024;

pub struct Mutator {
    dice: u64,
}

impl Mutator {
    /// A number below the given one.
    #[allow(dead_code, reason = "not every crate that fuzzes needs one")]
    pub fn number(&mut self, below: usize) -> usize {
        self.roll(below)
    }

    fn roll(&mut self, below: usize) -> usize {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        usize::try_from(self.dice % (below.max(1) as u64)).unwrap_or(0)
    }

    /// One of the collection, changed in a few places.
    pub fn bytes(&mut self, collection: &[&[u8]]) -> Vec<u8> {
        let mut bytes = collection[self.roll(collection.len())].to_vec();
        for _ in 0..=self.roll(6) {
            let at = self.roll(bytes.len() + 1);
            let end = (at + self.roll(16)).min(bytes.len());
            match self.roll(8) {
                0 if at < bytes.len() => bytes[at] = u8::try_from(self.roll(256)).unwrap_or(0),
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let again = bytes[at..end].to_vec();
                    bytes.splice(at..at, again);
                }
                3 => {
                    let other = collection[self.roll(collection.len())];
                    let from = self.roll(other.len() + 1);
                    bytes.splice(at.., other[from..].iter().copied());
                }
                4 => bytes.truncate(at),
                5 => {
                    let count = 1 + self.roll(200);
                    let odd = ODD[self.roll(ODD.len())].repeat(count);
                    bytes.splice(at..at, odd.into_bytes());
                }
                _ => {
                    let odd = ODD[self.roll(ODD.len())];
                    bytes.splice(at..end, odd.bytes());
                }
            }
            bytes.truncate(LONGEST);
        }
        bytes
    }

    /// The same as a text.
    pub fn text(&mut self, collection: &[&str]) -> String {
        let collection: Vec<&[u8]> = collection.iter().map(|text| text.as_bytes()).collect();
        String::from_utf8_lossy(&self.bytes(&collection)).into_owned()
    }
}

#[expect(clippy::disallowed_methods, reason = "a person says how long it takes")]
fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Tries inputs as often as an ordinary run does, or for as long as a person wants; returns how many.
#[allow(
    clippy::print_stdout,
    reason = "it says how many were tried; not a lint in unit tests"
)]
pub fn fuzz(what: &str, usual: u64, mut attempt: impl FnMut(&mut Mutator)) {
    let seed = setting("WINDLASS_FUZZ_SEED").unwrap_or(1);
    let until = setting("WINDLASS_FUZZ_SECONDS")
        .map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut tried = 0_u64;
    while match until {
        Some(until) => Instant::now() < until,
        None => tried < usual,
    } {
        // Each has a seed of its own, which a failure names.
        let seed = seed.wrapping_add(tried);
        let mut mutator = Mutator {
            dice: (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        };
        let begin = Instant::now();
        let attempted = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            attempt(&mut mutator);
        }));
        assert!(attempted.is_ok(), "{what} with WINDLASS_FUZZ_SEED={seed}");
        assert!(
            begin.elapsed() < Duration::from_mins(1),
            "{what} with WINDLASS_FUZZ_SEED={seed} took {:?}",
            begin.elapsed()
        );
        tried += 1;
    }
    println!("{tried} inputs for {what}");
}
