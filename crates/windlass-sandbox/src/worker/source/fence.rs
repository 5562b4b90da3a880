//! Removes the Markdown fence around a block of code.

/// Returns `source` with its fence blanked, if it has one.
pub fn without_fence(source: &str) -> String {
    fenced(source).unwrap_or_else(|| source.to_owned())
}

fn fenced(source: &str) -> Option<String> {
    let start = source.len() - source.trim_start().len();
    let opening = source[start..].lines().next()?;
    let marks = opening.len() - opening.trim_start_matches('`').len();
    // The text after the marks is a language name; otherwise the marks begin a template literal.
    if marks < 3 || !opening[marks..].trim().chars().all(char::is_alphanumeric) {
        return None;
    }
    let end = source.trim_end().len();
    let body_start = start + opening.len();
    let closing_start = source[..end].rfind('\n').map_or(end, |newline| newline + 1);
    let closing = source[closing_start..end].trim();
    if closing_start <= body_start || closing.len() < marks || !closing.trim_matches('`').is_empty()
    {
        return None;
    }
    Some(format!(
        "{}{}{}",
        &source[..start],
        " ".repeat(opening.len()),
        &source[body_start..closing_start]
    ))
}
