//! Maps locations that the engine reports to locations in the source.

use crate::outcome::SourceLocation;

/// The longest source line that is shown.
const MAX_SHOWN: usize = 200;

/// Inserted text that does not belong to the source.
#[derive(Debug)]
pub struct Insertion {
    /// The byte offset in the script where it begins.
    pub at: usize,
    pub length: usize,
}

/// Maps a column of the script to the source. Lines are the same in both.
#[derive(Debug)]
pub struct LocationMap {
    /// Line and column (from 1) where inserted text begins, and its length.
    insertions: Vec<(usize, usize, usize)>,
}

impl LocationMap {
    /// Creates the map for a script with these insertions.
    pub fn new(script: &str, insertions: Vec<Insertion>) -> Self {
        let insertions = insertions
            .into_iter()
            .map(|insertion| {
                let (line, column) = line_and_column(script, insertion.at);
                (line, column, insertion.length)
            })
            .collect();
        Self { insertions }
    }

    /// The column in the source for a column in the script.
    pub fn column(&self, line: usize, column: usize) -> usize {
        let inserted: usize = self
            .insertions
            .iter()
            .filter(|(on, at, _)| *on == line && *at < column)
            .map(|(_, at, length)| (*length).min(column - at))
            .sum();
        column.saturating_sub(inserted).max(1)
    }
}

/// The location of a byte of `source`.
pub fn location_of(source: &str, at: usize) -> SourceLocation {
    let at = (0..=at.min(source.len()))
        .rev()
        .find(|at| source.is_char_boundary(*at))
        .unwrap_or_default();
    let (line, column) = line_and_column(source, at);
    location_at(source, line, column)
}

/// A location in `source`, with the text of its line.
pub fn location_at(source: &str, line: usize, column: usize) -> SourceLocation {
    let text = source.lines().nth(line - 1).unwrap_or_default();
    SourceLocation {
        line,
        column,
        source: text.chars().take(MAX_SHOWN).collect(),
    }
}

fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .chars()
        .rev()
        .take_while(|letter| *letter != '\n')
        .count()
        + 1;
    (line, column)
}
