//! Reading the stored output: the end, page by page, or by search.
//!
//! Every result is limited in size. Lines are assembled per stream, so that two streams that write
//! at the same time do not split each other's lines; they are ordered by where they began.

use std::collections::VecDeque;

use regex::Regex;

use super::ring::{Ring, Totals};
use super::text::{is_continuation, keep_end, keep_start, render, strip_ansi, unfinished_sequence};
use super::{Ansi, ReadOptions, Stream, StreamFilter};

/// A line of output without its newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The stream.
    pub stream: Stream,
    /// Its text.
    pub text: String,
}

/// The end of the output.
#[derive(Clone, Debug)]
pub struct Tail {
    /// The last lines, oldest first.
    pub lines: Vec<Line>,
    /// Whether there are earlier lines that are not in the result.
    pub truncated: bool,
    /// The totals of written and dropped output.
    pub totals: Totals,
    /// The cursor after the last byte, where a [`Page`] can continue.
    pub next: u64,
}

/// A piece of one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The stream.
    pub stream: Stream,
    /// Its text.
    pub text: String,
}

/// A part of the output that begins at a cursor.
#[derive(Clone, Debug)]
pub struct Page {
    /// Pieces in the order in which they arrived.
    pub chunks: Vec<Chunk>,
    /// The cursor of the next page.
    pub next: u64,
    /// Bytes after the cursor that are no longer stored.
    pub dropped: u64,
    /// Whether more is stored than fitted into the result.
    pub truncated: bool,
    /// The totals of written and dropped output.
    pub totals: Totals,
}

/// A line that matches, or a context line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// Its number among all lines ever written, from 1; exact if only one stream writes.
    pub number: u64,
    /// Whether it matches, or is only context.
    pub matches: bool,
    /// The line.
    pub line: Line,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// Lines that match and their context, oldest first.
    pub lines: Vec<FoundLine>,
    /// How many lines match, including those that did not fit.
    pub matches: usize,
    /// Whether lines did not fit into the result.
    pub truncated: bool,
    /// The totals of written and dropped output.
    pub totals: Totals,
}

/// Lines of both streams as raw bytes, ordered by where they began.
fn lines(ring: &mut Ring, filter: StreamFilter) -> Vec<(Stream, Vec<u8>)> {
    ring.make_contiguous();
    let mut lines: Vec<(Stream, Vec<u8>)> = Vec::new();
    let mut open: [Option<usize>; 2] = [None, None];
    for (_, stream, run) in ring.segments_from(0) {
        if !filter.includes(stream) {
            continue;
        }
        let which = usize::from(stream == Stream::Stderr);
        for piece in run.split_inclusive(|byte| *byte == b'\n') {
            let index = *open[which].get_or_insert_with(|| {
                lines.push((stream, Vec::new()));
                lines.len() - 1
            });
            let text = piece.strip_suffix(b"\n");
            lines[index].1.extend_from_slice(text.unwrap_or(piece));
            if text.is_some() {
                open[which] = None;
            }
        }
    }
    lines
}

/// The last `count` lines, as many as fit.
pub fn tail(ring: &mut Ring, count: usize, options: &ReadOptions) -> Tail {
    let all = lines(ring, options.stream);
    let mut kept = VecDeque::new();
    let mut room = options.max_bytes;
    let mut cut = false;
    for (stream, bytes) in all.iter().rev().take(count) {
        let text = render(bytes, options);
        let needed = text.len() + 1;
        if needed > room {
            cut = true;
            // Only the end of a line that is too long for any result is shown.
            if kept.is_empty() {
                let text = keep_end(&text, room).to_owned();
                kept.push_front(Line {
                    stream: *stream,
                    text,
                });
            }
            break;
        }
        room -= needed;
        kept.push_front(Line {
            stream: *stream,
            text,
        });
    }
    let totals = ring.totals();
    Tail {
        truncated: cut || kept.len() < all.len() || totals.dropped_bytes > 0,
        lines: kept.into(),
        totals,
        next: ring.end(),
    }
}

/// The stored output from `cursor`, as much as fits.
pub fn from(ring: &mut Ring, cursor: u64, options: &ReadOptions) -> Page {
    ring.make_contiguous();
    let begin = cursor.clamp(ring.start(), ring.end());
    let (end, truncated) = if options.whole_lines {
        end_of_lines(ring, begin, options)
    } else {
        (ring.end(), false)
    };
    let mut page = Page {
        chunks: Vec::new(),
        next: begin,
        dropped: begin.saturating_sub(cursor),
        truncated,
        totals: ring.totals(),
    };
    let mut room = options.max_bytes.max(1);
    for (at, stream, run) in ring.segments_from(begin) {
        if at >= end {
            break;
        }
        let run = &run[..run
            .len()
            .min(usize::try_from(end - at).unwrap_or(usize::MAX))];
        if !options.stream.includes(stream) {
            page.next = at + run.len() as u64;
            continue;
        }
        if room == 0 {
            page.truncated = true;
            break;
        }
        let taken = &run[..cut(run, room, options.ansi)];
        room = room.saturating_sub(taken.len());
        page.next = at + taken.len() as u64;
        let text = render(taken, options);
        if !text.is_empty() {
            page.chunks.push(Chunk { stream, text });
        }
        if taken.len() < run.len() {
            page.truncated = true;
            break;
        }
    }
    page
}

/// Where a page of whole lines ends: after the last newline that fits, or at the end of the page if
/// one line fills it. Also returns whether it ends there because the page is full: a line that is
/// still being written is not returned yet.
fn end_of_lines(ring: &Ring, begin: u64, options: &ReadOptions) -> (u64, bool) {
    let mut room = options.max_bytes.max(1);
    let mut end = begin;
    for (at, stream, run) in ring.segments_from(begin) {
        if !options.stream.includes(stream) {
            continue;
        }
        let taken = &run[..run.len().min(room)];
        if let Some(place) = memchr::memrchr(b'\n', taken) {
            end = at + place as u64 + 1;
        }
        room -= taken.len();
        if room == 0 {
            let end = if end > begin { end } else { ring.end() };
            return (end, end < ring.end());
        }
    }
    (end, false)
}

/// How many bytes of `run` go into the result: whole characters and, if they are stripped, whole
/// escape sequences; always at least one character, so that a reader makes progress.
fn cut(run: &[u8], room: usize, ansi: Ansi) -> usize {
    let mut end = room.min(run.len());
    if end < run.len() {
        let border = (1..=end)
            .rev()
            .take(4)
            .find(|at| !is_continuation(run[*at]));
        end = border.unwrap_or_else(|| {
            let inside = run[end..]
                .iter()
                .take(3)
                .take_while(|byte| is_continuation(**byte));
            end + inside.count()
        });
    }
    match ansi {
        Ansi::Strip => unfinished_sequence(&run[..end])
            .filter(|at| *at > 0)
            .unwrap_or(end),
        Ansi::Keep => end,
    }
}

/// Lines that match `pattern`, each with `context` lines on both sides.
pub fn grep(ring: &mut Ring, pattern: &Regex, context: usize, options: &ReadOptions) -> Found {
    let all = lines(ring, options.stream);
    let texts: Vec<String> = all
        .iter()
        .map(|(_, bytes)| render(bytes, options))
        .collect();
    // Colour sequences can be inside a word, so they are always removed before matching.
    let matching: Vec<bool> = texts
        .iter()
        .map(|text| pattern.is_match(&strip_ansi(text)))
        .collect();
    let mut wanted = vec![false; all.len()];
    for (index, _) in matching.iter().enumerate().filter(|(_, matches)| **matches) {
        let last = (index + context + 1).min(all.len());
        wanted[index.saturating_sub(context)..last].fill(true);
    }
    let totals = ring.totals();
    let mut found = Found {
        lines: Vec::new(),
        matches: matching.iter().filter(|matches| **matches).count(),
        truncated: false,
        totals,
    };
    let mut room = options.max_bytes;
    for (index, text) in texts.iter().enumerate().filter(|(index, _)| wanted[*index]) {
        let shown = keep_start(text, room.saturating_sub(1));
        found.truncated |= shown.len() < text.len() || room == 0;
        if room == 0 {
            break;
        }
        room = room.saturating_sub(shown.len() + 1);
        found.lines.push(FoundLine {
            number: totals.dropped_lines + index as u64 + 1,
            matches: matching[index],
            line: Line {
                stream: all[index].0,
                text: shown.to_owned(),
            },
        });
    }
    found
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
