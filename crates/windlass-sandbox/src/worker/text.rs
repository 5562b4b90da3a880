//! Makes JSON texts valid for every parser.

/// Replaces lone surrogates, which only JavaScript allows. The engine writes characters unescaped
/// and lone surrogates as escapes, so a surrogate escape is always a lone one.
pub fn well_formed(json: String) -> String {
    if !json.contains("\\ud") {
        return json;
    }
    let mut sound = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        sound += before;
        let is_surrogate = matches!(
            escape.as_bytes(),
            [_, b'u', b'd', b'8'..=b'9' | b'a'..=b'f', ..]
        );
        let length = if is_surrogate { 6 } else { 2 };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        sound += if is_surrogate { "\u{fffd}" } else { escape };
        rest = after;
    }
    sound + rest
}

#[cfg(test)]
mod tests {
    use super::well_formed;

    #[test]
    fn lone_surrogates_are_replaced() {
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
