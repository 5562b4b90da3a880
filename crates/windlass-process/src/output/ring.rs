//! The stored output of a job: the longest end of it within the limits.
//!
//! Bytes of both streams are stored in the order of arrival; each has a number, counted from the
//! first byte ever written, which readers use as a cursor. A line of the ring ends with `\n`, or is
//! the unfinished rest at the end.

use std::collections::VecDeque;

use super::Stream;
use super::text::is_continuation;

/// The totals of written and dropped output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Bytes ever written.
    pub total_bytes: u64,
    /// Lines ever written, including an unfinished last one.
    pub total_lines: u64,
    /// Bytes that are no longer stored.
    pub dropped_bytes: u64,
    /// Newlines that are no longer stored.
    pub dropped_lines: u64,
}

/// Consecutive bytes of one stream.
#[derive(Clone, Copy, Debug)]
struct Segment {
    stream: Stream,
    length: u32,
}

/// The end of the output.
#[derive(Debug)]
pub struct Ring {
    max_lines: usize,
    max_bytes: usize,
    bytes: VecDeque<u8>,
    segments: VecDeque<Segment>,
    newlines: usize,
    /// Whether the last byte ever written did not end a line; it need not be stored.
    unfinished: bool,
    dropped_bytes: u64,
    dropped_lines: u64,
}

impl Ring {
    /// An empty ring that stores at least one line and one byte.
    pub fn new(max_lines: usize, max_bytes: usize) -> Self {
        Self {
            max_lines: max_lines.max(1),
            max_bytes: max_bytes.clamp(1, u32::MAX as usize),
            bytes: VecDeque::new(),
            segments: VecDeque::new(),
            newlines: 0,
            unfinished: false,
            dropped_bytes: 0,
            dropped_lines: 0,
        }
    }

    /// Adds what arrived and drops what exceeds the limits.
    pub fn push(&mut self, stream: Stream, new: &[u8]) {
        if new.is_empty() {
            return;
        }
        let dropped_before = self.dropped_bytes;
        let new_lines = memchr::memchr_iter(b'\n', new).count();
        // Bytes that would be dropped immediately are not copied, which is most of a flood.
        let skipped = self.skippable(new, new_lines);
        if skipped > 0 {
            self.drop_front(self.bytes.len());
            self.dropped_bytes += skipped as u64;
        }
        let kept = &new[skipped..];
        let kept_lines = if skipped > 0 {
            count_lines(kept)
        } else {
            new_lines
        };
        self.dropped_lines += (new_lines - kept_lines) as u64;
        self.newlines += kept_lines;
        self.unfinished = new.last() != Some(&b'\n');
        self.append(stream, kept);
        self.enforce();
        if self.dropped_bytes > dropped_before {
            self.drop_cut_character();
        }
    }

    /// How many bytes at the start of `new` exceed the limits.
    fn skippable(&self, new: &[u8], new_lines: usize) -> usize {
        let by_bytes = new.len().saturating_sub(self.max_bytes);
        let unfinished = usize::from(new.last() != Some(&b'\n'));
        if new_lines + unfinished <= self.max_lines {
            return by_bytes;
        }
        // The newline before the first line that is stored.
        let by_lines = memchr::memrchr_iter(b'\n', new)
            .nth(self.max_lines - unfinished)
            .map_or(0, |at| at + 1);
        by_bytes.max(by_lines)
    }

    fn append(&mut self, stream: Stream, new: &[u8]) {
        self.bytes.extend(new);
        let length = u32::try_from(new.len()).unwrap_or(u32::MAX);
        match self.segments.back_mut() {
            Some(last) if last.stream == stream => last.length += length,
            _ => self.segments.push_back(Segment { stream, length }),
        }
    }

    fn enforce(&mut self) {
        self.drop_front(self.bytes.len().saturating_sub(self.max_bytes));
        while self.lines() > self.max_lines {
            let end = self.first_newline().map_or(self.bytes.len(), |at| at + 1);
            self.drop_front(end);
        }
    }

    /// A character that was cut is dropped entirely.
    fn drop_cut_character(&mut self) {
        let rest = self
            .bytes
            .iter()
            .take(3)
            .take_while(|byte| is_continuation(**byte))
            .count();
        self.drop_front(rest);
    }

    fn lines(&self) -> usize {
        self.newlines + usize::from(self.unfinished && !self.bytes.is_empty())
    }

    fn first_newline(&self) -> Option<usize> {
        let (front, back) = self.bytes.as_slices();
        memchr::memchr(b'\n', front)
            .or_else(|| memchr::memchr(b'\n', back).map(|at| front.len() + at))
    }

    fn drop_front(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let lines = self.count_front(count);
        self.bytes.drain(..count);
        self.newlines -= lines;
        self.dropped_lines += lines as u64;
        self.dropped_bytes += count as u64;
        let mut left = u32::try_from(count).unwrap_or(u32::MAX);
        while left > 0 {
            let Some(first) = self.segments.front_mut() else {
                break;
            };
            if first.length > left {
                first.length -= left;
                break;
            }
            left -= first.length;
            self.segments.pop_front();
        }
    }

    fn count_front(&self, count: usize) -> usize {
        if count == self.bytes.len() {
            return self.newlines;
        }
        let (front, back) = self.bytes.as_slices();
        let in_front = count.min(front.len());
        count_lines(&front[..in_front]) + count_lines(&back[..count - in_front])
    }

    /// The totals of written and dropped output.
    pub fn totals(&self) -> Totals {
        Totals {
            total_bytes: self.end(),
            total_lines: self.dropped_lines + self.newlines as u64 + u64::from(self.unfinished),
            dropped_bytes: self.dropped_bytes,
            dropped_lines: self.dropped_lines,
        }
    }

    /// The cursor of the first stored byte.
    pub fn start(&self) -> u64 {
        self.dropped_bytes
    }

    /// The cursor after the last byte.
    pub fn end(&self) -> u64 {
        self.dropped_bytes + self.bytes.len() as u64
    }

    /// Frees unused memory, once nothing more will arrive.
    pub fn close(&mut self) {
        self.bytes.shrink_to_fit();
        self.segments.shrink_to_fit();
    }

    /// Makes the bytes one slice, so that readers can borrow from it.
    pub fn make_contiguous(&mut self) {
        self.bytes.make_contiguous();
    }

    /// The stored output from `cursor`: pieces of one stream each, with the cursor at which each
    /// begins. The ring must be contiguous.
    pub fn segments_from(&self, cursor: u64) -> impl Iterator<Item = (u64, Stream, &[u8])> {
        let (bytes, _) = self.bytes.as_slices();
        let mut at = 0usize;
        self.segments.iter().filter_map(move |segment| {
            let begin = at;
            at += segment.length as usize;
            let wanted = usize::try_from(cursor.saturating_sub(self.dropped_bytes)).ok()?;
            let from = begin.max(wanted);
            let run = bytes.get(from..at).filter(|run| !run.is_empty())?;
            Some((self.dropped_bytes + from as u64, segment.stream, run))
        })
    }
}

fn count_lines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

#[cfg(test)]
#[path = "ring_tests.rs"]
mod tests;
