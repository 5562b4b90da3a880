//! Records in JSON, with the line on which each begins: one array, several arrays one after another, a
//! record on each line, or an object that holds the array.

use serde_json::Value as Json;

/// A record and the line on which it begins, or why it cannot be read.
pub type Record = (usize, Result<Json, String>);

/// All records of a text.
pub fn records(bytes: &[u8]) -> Vec<Record> {
    if let Some(records) = lines(bytes) {
        return records;
    }
    let mut found = Vec::new();
    let mut scanner = Scanner::new(bytes);
    while let Some(first) = scanner.next_value_begin() {
        if first == b'[' {
            scanner.step();
            while let Some((line, part)) = scanner.element() {
                found.push(parsed(line, part));
            }
        } else {
            let (line, part) = scanner.value();
            found.push(parsed(line, part));
        }
    }
    // An answer of a search has its records in a list.
    if let [(_, Ok(Json::Object(only)))] = found.as_slice()
        && let Some(Json::Array(items)) = only.get("items").or_else(|| only.get("issues"))
    {
        return items.iter().map(|item| (1, Ok(item.clone()))).collect();
    }
    found
}

/// A record on each line, if the first line is one: a line that is broken then hides no other.
fn lines(bytes: &[u8]) -> Option<Vec<Record>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
    let mut lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    let (number, first) = lines.next()?;
    let first = parsed(number, first);
    if !matches!(&first, (_, Ok(Json::Object(_)))) {
        return None;
    }
    let rest = lines.map(|(number, line)| parsed(number, line));
    let records: Vec<Record> = std::iter::once(first).chain(rest).collect();
    (records.len() > 1).then_some(records)
}

fn parsed(line: usize, part: &[u8]) -> Record {
    let value = serde_json::from_slice(part).map_err(|problem| {
        let at = line + problem.line().saturating_sub(1);
        let text = problem.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        format!("line {at} is not valid JSON: {text}")
    });
    (line, value)
}

/// Finds where values begin and end, without judging them.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Scanner<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        Self { bytes, at, line: 1 }
    }

    fn step(&mut self) {
        if self.bytes.get(self.at) == Some(&b'\n') {
            self.line += 1;
        }
        self.at += 1;
    }

    fn next_value_begin(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            if !byte.is_ascii_whitespace() && byte != b',' {
                return Some(byte);
            }
            self.step();
        }
        None
    }

    /// The next element of the array that the scanner is in; none at its end, which is passed.
    fn element(&mut self) -> Option<(usize, &'a [u8])> {
        if self.next_value_begin()? == b']' {
            self.step();
            return None;
        }
        Some(self.value())
    }

    /// The value that begins here. A text that does not end takes the rest of its line, so that the
    /// records behind it are still found.
    fn value(&mut self) -> (usize, &'a [u8]) {
        let (line, begin) = (self.line, self.at);
        let mut depth = 0usize;
        let mut in_text = false;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            match byte {
                b'\\' if in_text => self.step(),
                // JSON has no line breaks in texts: this one was not closed.
                b'\n' if in_text => break,
                b'"' => in_text = !in_text,
                _ if in_text => {}
                b'[' | b'{' => depth += 1,
                b']' | b'}' if depth == 0 => break,
                b']' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        self.step();
                        break;
                    }
                }
                b',' | b'\n' if depth == 0 => break,
                _ => {}
            }
            self.step();
        }
        let end = self.at.min(self.bytes.len());
        if end == begin {
            // A closing bracket that nothing opened.
            self.step();
        }
        (
            line,
            &self.bytes[begin..end.max(begin + 1).min(self.bytes.len())],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, expected: &[(usize, Option<Json>)]) {
        let found: Vec<(usize, Option<Json>)> = records(text.as_bytes())
            .into_iter()
            .map(|(line, value)| (line, value.ok()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn records_are_found_with_their_lines() {
        check(
            "[1,\n {\"a\": \"]\\\"\"}]\n[3]",
            &[
                (1, Some(json!(1))),
                (2, Some(json!({"a": "]\""}))),
                (3, Some(json!(3))),
            ],
        );
        check(
            "{\n\"a\":1}\n{\"b\":\n2}\n",
            &[(1, Some(json!({"a": 1}))), (3, Some(json!({"b": 2})))],
        );
        check("", &[]);
        check("[]", &[]);
        check("{\"items\": [{\"a\": 1}]}", &[(1, Some(json!({"a": 1})))]);
    }

    #[test]
    fn a_broken_record_does_not_hide_the_next() {
        check(
            "{\"a\": 1}\n{\"b\": \n{\"c\": 3}\n",
            &[
                (1, Some(json!({"a": 1}))),
                (2, None),
                (3, Some(json!({"c": 3}))),
            ],
        );
        check(
            "[1, \"a\n,2]",
            &[(1, Some(json!(1))), (1, None), (2, Some(json!(2)))],
        );
        check(
            "]}\n{\"c\": 3}",
            &[(1, None), (1, None), (2, Some(json!({"c": 3})))],
        );
    }

    #[test]
    fn nothing_makes_it_panic_or_loop() {
        let alphabet = b"[]{}\",:\\1 \nx";
        let mut seed = 7u32;
        for _ in 0..20_000 {
            let mut text = Vec::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                text.push(alphabet[(seed >> 16) as usize % alphabet.len()]);
            }
            let _ = records(&text);
        }
    }
}
