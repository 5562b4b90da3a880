//! JSON texts that every reader can read.

/// `json` without halves of characters, which only JavaScript knows. The engine writes characters as
/// they are and such halves as escapes, so that an escape of one always stands alone.
pub fn well_formed(json: String) -> String {
    if !json.contains("\\ud") {
        return json;
    }
    let mut sound = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        sound += before;
        let is_half = matches!(
            escape.as_bytes(),
            [_, b'u', b'd', b'8'..=b'9' | b'a'..=b'f', ..]
        );
        let length = if is_half { 6 } else { 2 };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        sound += if is_half { "\u{fffd}" } else { escape };
        rest = after;
    }
    sound + rest
}

#[cfg(test)]
mod tests {
    use super::well_formed;

    #[test]
    fn halves_of_characters_are_replaced() {
        let check = |json: &str, expected: &str| {
            assert_eq!(well_formed(json.to_owned()), expected);
        };
        check(r#""a\ud800b""#, "\"a\u{fffd}b\"");
        check(r#""\udfff\n\ud900""#, "\"\u{fffd}\\n\u{fffd}\"");
        check(r#""\\ud800""#, r#""\\ud800""#);
        check(r#""\ud7ff""#, r#""\ud7ff""#);
        check(r#""plain""#, r#""plain""#);
    }
}
