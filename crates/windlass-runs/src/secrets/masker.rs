//! Masks secrets in a stream, regardless of how it is split into writes.

use std::ops::Range;
use std::sync::Arc;

use aho_corasick::AhoCorasick;

use super::forms::forms;

/// The replacement for a secret.
pub const MASK: &str = "***";

/// All forms of all secrets. Cheap to clone, and `Debug` never prints them.
#[derive(Clone, Default)]
pub struct Secrets(Option<Arc<Forms>>);

struct Forms {
    finder: AhoCorasick,
    /// Sorted, so that forms with a given prefix are found by binary search.
    sorted: Vec<Vec<u8>>,
    is_first: [bool; 256],
    longest: usize,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Secrets(***)")
    }
}

impl Secrets {
    /// Computes all forms of these secrets. Empty secrets are ignored. A set that is too large to
    /// search for is an error; the limits of a RunSpec are far below that size.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, String> {
        let sorted: std::collections::BTreeSet<Vec<u8>> = secrets
            .into_iter()
            .filter(|secret| !secret.is_empty())
            .flat_map(forms)
            .collect();
        if sorted.is_empty() {
            return Ok(Self::default());
        }
        let finder = AhoCorasick::new(&sorted).map_err(|problem| problem.to_string())?;
        let mut is_first = [false; 256];
        for form in &sorted {
            is_first[usize::from(form[0])] = true;
        }
        Ok(Self(Some(Arc::new(Forms {
            finder,
            longest: sorted.iter().map(Vec::len).max().unwrap_or(0),
            sorted: sorted.into_iter().collect(),
            is_first,
        }))))
    }

    /// Whether there is nothing to mask.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// `text` with secrets masked.
    pub fn mask(&self, text: &str) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        let mut masker = Masker::new(self.clone());
        let mut masked = Vec::new();
        masker.push(text.as_bytes(), &mut masked);
        masker.finish(&mut masked);
        String::from_utf8_lossy(&masked).into_owned()
    }

    /// Whether `bytes` contains a secret.
    pub fn are_in(&self, bytes: &[u8]) -> bool {
        self.0
            .as_ref()
            .is_some_and(|forms| forms.finder.is_match(bytes))
    }

    /// How many bytes at the end of a piece must be searched again together with the next, so that
    /// [`are_in`](Self::are_in) finds secrets across the boundary.
    pub fn overlap(&self) -> usize {
        self.0.as_ref().map_or(0, |forms| forms.longest - 1)
    }
}

impl Forms {
    /// The ranges of secrets, in order; adjacent ranges are merged.
    fn ranges(&self, bytes: &[u8], masked: usize) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = self
            .finder
            .find_overlapping_iter(bytes)
            .map(|found| found.range())
            .collect();
        if masked > 0 {
            ranges.push(0..masked);
        }
        ranges.sort_unstable_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        joined
    }

    /// The length of the longest suffix of `bytes` that a secret may begin with.
    fn open_end(&self, bytes: &[u8]) -> usize {
        let from = bytes.len().saturating_sub(self.longest - 1);
        (from..bytes.len())
            .find(|at| {
                let end = &bytes[*at..];
                if !self.is_first[usize::from(end[0])] {
                    return false;
                }
                let next = self.sorted.partition_point(|form| form.as_slice() <= end);
                self.sorted
                    .get(next)
                    .is_some_and(|form| form.starts_with(end))
            })
            .map_or(0, |at| bytes.len() - at)
    }
}

/// Masks one stream. It holds back only bytes that may be the beginning of a secret.
#[derive(Debug)]
pub struct Masker {
    secrets: Secrets,
    pending: Vec<u8>,
    /// The number of bytes of `pending` that belong to a secret whose mask was already written.
    masked: usize,
    /// Whether a mask was written last: adjacent secrets get one mask.
    after_mask: bool,
}

impl Masker {
    /// Creates a masker at the start of a stream.
    pub fn new(secrets: Secrets) -> Self {
        Self {
            secrets,
            pending: Vec::new(),
            masked: 0,
            after_mask: false,
        }
    }

    /// Whether there is nothing to mask, so that output can pass unchanged.
    pub fn is_idle(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Receives output, and appends to `out` what is safe to show.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let Some(forms) = self.secrets.0.clone() else {
            out.extend_from_slice(bytes);
            return;
        };
        self.pending.extend_from_slice(bytes);
        let border = self.pending.len() - forms.open_end(&self.pending);
        self.release(&forms, border, out);
    }

    /// Ends the stream; appends the rest to `out`.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if let Some(forms) = self.secrets.0.clone() {
            self.release(&forms, self.pending.len(), out);
        }
    }

    fn release(&mut self, forms: &Forms, border: usize, out: &mut Vec<u8>) {
        if border == 0 {
            return;
        }
        let mut at = 0;
        let mut masked = 0;
        for range in forms.ranges(&self.pending, self.masked) {
            if range.start >= border {
                break;
            }
            self.show(at..range.start, out);
            if !self.after_mask {
                out.extend_from_slice(MASK.as_bytes());
                self.after_mask = true;
            }
            at = range.end.min(border);
            masked = range.end - at;
        }
        self.show(at..border, out);
        self.pending.drain(..border);
        self.masked = masked;
    }

    fn show(&mut self, range: Range<usize>, out: &mut Vec<u8>) {
        if !range.is_empty() {
            out.extend_from_slice(&self.pending[range]);
            self.after_mask = false;
        }
    }
}

#[cfg(test)]
#[path = "masker_tests.rs"]
mod tests;
