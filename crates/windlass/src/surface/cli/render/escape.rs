//! Escapes stored text for a terminal: control sequences are shown, not executed.
//!
//! Titles and notes come from anywhere. A raw escape sequence, a carriage return or a bidirectional
//! override would let a title move the cursor, hide text or swap what a person reads.

use std::borrow::Cow;
use std::fmt::Write;

/// One line: line breaks and tabs are shown as `\n` and `\t`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escape(text, is_unsafe)
}

/// Running text: line breaks and tabs stay.
pub fn running(text: &str) -> Cow<'_, str> {
    let text: Cow<'_, str> = if text.contains("\r\n") {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(text)
    };
    let keep = |letter| is_unsafe(letter) && !matches!(letter, '\n' | '\t');
    match text {
        Cow::Borrowed(text) => escape(text, keep),
        Cow::Owned(text) => Cow::Owned(escape(&text, keep).into_owned()),
    }
}

/// JSON text: control characters that JSON allows inside strings become `\uXXXX`, which parses as
/// the same text.
pub fn json(text: String) -> String {
    let hostile = |letter: char| letter >= '\u{7f}' && is_unsafe(letter);
    if !text.contains(hostile) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if hostile(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(letter);
        }
    }
    out
}

fn escape(text: &str, hostile: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hostile) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if hostile(letter) {
            out.extend(letter.escape_default());
        } else {
            out.push(letter);
        }
    }
    Cow::Owned(out)
}

/// Control characters, and format characters that reorder, hide or break what is shown. Joiners and
/// variation selectors are not among them: emoji and several scripts need them.
fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{061c}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_text_is_not_copied() {
        assert!(matches!(one_line("Grüße, 世界 👩‍💻"), Cow::Borrowed(_)));
        assert!(matches!(running("a\n\tb"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_controls_a_terminal_is_shown() {
        for (text, expected) in [
            ("\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
            ("ok\rNO", "ok\\rNO"),
            ("two\nlines\tand a tab", "two\\nlines\\tand a tab"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("abc\u{202e}fdp.exe", "abc\\u{202e}fdp.exe"),
            ("\u{7}\u{8}\u{7f}", "\\u{7}\\u{8}\\u{7f}"),
        ] {
            assert_eq!(one_line(text), expected);
        }
    }

    #[test]
    fn running_text_keeps_its_lines() {
        assert_eq!(running("a\r\nb\rc\n\td\u{1b}c"), "a\nb\\rc\n\td\\u{1b}c");
    }

    #[test]
    fn json_reads_back_the_same() {
        let text = "\u{1b}[0m \u{9b}1m \u{202e} \u{e0041} 世界 \u{7f}";
        let escaped = json(serde_json::to_string(text).unwrap());
        assert!(escaped.chars().all(|letter| !is_unsafe(letter)));
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }
}
