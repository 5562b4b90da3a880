//! Translates a regular expression of a RunSpec to one of `grep -E`, which every place has.
//!
//! `grep` sees one line at a time. What could only match across lines, or needs tables of Unicode,
//! is refused, so that no expression means something else there than here.

use std::fmt::Write as _;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassBytes, Hir, HirKind, Look, Repetition};

/// The most repetitions that POSIX promises.
const MOST_REPEATED: u32 = 255;

/// The expression for `grep -E`, or why there is none.
pub fn translate(pattern: &str) -> Result<String, String> {
    let parsed = ParserBuilder::new()
        .multi_line(true)
        .unicode(false)
        .utf8(false)
        .build()
        .parse(pattern)
        .map_err(|_| "uses classes of Unicode characters".to_owned())?;
    let mut text = String::new();
    write(&mut text, &parsed)?;
    Ok(text)
}

fn write(text: &mut String, hir: &Hir) -> Result<(), String> {
    match hir.kind() {
        HirKind::Empty => text.push_str("()"),
        HirKind::Literal(literal) => write_literal(text, &literal.0)?,
        HirKind::Class(class) => write_class(text, class)?,
        HirKind::Look(look) => text.push_str(match look {
            Look::StartLF => "^",
            Look::EndLF => "$",
            Look::WordAscii => r"\b",
            Look::WordAsciiNegate => r"\B",
            _ => return Err("uses a position other than ^, $ and \\b".to_owned()),
        }),
        HirKind::Repetition(repetition) => write_repetition(text, repetition)?,
        HirKind::Capture(capture) => write_group(text, &capture.sub)?,
        HirKind::Concat(parts) => {
            for part in parts {
                match part.kind() {
                    HirKind::Alternation(_) => write_group(text, part)?,
                    _ => write(text, part)?,
                }
            }
        }
        HirKind::Alternation(parts) => {
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    text.push('|');
                }
                write(text, part)?;
            }
        }
    }
    Ok(())
}

fn write_group(text: &mut String, inner: &Hir) -> Result<(), String> {
    text.push('(');
    write(text, inner)?;
    text.push(')');
    Ok(())
}

fn write_literal(text: &mut String, bytes: &[u8]) -> Result<(), String> {
    let literal = std::str::from_utf8(bytes).map_err(|_| "has bytes that are no text")?;
    for character in literal.chars() {
        match character {
            '\n' | '\r' => return Err("matches a line break".to_owned()),
            '\0' => return Err("matches a NUL".to_owned()),
            '.' | '[' | ']' | '(' | ')' | '{' | '}' | '*' | '+' | '?' | '^' | '$' | '|' | '\\' => {
                text.push('\\');
                text.push(character);
            }
            _ => text.push(character),
        }
    }
    Ok(())
}

/// A class of bytes; line breaks never reach it, so whether they belong to it means nothing.
fn write_class(text: &mut String, class: &Class) -> Result<(), String> {
    let bytes = match class {
        Class::Bytes(bytes) => bytes.clone(),
        Class::Unicode(_) => class
            .to_byte_class()
            .ok_or("uses classes of Unicode characters")?,
    };
    let (mut inside, mut above) = ([false; 128], 0);
    for range in bytes.ranges() {
        for byte in range.start()..=range.end() {
            match inside.get_mut(usize::from(byte)) {
                Some(is_in) => *is_in = true,
                None => above += 1,
            }
        }
    }
    let is_negated = match above {
        0 => false,
        128 => true,
        _ => return Err("uses classes of bytes that are no text".to_owned()),
    };
    let listed: Vec<u8> = (1..128u8)
        .filter(|&byte| inside[usize::from(byte)] != is_negated && byte != b'\n')
        .collect();
    if listed.is_empty() {
        if is_negated {
            text.push('.');
            return Ok(());
        }
        return Err("matches nothing, or only a line break".to_owned());
    }
    write_brackets(text, is_negated, &listed);
    Ok(())
}

/// Between brackets, `]` stands first, `^` not first, and `-` last.
fn write_brackets(text: &mut String, is_negated: bool, listed: &[u8]) {
    if let ([only], false) = (listed, is_negated) {
        // A single `^` could not be written between brackets.
        if only.is_ascii_punctuation() {
            text.push('\\');
        }
        text.push(char::from(*only));
        return;
    }
    text.push('[');
    if is_negated {
        text.push('^');
    }
    if listed.contains(&b']') {
        text.push(']');
    }
    let plain: Vec<u8> = listed
        .iter()
        .copied()
        .filter(|byte| !b"]^-[".contains(byte))
        .collect();
    let mut at = 0;
    while at < plain.len() {
        let mut end = at;
        while end + 1 < plain.len() && plain[end + 1] == plain[end] + 1 {
            end += 1;
        }
        text.push(char::from(plain[at]));
        if end > at + 1 {
            text.push('-');
        }
        if end > at {
            text.push(char::from(plain[end]));
        }
        at = end + 1;
    }
    for last in [b'[', b'^', b'-'] {
        if listed.contains(&last) {
            text.push(char::from(last));
        }
    }
    text.push(']');
}

fn write_repetition(text: &mut String, repetition: &Repetition) -> Result<(), String> {
    let (min, max) = (repetition.min, repetition.max);
    if min.max(max.unwrap_or(0)) > MOST_REPEATED {
        return Err(format!("repeats something more than {MOST_REPEATED} times"));
    }
    match repetition.sub.kind() {
        HirKind::Class(_) | HirKind::Capture(_) => write(text, &repetition.sub)?,
        HirKind::Look(_) => return Err("repeats a position".to_owned()),
        _ => write_group(text, &repetition.sub)?,
    }
    match (min, max) {
        (0, None) => text.push('*'),
        (1, None) => text.push('+'),
        (0, Some(1)) => text.push('?'),
        (min, None) => {
            let _ = write!(text, "{{{min},}}");
        }
        (min, Some(max)) => {
            let _ = write!(text, "{{{min},{max}}}");
        }
    }
    Ok(())
}

/// Unicode classes that have only ASCII characters are classes of bytes too.
trait ToByteClass {
    fn to_byte_class(&self) -> Option<ClassBytes>;
}

impl ToByteClass for Class {
    fn to_byte_class(&self) -> Option<ClassBytes> {
        match self {
            Class::Bytes(bytes) => Some(bytes.clone()),
            Class::Unicode(unicode) => unicode.to_byte_class(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use proptest::prelude::*;

    use super::*;
    use crate::spec::expectation_pattern;

    fn grep_matches(expression: &str, text: &str) -> bool {
        let mut grep = Command::new("grep")
            .args(["-E", "-q", "-e", expression])
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It stops reading at the first match.
        let _ = grep.stdin.take().unwrap().write_all(text.as_bytes());
        grep.wait().unwrap().success()
    }

    #[test]
    fn what_cannot_be_said_in_grep_is_refused() {
        for (pattern, why) in [
            (r"a\nb", "matches a line break"),
            (r"\Aa", "uses a position other than ^, $ and \\b"),
            (r"\p{Greek}", "uses classes of Unicode characters"),
            ("a{300}", "repeats something more than 255 times"),
        ] {
            assert_eq!(translate(pattern), Err(why.to_owned()), "{pattern}");
        }
    }

    #[test]
    fn usual_expressions_mean_the_same_to_grep() {
        let text =
            "3 passed, 0 failed\nok: crate_a v1.2.3\n[x] done (100%)\nWarning: a^b-c]\ngrün\n";
        for pattern in [
            r"^\d+ passed",
            r"0 failed$",
            r"v\d+\.\d+\.\d+$",
            r"(?i)WARNING",
            r"^\[x\] .*\(100%\)$",
            r"a\^b-c\]$",
            r"[\^\]-]c",
            r"^(ok|error): \w+",
            r"gr.+n$",
            r"^$",
            r"passed|nothing",
            r"x{2}",
            r"[^a-z]failed",
            r"\bdone\b",
            r"(ab)?done",
            "nowhere",
        ] {
            let expected = expectation_pattern(pattern).unwrap().is_match(text);
            // The text ends with a line break, after which this side sees one more empty line.
            let expected = expected && pattern != "^$";
            let expression = translate(pattern).unwrap();
            assert_eq!(
                grep_matches(&expression, text),
                expected,
                "{pattern} -> {expression}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_expression_means_the_same_or_is_refused(
            pattern in r"(\^|\(|\)|[ab.]|[ab]\*|\[ab\]|\[\^a\]|\||\+|\?|a\{1,2\}|\$|\\d|\\\.|-|\]){1,8}",
            text in "[ab1.\\-\\]]{0,6}(\n[ab1.\\-\\]]{1,6}){0,2}",
        ) {
            if let Ok(regex) = expectation_pattern(&pattern)
                && let Ok(expression) = translate(&pattern)
            {
                let here = text.lines().any(|line| regex.is_match(line));
                prop_assert_eq!(grep_matches(&expression, &text), here, "{} -> {}", pattern, expression);
            }
        }
    }
}
