//! Masking secrets in a stream, however it is cut into writes.

use std::ops::Range;
use std::sync::Arc;

use aho_corasick::AhoCorasick;

use super::forms::forms;

/// What stands in place of a secret.
pub const MASK: &str = "***";

/// Everything that must not be seen. Cheap to share, and it never prints what it holds.
#[derive(Clone, Default)]
pub struct Secrets(Option<Arc<Forms>>);

struct Forms {
    finder: AhoCorasick,
    /// Sorted, so that what begins like one is found by halving.
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
    /// All forms of these secrets. Empty ones are none. A set that is too large to be looked for is
    /// an error; the limits of a RunSpec stay far below.
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

    /// `text` without secrets.
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

    /// Whether a secret is in `bytes`.
    pub fn are_in(&self, bytes: &[u8]) -> bool {
        self.0
            .as_ref()
            .is_some_and(|forms| forms.finder.is_match(bytes))
    }

    /// How much of the end of a piece must be seen again with the next, so that
    /// [`are_in`](Self::are_in) misses nothing between them.
    pub fn overlap(&self) -> usize {
        self.0.as_ref().map_or(0, |forms| forms.longest - 1)
    }
}

impl Forms {
    /// Where secrets are, in order, those joined that touch.
    fn places(&self, bytes: &[u8], masked: usize) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = self
            .finder
            .find_overlapping_iter(bytes)
            .map(|found| found.range())
            .collect();
        if masked > 0 {
            places.push(0..masked);
        }
        places.sort_unstable_by_key(|place| place.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for place in places {
            match joined.last_mut() {
                Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
                _ => joined.push(place),
            }
        }
        joined
    }

    /// The length of the longest end of `bytes` with which a secret may begin.
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

/// Masks one stream. It holds back only what may be the beginning of a secret.
#[derive(Debug)]
pub struct Masker {
    secrets: Secrets,
    pending: Vec<u8>,
    /// So much of `pending` belongs to a secret whose mask is out already.
    masked: usize,
    /// Whether a mask was the last that went out: secrets that touch get one mask.
    after_mask: bool,
}

impl Masker {
    /// Nothing was seen yet.
    pub fn new(secrets: Secrets) -> Self {
        Self {
            secrets,
            pending: Vec::new(),
            masked: 0,
            after_mask: false,
        }
    }

    /// Whether there is nothing to mask, so that what is written may be seen as it is.
    pub fn is_idle(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Takes what was written, and adds to `out` what may be seen by now.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let Some(forms) = self.secrets.0.clone() else {
            out.extend_from_slice(bytes);
            return;
        };
        self.pending.extend_from_slice(bytes);
        let border = self.pending.len() - forms.open_end(&self.pending);
        self.release(&forms, border, out);
    }

    /// The stream has ended; adds the rest to `out`.
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
        for place in forms.places(&self.pending, self.masked) {
            if place.start >= border {
                break;
            }
            self.show(at..place.start, out);
            if !self.after_mask {
                out.extend_from_slice(MASK.as_bytes());
                self.after_mask = true;
            }
            at = place.end.min(border);
            masked = place.end - at;
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
