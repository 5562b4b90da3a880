//! Long texts in pieces that overlap, because the model reads a few hundred words at most, and one
//! vector cannot say what a long text is about.

use std::ops::Range;

use crate::tokenizer::Tokenizer;

/// Tokens of a text in one piece, and how many of them the next piece has too.
const PIECE: usize = 128;
const OVERLAP: usize = 32;
/// Tokens of the heading, which every piece begins with.
const HEADING: usize = 64;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes in the body.
    pub bytes: Range<usize>,
    /// The heading and this part.
    pub tokens: Vec<u16>,
}

/// Cuts a text into pieces, between words. A short one, and one without a body, is one piece.
pub fn pieces(tokenizer: Tokenizer<'_>, heading: &str, body: &str) -> Vec<Piece> {
    let mut heading = tokenizer.tokens(heading);
    heading.truncate(HEADING);
    let words = words(tokenizer, body);
    let mut pieces = Vec::new();
    let mut first = 0;
    loop {
        let mut tokens = heading.clone();
        let mut end = first;
        while let Some((_, word)) = words.get(end) {
            if end > first && tokens.len() - heading.len() + word.len() > PIECE {
                break;
            }
            tokens.extend(word.iter().take(PIECE));
            end += 1;
        }
        let start = words.get(first).map_or(0, |(bytes, _)| bytes.start);
        let stop = words[..end].last().map_or(0, |(bytes, _)| bytes.end);
        pieces.push(Piece {
            bytes: start..stop,
            tokens,
        });
        if end >= words.len() {
            return pieces;
        }
        // The next piece begins a few words before this one ends, but always further on.
        let mut next = end;
        let mut shared = 0;
        while next > first + 1 && shared + words[next - 1].1.len() <= OVERLAP {
            next -= 1;
            shared += words[next].1.len();
        }
        first = next;
    }
}

/// The words between white space, with their tokens.
fn words(tokenizer: Tokenizer<'_>, text: &str) -> Vec<(Range<usize>, Vec<u16>)> {
    let start_of = |word: &str| word.as_ptr().addr() - text.as_ptr().addr();
    text.split_whitespace()
        .map(|word| {
            let start = start_of(word);
            (start..start + word.len(), tokenizer.tokens(word))
        })
        .collect()
}
