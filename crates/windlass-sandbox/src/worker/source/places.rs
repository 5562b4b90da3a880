//! Places in the source, and which of them the engine means.

use crate::outcome::Place;

/// The longest line of the source that is shown.
const MAX_SHOWN: usize = 200;

/// Text that is not of the source.
#[derive(Debug)]
pub struct Insertion {
    /// The byte of the script where it begins.
    pub at: usize,
    pub length: usize,
}

/// Which place of the source is meant by one of the script. Lines are the same in both.
#[derive(Debug)]
pub struct Places {
    /// Line and column (from 1) where inserted text begins, and its length.
    insertions: Vec<(usize, usize, usize)>,
}

impl Places {
    /// The places of a script with these insertions.
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

    /// The column of the source for one of the script.
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

/// The place at a byte of `source`.
pub fn place_of(source: &str, at: usize) -> Place {
    let at = (0..=at.min(source.len()))
        .rev()
        .find(|at| source.is_char_boundary(*at))
        .unwrap_or_default();
    let (line, column) = line_and_column(source, at);
    place_at(source, line, column)
}

/// A place of `source` with the text of its line.
pub fn place_at(source: &str, line: usize, column: usize) -> Place {
    let text = source.lines().nth(line - 1).unwrap_or_default();
    Place {
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
