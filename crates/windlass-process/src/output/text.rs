//! Pure functions on text: escape sequences, overwritten lines, and character boundaries.

use std::borrow::Cow;

use super::{Ansi, Progress, ReadOptions};

const ESCAPE: u8 = 0x1b;

/// `text` without escape sequences. An unfinished one at the end is removed too.
pub fn strip_ansi(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let Some(first) = memchr::memchr(ESCAPE, bytes) else {
        return Cow::Borrowed(text);
    };
    let mut kept = String::with_capacity(text.len());
    kept.push_str(&text[..first]);
    let mut at = first;
    while at < bytes.len() {
        // Sequences begin and end with ASCII, so every cut is at a character boundary.
        at = match sequence_length(&bytes[at..]) {
            Some(length) => at + length,
            None => break,
        };
        let next = memchr::memchr(ESCAPE, &bytes[at..]).map_or(bytes.len(), |found| at + found);
        kept.push_str(&text[at..next]);
        at = next;
    }
    Cow::Owned(kept)
}

/// The length of the escape sequence at the start of `bytes`, or `None` if it is unfinished.
fn sequence_length(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'[' => control_sequence_length(bytes),
        b']' | b'P' | b'X' | b'^' | b'_' => string_sequence_length(bytes),
        0x20..=0x2f => {
            let last = bytes[1..]
                .iter()
                .position(|byte| !(0x20..=0x2f).contains(byte))?;
            Some(if bytes[1 + last].is_ascii_graphic() {
                last + 2
            } else {
                last + 1
            })
        }
        0x30..=0x7e => Some(2),
        // Not a sequence: only the escape character is removed.
        _ => Some(1),
    }
}

/// `ESC [`, parameters, and one final letter. Any other character ends it and is kept.
fn control_sequence_length(bytes: &[u8]) -> Option<usize> {
    let last = bytes[2..]
        .iter()
        .position(|byte| !(0x20..=0x3f).contains(byte))?
        + 2;
    Some(if (0x40..=0x7e).contains(&bytes[last]) {
        last + 1
    } else {
        last
    })
}

/// `ESC ]` and similar ones: any text up to BEL or `ESC \`.
fn string_sequence_length(bytes: &[u8]) -> Option<usize> {
    let end = memchr::memchr2(0x07, ESCAPE, &bytes[2..])? + 2;
    if bytes[end] == 0x07 {
        return Some(end + 1);
    }
    match bytes.get(end + 1)? {
        b'\\' => Some(end + 2),
        // Another sequence begins: this one is incomplete.
        _ => Some(end),
    }
}

/// Where an unfinished escape sequence at the end of `bytes` begins.
pub fn unfinished_sequence(bytes: &[u8]) -> Option<usize> {
    let start = memchr::memrchr(ESCAPE, bytes)?;
    if sequence_length(&bytes[start..]).is_none() {
        return Some(start);
    }
    None
}

/// The last state of a line that was overwritten with `\r`. Takes a line without its `\n`.
pub fn fold_line(line: &str) -> &str {
    let line = line.trim_end_matches('\r');
    match memchr::memrchr(b'\r', line.as_bytes()) {
        Some(at) => &line[at + 1..],
        None => line,
    }
}

/// Folds each line of `text`.
fn fold_lines(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => {
                folded.push_str(fold_line(line));
                folded.push('\n');
            }
            None => folded.push_str(fold_line(line)),
        }
    }
    folded
}

/// Text as requested by `options`, of any number of lines.
pub fn render(bytes: &[u8], options: &ReadOptions) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = match options.progress {
        Progress::Fold if memchr::memchr(b'\r', text.as_bytes()).is_some() => {
            Cow::Owned(fold_lines(&text))
        }
        _ => text,
    };
    match options.ansi {
        Ansi::Strip => strip_ansi(&text).into_owned(),
        Ansi::Keep => text.into_owned(),
    }
}

/// How many bytes at the end of `bytes` begin a character that is not complete yet.
pub fn incomplete_suffix(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        if is_continuation(byte) {
            continue;
        }
        let needed = match byte {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        // Bytes that can never become a character are not waited for.
        let hopeless = match std::str::from_utf8(&bytes[bytes.len() - back..]) {
            Ok(_) => true,
            Err(problem) => problem.error_len().is_some(),
        };
        return if back < needed && !hopeless { back } else { 0 };
    }
    0
}

/// Whether `byte` is inside a character and not its beginning.
pub fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// The last `max` bytes of `text`, or a little less, from a character boundary.
pub fn keep_end(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut start = text.len() - max;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// The first `max` bytes of `text`, or a little less, up to a character boundary.
pub fn keep_start(text: &str, max: usize) -> &str {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_removed() {
        let check = |text: &str, expected: &str| assert_eq!(strip_ansi(text), expected, "{text:?}");
        check("plain", "plain");
        check("", "");
        check("\x1b[31mred\x1b[0m", "red");
        check("\x1b[1;38;5;208mé\x1b[m!", "é!");
        check("a\x1b[2K\x1b[1Gb", "ab");
        check(
            "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\",
            "link",
        );
        check("\x1b]0;title\x07after", "after");
        check("\x1bPq\u{e9}data\x1b\\after", "after");
        check("\x1b(Bascii", "ascii");
        check("\x1b7saved\x1b8", "saved");
        check("\x1b\u{e9}", "\u{e9}");
        check("\x1b[31\u{e9}", "\u{e9}");
        check("\x1b]0;broken\x1b[31mred", "red");
        check("end\x1b[3", "end");
        check("end\x1b", "end");
        check("\x1b\x1b[0mx", "x");
    }

    #[test]
    fn an_unfinished_sequence_is_found() {
        let check =
            |text: &str, at| assert_eq!(unfinished_sequence(text.as_bytes()), at, "{text:?}");
        check("plain", None);
        check("\x1b[0m", None);
        check("ab\x1b[3", Some(2));
        check("ab\x1b", Some(2));
        check("ab\x1b]0;title", Some(2));
    }

    #[test]
    fn only_the_last_state_of_a_line_is_kept() {
        let check = |line: &str, expected: &str| assert_eq!(fold_line(line), expected, "{line:?}");
        check("plain", "plain");
        check("10%\r20%\r100%", "100%");
        check("windows\r", "windows");
        check("10%\r20%\r", "20%");
        check("\r\r", "");
        check("", "");
        assert_eq!(fold_lines("a\rb\r\nc\rd\n1\r2"), "b\nd\n2");
    }

    #[test]
    fn characters_are_not_split() {
        let check =
            |bytes: &[u8], expected| assert_eq!(incomplete_suffix(bytes), expected, "{bytes:?}");
        check(b"", 0);
        check(b"abc", 0);
        check("é".as_bytes(), 0);
        check(b"a\xc3", 1);
        check(b"\xe2\x82", 2);
        check(b"\xf0\x9f\x92", 3);
        check("💥".as_bytes(), 0);
        check(b"\x80\x80\x80\x80", 0);
        check(b"\xff", 0);
        check(b"\xc0", 0);
        // A surrogate and a character beyond the last one can never be completed.
        check(b"\xed\xa0", 0);
        check(b"\xf4\x90", 0);
    }

    #[test]
    fn cuts_are_at_character_boundaries() {
        assert_eq!(keep_end("aéb", 2), "b");
        assert_eq!(keep_end("aéb", 3), "éb");
        assert_eq!(keep_start("aéb", 2), "a");
        assert_eq!(keep_start("aéb", 3), "aé");
        assert_eq!(keep_start("aéb", 9), "aéb");
    }
}
