//! Reading long outputs page by page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Error, Result};

const CHUNK: u64 = 8 * 1024;
const LARGEST: u64 = 64 * 1024;

/// Which part of an output to read. To be flattened into an input, with
/// `deserialize_with = "crate::input::part"`.
#[derive(Debug, Clone, Copy, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct BytePage {
    /// Continue from this byte; `next` of an earlier call.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub from: u64,
    /// The most bytes to return, up to 65,536.
    #[serde(rename = "maxBytes", default = "chunk")]
    #[arg(id = "maxBytes", long = "max-bytes", default_value_t = CHUNK)]
    #[schemars(range(min = 1, max = 65536))]
    pub max_bytes: u64,
}

fn chunk() -> u64 {
    CHUNK
}

/// The longest character in bytes.
const LONGEST_CHARACTER: u64 = 4;

/// Where a page ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PageEnd {
    /// More bytes follow, now or later: a character that is cut belongs to the next page.
    Continues,
    /// Nothing follows: what is cut is not a character.
    Final,
}

impl BytePage {
    /// How many bytes to read for this page: at least one character.
    pub fn bytes_to_read(self) -> u64 {
        self.max_bytes.max(LONGEST_CHARACTER)
    }

    /// The text of a page in whole characters, and how many of the bytes it contains.
    pub fn text(self, bytes: &[u8], end: PageEnd) -> (String, u64) {
        let most = usize::try_from(self.max_bytes).unwrap_or(usize::MAX);
        let fits = &bytes[..bytes.len().min(most)];
        let is_cut = fits.len() < bytes.len() || end == PageEnd::Continues;
        let mut length = if is_cut { whole(fits) } else { fits.len() };
        if length == 0 {
            // The first character is longer than the page.
            length = (1..=bytes.len().min(4))
                .find(|length| std::str::from_utf8(&bytes[..*length]).is_ok())
                .unwrap_or(fits.len());
        }
        let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
        (text, length as u64)
    }

    pub fn check(self) -> Result<()> {
        if (1..=LARGEST).contains(&self.max_bytes) {
            return Ok(());
        }
        Err(Error::validation("maxBytes", "must be 1 to 65,536"))
    }
}

/// How many of the bytes are left without a character that is cut at their end.
fn whole(bytes: &[u8]) -> usize {
    let last_start = bytes
        .iter()
        .rev()
        .take(4)
        .position(|byte| byte & 0xC0 != 0x80)
        .map(|from_end| bytes.len() - 1 - from_end);
    let Some(start) = last_start else {
        return bytes.len();
    };
    let needed = match bytes[start] {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    };
    if start + needed > bytes.len() {
        start
    } else {
        bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_any_size_join_to_the_whole_text() {
        let text = "aé\u{20AC}\u{1F600}b\u{65E5}\u{672C}\u{8A9E}";
        for max_bytes in 1..=text.len() as u64 + 1 {
            let mut read = String::new();
            let mut from = 0;
            while from < text.len() as u64 {
                let page = BytePage { from, max_bytes };
                let start = usize::try_from(from).unwrap();
                let end = text
                    .len()
                    .min(start + usize::try_from(page.bytes_to_read()).unwrap());
                let (part, length) = page.text(&text.as_bytes()[start..end], PageEnd::Continues);
                assert!(length > 0, "pages of {max_bytes}");
                read += &part;
                from += length;
            }
            assert_eq!(read, text, "pages of {max_bytes}");
        }
    }

    #[test]
    fn what_is_not_text_is_replaced() {
        let page = BytePage {
            from: 0,
            max_bytes: 10,
        };
        let (text, length) = page.text(b"ok \xE2\x82", PageEnd::Final);
        assert_eq!((text.as_str(), length), ("ok \u{FFFD}", 5));
        let (text, length) = page.text(b"ok \xE2\x82", PageEnd::Continues);
        assert_eq!((text.as_str(), length), ("ok ", 3));
        let (text, length) = page.text(b"\x82\x82\x82\x82\x82", PageEnd::Continues);
        assert_eq!((text.chars().count(), length), (5, 5));
    }
}
