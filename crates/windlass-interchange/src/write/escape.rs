//! Texts of users in Markdown, YAML and Mermaid: they stay text, whatever they hold.

use std::fmt::Write as _;

/// One line of Markdown: what would be syntax is escaped.
pub fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for letter in crate::text::one_line(text).chars() {
        if r"\`*_[]<>|#!~$&{}".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    // A line that would begin a list, a rule or a quote.
    let first = out.chars().next();
    if first.is_some_and(|it| "-+=".contains(it)) {
        out.insert(0, '\\');
    }
    let digits = out
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(0);
    if digits > 0 && out[digits..].starts_with(['.', ')']) {
        out.insert(digits, '\\');
    }
    out
}

/// A longer text as a quotation: whatever it opens (code, comments, lists) ends with the quotation.
pub fn quotation(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.trim_end().split('\n') {
        let line: String = line
            .chars()
            .filter(|letter| *letter == '\t' || !letter.is_control())
            .collect();
        let line = line.trim_end();
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// A value of YAML: a text in double quotes, or a list of such.
pub fn yaml(value: &serde_json::Value) -> String {
    let json = value.to_string();
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        // JSON leaves these as they are, and YAML does not take them or breaks lines at them.
        let special = matches!(
            u32::from(letter),
            0x7f..=0x9f | 0x2028 | 0x2029 | 0xfeff | 0xfffe | 0xffff
        );
        if special {
            let _ = write!(out, "\\u{:04x}", u32::from(letter));
        } else {
            out.push(letter);
        }
    }
    out
}

/// A label of Mermaid, in quotes: anything but plain letters becomes a character code.
pub fn label(text: &str) -> String {
    let mut out = String::new();
    for letter in crate::text::shortened(&crate::text::one_line(text), 60).chars() {
        if letter.is_alphanumeric() || " .,-_/()+:".contains(letter) || letter == '…' {
            out.push(letter);
        } else {
            let _ = write!(out, "#{};", u32::from(letter));
        }
    }
    out
}

/// A short name for files: small letters, digits and dashes.
pub fn slug(title: &str) -> String {
    let mut out = String::new();
    for letter in title.chars() {
        if letter.is_ascii_alphanumeric() {
            out.push(letter.to_ascii_lowercase());
        } else if !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
        if out.len() >= 50 {
            break;
        }
    }
    out.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_stay_texts() {
        assert_eq!(inline("a|b\n# c"), "a\\|b \\# c");
        assert_eq!(inline("- x"), "\\- x");
        assert_eq!(inline("12. x"), "12\\. x");
        assert_eq!(inline("<!-- x"), "\\<\\!-- x");
        assert_eq!(
            quotation("a\n```\n\nb\u{1b}[2J\r\n"),
            "> a\n> ```\n>\n> b[2J\n"
        );
        assert_eq!(
            yaml(&json!("a\n---\n\"\u{85}")),
            "\"a\\n---\\n\\\"\\u0085\""
        );
        assert_eq!(label("a\"]; b"), "a#34;#93;#59; b");
        assert_eq!(slug("../Über: das \"Ende\"/"), "ber-das-ende");
        assert_eq!(slug("日本"), "");
    }
}
