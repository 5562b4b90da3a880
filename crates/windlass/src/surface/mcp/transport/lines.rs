//! Lines out of a byte stream, with a limit on their length.
//!
//! A line that is too long is never held in memory: it is reported once and skipped to its end. A
//! read that is dropped half-way loses nothing, because all input stays in the buffer.

use std::io;
use std::ops::Range;

use tokio::io::{AsyncRead, AsyncReadExt};

/// The minimum free space in the buffer for a read.
const CHUNK: usize = 8 * 1024;
/// A buffer that grew beyond this for one long line is released.
const KEEP: usize = 1024 * 1024;

/// What the next line is. The range goes to [`Lines::bytes`].
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    Text(Range<usize>),
    TooLong,
    End,
}

pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// Where the line that is being read begins.
    start: usize,
    /// The position up to which no line end was found.
    scanned: usize,
    limit: usize,
    /// Whether the rest of a line that was too long is being skipped.
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub fn new(input: R, limit: usize) -> Self {
        Self {
            input,
            buffer: Vec::with_capacity(CHUNK),
            start: 0,
            scanned: 0,
            limit,
            skipping: false,
        }
    }

    pub const fn limit(&self) -> usize {
        self.limit
    }

    #[cfg(test)]
    pub const fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// The text of a line, valid until the next one is read.
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        self.buffer.get(range).unwrap_or_default()
    }

    /// The next line. The last one needs no line end.
    pub async fn next(&mut self) -> io::Result<Line> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(line);
            }
            self.make_room();
            if self.input.read_buf(&mut self.buffer).await? == 0 {
                return Ok(self.take_rest());
            }
        }
    }

    /// A line that is already in the buffer.
    fn take_line(&mut self) -> Option<Line> {
        loop {
            let fresh = self.buffer.get(self.scanned..).unwrap_or_default();
            let Some(at) = fresh.iter().position(|byte| *byte == b'\n') else {
                self.scanned = self.buffer.len();
                return self.refuse_if_too_long();
            };
            let line = self.start..self.scanned + at;
            self.start = line.end + 1;
            self.scanned = self.start;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            return Some(if line.len() > self.limit {
                Line::TooLong
            } else {
                Line::Text(line)
            });
        }
    }

    fn refuse_if_too_long(&mut self) -> Option<Line> {
        let too_long = !self.skipping && self.scanned - self.start > self.limit;
        if self.skipping || too_long {
            self.skipping = true;
            self.buffer.clear();
            (self.start, self.scanned) = (0, 0);
        }
        too_long.then_some(Line::TooLong)
    }

    fn take_rest(&mut self) -> Line {
        let rest = self.start..self.buffer.len();
        self.start = rest.end;
        if rest.is_empty() || self.skipping {
            Line::End
        } else {
            Line::Text(rest)
        }
    }

    fn make_room(&mut self) {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > KEEP {
            self.buffer = Vec::with_capacity(CHUNK);
        }
        if self.buffer.capacity() - self.buffer.len() < CHUNK {
            self.buffer.reserve(CHUNK);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(input: &[u8], limit: usize) -> Vec<String> {
        let mut lines = Lines::new(input, limit);
        let mut out = Vec::new();
        loop {
            match lines.next().await.unwrap() {
                Line::Text(range) => {
                    out.push(String::from_utf8_lossy(lines.bytes(range)).into_owned());
                }
                Line::TooLong => out.push("<too long>".into()),
                Line::End => return out,
            }
        }
    }

    #[tokio::test]
    async fn splits() {
        assert_eq!(all(b"", 10).await, Vec::<String>::new());
        assert_eq!(all(b"a\nbb\n\nccc", 10).await, ["a", "bb", "", "ccc"]);
    }

    #[tokio::test]
    async fn long_lines_are_skipped_and_reported_once() {
        let long = "x".repeat(3 * CHUNK);
        let input = format!("a\n{long}\nb\n{long}");
        assert_eq!(
            all(input.as_bytes(), 100).await,
            ["a", "<too long>", "b", "<too long>"]
        );
        assert_eq!(all(b"12345\n1234\n", 4).await, ["<too long>", "1234"]);
    }

    #[tokio::test]
    async fn a_line_longer_than_the_buffer_is_whole() {
        let long = "y".repeat(5 * CHUNK);
        let input = format!("{long}\nz\n");
        assert_eq!(
            all(input.as_bytes(), usize::MAX).await,
            [long.as_str(), "z"]
        );
    }

    /// The service loop drops the read whenever it has something else to do.
    #[tokio::test]
    async fn a_dropped_read_loses_nothing() {
        use tokio::io::AsyncWriteExt;
        let (mut ours, theirs) = tokio::io::duplex(64);
        let mut lines = Lines::new(theirs, 100);
        ours.write_all(b"half").await.unwrap();
        assert!(futures::FutureExt::now_or_never(lines.next()).is_none());
        ours.write_all(b" and half\n").await.unwrap();
        let Line::Text(range) = lines.next().await.unwrap() else {
            panic!("no line");
        };
        assert_eq!(lines.bytes(range), b"half and half");
    }
}
