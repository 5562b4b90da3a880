//! Edits of a text that keep every line number.

use oxc_span::Span;

use super::Script;
use super::locations::{Insertion, LocationMap};

/// The text before and after every script. An async function makes `await` and `return` possible,
/// and a script cannot leave it.
const BEFORE: &str = "(async()=>{";
const AFTER: &str = "\n})()";

/// Edits of a text.
#[derive(Debug)]
pub struct Edits {
    text: String,
    /// The number of bytes at the start that do not belong to the source.
    lead: usize,
    blanked: Vec<Span>,
    /// Single characters that replace others.
    put: Vec<(u32, u8)>,
    /// Texts inserted before a position.
    inserted: Vec<(u32, &'static str)>,
}

impl Edits {
    /// Creates an empty set of edits of `text`, which begins with `lead` bytes that do not belong
    /// to the source.
    pub fn new(text: String, lead: usize) -> Self {
        Self {
            text,
            lead,
            blanked: Vec::new(),
            put: Vec::new(),
            inserted: Vec::new(),
        }
    }

    /// The original text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text at `span`.
    pub fn text_of(&self, span: Span) -> &str {
        let range = span.start as usize..span.end as usize;
        self.text.get(range).unwrap_or_default()
    }

    /// Blanks `span`.
    pub fn blank(&mut self, span: Span) {
        self.blanked.push(span);
    }

    /// Blanks a whole statement, and keeps the neighbouring statements separate.
    pub fn blank_statement(&mut self, span: Span) {
        self.blank(span);
        self.put(span.start, b';');
    }

    /// Whether the last blanked span ends at `end`.
    pub fn ends_with_blank(&self, end: u32) -> bool {
        self.blanked.last().is_some_and(|span| span.end == end)
    }

    /// Replaces one character.
    pub fn put(&mut self, at: u32, character: u8) {
        self.put.push((at, character));
    }

    /// Inserts `text` before `at`.
    pub fn insert(&mut self, at: u32, text: &'static str) {
        self.inserted.push((at, text));
    }

    /// Applies the edits and returns the script.
    pub fn apply(mut self) -> Script {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        for span in &self.blanked {
            let range = span.start as usize..span.end as usize;
            for byte in bytes.get_mut(range).unwrap_or_default() {
                if !matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        for (at, character) in &self.put {
            if let Some(byte) = bytes.get_mut(*at as usize) {
                *byte = *character;
            }
        }
        self.inserted.sort_by_key(|(at, _)| *at);
        let mut javascript = BEFORE.to_owned();
        let mut insertions = vec![Insertion {
            at: 0,
            length: BEFORE.len() + self.lead,
        }];
        let mut copied = 0;
        for (at, text) in &self.inserted {
            let at = *at as usize;
            javascript += &String::from_utf8_lossy(bytes.get(copied..at).unwrap_or_default());
            insertions.push(Insertion {
                at: javascript.len(),
                length: text.len(),
            });
            javascript += text;
            copied = at;
        }
        javascript += &String::from_utf8_lossy(bytes.get(copied..).unwrap_or_default());
        javascript += AFTER;
        Script {
            locations: LocationMap::new(&javascript, insertions),
            javascript,
        }
    }
}
