//! Text with colours, as a terminal reads it.

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    pub bold: bool,
    pub dim: bool,
    /// One of the eight colours of a terminal.
    pub color: Option<u8>,
}

/// A piece of a line in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub text: String,
    pub style: Style,
}

/// The lines of a text. A sequence that is not known is an error, so that none is ever shown.
pub fn lines(text: &str) -> Result<Vec<Vec<Run>>, String> {
    let mut style = Style::default();
    text.lines().map(|line| runs(line, &mut style)).collect()
}

fn runs(line: &str, style: &mut Style) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    let mut parts = line.split("\u{1b}[");
    push(&mut runs, parts.next().unwrap_or_default(), *style);
    for part in parts {
        let unknown = || format!("an escape sequence that is not known: {part:?}");
        let (codes, text) = part.split_once('m').ok_or_else(unknown)?;
        for code in codes.split(';') {
            match code.parse::<u8>() {
                Ok(0) => *style = Style::default(),
                Ok(1) => style.bold = true,
                Ok(2) => style.dim = true,
                Ok(22) => (style.bold, style.dim) = (false, false),
                Ok(code @ 30..=37) => style.color = Some(code - 30),
                Ok(39) => style.color = None,
                _ => return Err(unknown()),
            }
        }
        push(&mut runs, text, *style);
    }
    Ok(runs)
}

fn push(runs: &mut Vec<Run>, text: &str, style: Style) {
    if !text.is_empty() {
        let text = text.to_owned();
        runs.push(Run { text, style });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_begin_and_end() {
        let found = lines("a \u{1b}[36m#1\u{1b}[0m b\u{1b}[1;2m\nc").unwrap();
        let run = |text: &str, style: Style| Run {
            text: text.to_owned(),
            style,
        };
        let plain = Style::default();
        let cyan = Style {
            color: Some(6),
            ..plain
        };
        let both = Style {
            bold: true,
            dim: true,
            color: None,
        };
        assert_eq!(
            found[0],
            [run("a ", plain), run("#1", cyan), run(" b", plain)]
        );
        assert_eq!(found[1], [run("c", both)]);
        assert!(lines("\u{1b}[2J").is_err());
    }
}
