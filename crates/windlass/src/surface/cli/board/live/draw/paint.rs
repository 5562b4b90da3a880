//! Puts text on the screen: escaped, cut to its place, in the colours of its meaning.

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
use windlass_ops::Style as Meaning;

use crate::surface::cli::render::{cut, escape, moment};

/// How meanings look.
#[derive(Debug, Clone, Copy)]
pub struct Theme {
    pub color: bool,
}

impl Theme {
    /// The eight basic colours, as everywhere on the command line; without colours, weight only.
    fn style(self, meaning: Meaning) -> Style {
        let plain = Style::new();
        let color = |color: Color| if self.color { plain.fg(color) } else { plain };
        match meaning {
            Meaning::Plain => plain,
            Meaning::Strong => plain.add_modifier(Modifier::BOLD),
            Meaning::Dim | Meaning::Time | Meaning::Moment => plain.add_modifier(Modifier::DIM),
            Meaning::Id => color(Color::Cyan),
            Meaning::Good => color(Color::Green),
            Meaning::Warning => color(Color::Yellow),
            Meaning::Bad => color(Color::Red),
            Meaning::Match => color(Color::Yellow).add_modifier(Modifier::BOLD),
        }
    }
}

/// A text with a meaning.
#[derive(Debug, Clone)]
pub struct Piece {
    text: String,
    meaning: Meaning,
    reversed: bool,
}

impl Piece {
    pub fn new(text: impl Into<String>, meaning: Meaning) -> Self {
        Self {
            text: text.into(),
            meaning,
            reversed: false,
        }
    }

    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Meaning::Plain)
    }

    pub fn reversed(mut self) -> Self {
        self.reversed = true;
        self
    }
}

pub struct Paint<'a> {
    buffer: &'a mut Buffer,
    theme: Theme,
    now: Timestamp,
}

impl<'a> Paint<'a> {
    pub fn new(buffer: &'a mut Buffer, theme: Theme, now: Timestamp) -> Self {
        Self { buffer, theme, now }
    }

    /// How long ago a moment was.
    pub fn ago(&self, at: &str) -> String {
        moment::relative(at, self.now)
    }

    /// Writes pieces one after another, up to a width.
    pub fn line(&mut self, x: u16, y: u16, width: u16, pieces: &[Piece]) {
        let area = self.buffer.area;
        if y >= area.bottom() || x >= area.right() {
            return;
        }
        let end = (x + width).min(area.right());
        let mut at = x;
        for piece in pieces {
            let room = end.saturating_sub(at);
            if room == 0 {
                return;
            }
            let text = piece.text.replace('\t', "    ");
            let text = cut(&escape::one_line(&text), usize::from(room));
            let mut style = self.theme.style(piece.meaning);
            if piece.reversed {
                style = style.add_modifier(Modifier::REVERSED);
            }
            (at, _) = self
                .buffer
                .set_stringn(at, y, &text, usize::from(room), style);
        }
    }

    /// Marks lines as selected.
    pub fn select(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        let style = Style::new().add_modifier(Modifier::REVERSED);
        self.buffer.set_style(area, style);
    }

    /// Makes a place empty, for something that lies above it.
    pub fn clear(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                }
            }
        }
    }
}

/// A text in at most so many lines, broken between words where that is possible. What is left over is
/// cut.
pub fn broken(text: &str, width: usize, most: usize) -> Vec<String> {
    let text = escape::one_line(text);
    let mut lines: Vec<String> = Vec::new();
    let mut open = String::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let gap = usize::from(!open.is_empty());
        let room = width.saturating_sub(open.width() + gap);
        if lines.len() + 1 >= most {
            open.push_str(if gap == 1 { " " } else { "" });
            open.push_str(rest);
            open = cut(&open, width);
            break;
        }
        let word = rest.split(' ').next().unwrap_or(rest);
        // A word that fits into no line is broken where the line ends.
        let taken = if word.width() <= room {
            word.len()
        } else if word.width() > width && room >= SHORTEST {
            fitting(word, room)
        } else {
            0
        };
        if taken == 0 && open.is_empty() {
            // Not even one letter fits.
            break;
        }
        if let Some(taken) = rest.get(..taken).filter(|taken| !taken.is_empty()) {
            open.push_str(if gap == 1 { " " } else { "" });
            open.push_str(taken);
        }
        rest = rest.get(taken..).unwrap_or_default().trim_start();
        if taken < word.len() {
            lines.push(std::mem::take(&mut open));
        }
    }
    if !open.is_empty() {
        lines.push(open);
    }
    lines
}

/// Words are broken only if at least so many cells of them stay on the line.
const SHORTEST: usize = 4;

/// How many bytes of a text fit into so many cells.
fn fitting(text: &str, width: usize) -> usize {
    let mut used = 0;
    let too_wide = |letter: char| {
        used += letter.width().unwrap_or(0);
        used > width
    };
    text.find(too_wide).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_between_words_and_the_rest_is_cut() {
        for (text, most, expected) in [
            ("one two three", 2, vec!["one two", "three"]),
            (
                "one two three four five six",
                2,
                vec!["one two", "three fou…"],
            ),
            ("unbreakableword", 2, vec!["unbreakabl", "eword"]),
            ("#1 unbreakableword and", 2, vec!["#1 unbreak", "ableword…"]),
            (
                "aseven! unbreakableword",
                3,
                vec!["aseven!", "unbreakabl", "eword"],
            ),
            ("#7 日本語のタイトル", 2, vec!["#7 日本語", "のタイトル"]),
            ("", 2, vec![]),
            ("tab\there", 1, vec![r"tab\there"]),
        ] {
            assert_eq!(broken(text, 10, most), expected, "{text}");
        }
        assert_eq!(broken("one two", 2, 4), Vec::<String>::new());
    }
}
