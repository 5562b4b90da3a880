//! Pieces of Markdown.

/// A table with a header; empty if there are no rows.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut out = row(header.iter().map(|cell| (*cell).to_owned()));
    out.push_str(&row(header.iter().map(|_| "---".to_owned())));
    for cells in rows {
        out.push_str(&row(cells.iter().map(|text| cell(text))));
    }
    out.push('\n');
    out
}

fn row(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A cell holds one line, so line breaks become spaces and bars are escaped.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('|', "\\|")
}

pub fn code(text: &str) -> String {
    format!("`{text}`")
}

pub fn block(language: &str, text: &str) -> String {
    format!("```{language}\n{}\n```\n\n", text.trim_end())
}

/// A paragraph followed by an empty line; empty if there is no text.
pub fn paragraph(text: &str) -> String {
    if text.trim().is_empty() {
        String::new()
    } else {
        format!("{}\n\n", text.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_in_their_row() {
        let rows = [vec![code("a|b"), "two\nlines".to_owned()]];
        assert_eq!(
            table(&["name", "meaning"], &rows),
            "| name | meaning |\n| --- | --- |\n| `a\\|b` | two lines |\n\n"
        );
        assert_eq!(table(&["name"], &[]), "");
    }
}
