//! Tables: the width of each column, and the truncation of cells.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
use windlass_ops::{Column, Cut, Span, Style};

use super::{Lines, Terminal, escape, shown};

const GAP: usize = 2;

/// Writes the header and the rows, one per line.
pub fn write(out: &mut Lines, columns: &[Column], rows: &[Vec<Span>], terminal: Terminal) {
    let cells: Vec<Vec<(String, Style)>> = rows
        .iter()
        .map(|row| {
            row.iter()
                .map(|span| {
                    let shown = shown(span, terminal);
                    (escape::one_line(&shown).into_owned(), span.style)
                })
                .collect()
        })
        .collect();
    let (columns, cells) = fitting(columns, cells, terminal.width);
    let columns = columns.as_slice();
    let widths = widths(columns, &cells, terminal.width);
    if columns.iter().any(|column| !column.title.is_empty()) {
        let header: Vec<_> = columns
            .iter()
            .map(|column| (column.title.to_owned(), Style::Dim))
            .collect();
        write_row(out, columns, &header, &widths);
    }
    for row in &cells {
        write_row(out, columns, row, &widths);
    }
}

/// Without the spare columns if the table is too wide even at its narrowest.
fn fitting(
    columns: &[Column],
    cells: Vec<Vec<(String, Style)>>,
    limit: Option<usize>,
) -> (Vec<Column>, Vec<Vec<(String, Style)>>) {
    let fits = limit.is_none_or(|limit| {
        let narrowest = widths(columns, &cells, Some(limit));
        narrowest.iter().sum::<usize>() + GAP * columns.len().saturating_sub(1) <= limit
    });
    if fits {
        return (columns.to_vec(), cells);
    }
    let kept = |row: Vec<(String, Style)>| {
        let pairs = row.into_iter().zip(columns);
        let wanted = pairs.filter(|(_, column)| !column.is_spare);
        wanted.map(|(cell, _)| cell).collect()
    };
    let cells = cells.into_iter().map(kept).collect();
    let columns = columns.iter().filter(|column| !column.is_spare);
    (columns.cloned().collect(), cells)
}

fn widths(columns: &[Column], cells: &[Vec<(String, Style)>], limit: Option<usize>) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(|column| column.title.width()).collect();
    for row in cells {
        for (width, (text, _)) in widths.iter_mut().zip(row) {
            *width = (*width).max(text.width());
        }
    }
    if let Some(limit) = limit {
        shrink(&mut widths, columns, limit);
    }
    widths
}

/// Shrinks the widest shrinking column until the row fits or none can shrink further.
fn shrink(widths: &mut [usize], columns: &[Column], limit: usize) {
    let gaps = GAP * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > limit {
        let widest = widths
            .iter_mut()
            .zip(columns)
            .filter(|(width, column)| column.cut != Cut::Nothing && **width > column.least)
            .map(|(width, _)| width)
            .max_by_key(|width| **width);
        match widest {
            Some(width) => *width -= 1,
            None => return,
        }
    }
}

fn write_row(out: &mut Lines, columns: &[Column], row: &[(String, Style)], widths: &[usize]) {
    // Spaces are written only before the next text, so that no line ends in blanks.
    let mut owed = 0;
    for (((text, style), column), width) in row.iter().zip(columns).zip(widths) {
        let shown = if column.cut == Cut::Middle {
            cut_in_the_middle(text, *width)
        } else {
            cut(text, *width)
        };
        let padding = width.saturating_sub(shown.width());
        if column.right {
            owed += padding;
        }
        if !shown.is_empty() {
            out.space(owed);
            owed = 0;
            out.push(shown, *style);
        }
        owed += GAP + if column.right { 0 } else { padding };
    }
    out.end();
}

/// The text, truncated with a `…` if it is too wide.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 0;
    for letter in text.chars() {
        // Counted letter by letter, so a joined emoji counts as more than it takes: a little too
        // short is better than a broken column.
        used += letter.width().unwrap_or(0);
        if used + 1 > width {
            break;
        }
        shown.push(letter);
    }
    shown.truncate(shown.trim_end().len());
    shown.push('…');
    shown
}

/// The text, with a `…` in place of its middle if it is too wide.
fn cut_in_the_middle(text: &str, width: usize) -> String {
    if text.width() <= width || width < 5 {
        return cut(text, width);
    }
    let side = (width - 1) / 2;
    let start = cut(text, width - side);
    let mut end: Vec<char> = Vec::new();
    let mut used = 0;
    for letter in text.chars().rev() {
        used += letter.width().unwrap_or(0);
        if used > side {
            break;
        }
        end.push(letter);
    }
    end.into_iter().rev().fold(start, |mut all, letter| {
        all.push(letter);
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_both_ends() {
        for (text, width, expected) in [
            ("short", 8, "short"),
            ("packages/web/build", 11, "packa…build"),
            ("世界世界世界", 7, "世…界"),
            ("abcdefgh", 4, "abc…"),
        ] {
            let shown = cut_in_the_middle(text, width);
            assert!(shown.width() <= width, "{shown}");
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn cutting_counts_cells_not_letters() {
        for (text, width, expected) in [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("two words", 5, "two…"),
            ("世界世界", 8, "世界世界"),
            ("世界世界", 7, "世界世…"),
            ("世界世界", 6, "世界…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ] {
            let shown = cut(text, width);
            assert_eq!(shown, expected);
            assert!(shown.width() <= width);
        }
    }

    #[test]
    fn a_spare_column_is_left_out_where_the_rest_does_not_fit() {
        let columns = [
            Column::new("NAME").shortened_in_the_middle(),
            Column::new("RUNNER"),
            Column::new("WHERE").shortened_in_the_middle().spare(),
            Column::new("ABOUT").shrinking().keeping(30),
        ];
        let texts = [
            "n".repeat(60),
            "docker-compose".to_owned(),
            "w".repeat(60),
            "a".repeat(60),
        ];
        let row: Vec<_> = texts.into_iter().map(|text| (text, Style::Plain)).collect();
        for (limit, expected) in [(200, 4), (100, 4), (82, 4), (81, 3), (80, 3), (60, 3)] {
            let (columns, cells) = fitting(&columns, vec![row.clone()], Some(limit));
            assert_eq!(columns.len(), expected, "limit {limit}");
            let widths = widths(&columns, &cells, Some(limit));
            let wide = widths.iter().sum::<usize>() + GAP * (widths.len() - 1);
            assert!(wide <= limit.max(64), "limit {limit}: {wide}");
        }
    }

    #[test]
    fn only_shrinking_columns_give_way_and_never_below_the_least() {
        let columns = [
            Column::new("a"),
            Column::new("b").shrinking(),
            Column::new("c").shrinking(),
        ];
        for (limit, expected) in [
            (100, [10, 40, 20]),
            (60, [10, 26, 20]),
            (40, [10, 13, 13]),
            (5, [10, 8, 8]),
        ] {
            let mut widths = [10, 40, 20];
            shrink(&mut widths, &columns, limit);
            assert_eq!(widths, expected, "limit {limit}");
        }
    }
}
