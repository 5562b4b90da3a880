//! Reads the calls of a CMake file.

/// A call, with its name in lower case.
pub struct Call {
    pub name: String,
    pub words: Vec<String>,
    /// Where it begins and ends in the text.
    pub start: usize,
    pub end: usize,
    /// Whether its parenthesis is missing.
    pub is_open: bool,
}

/// Every call, in the order of the text.
pub fn calls(text: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut position = 0;
    while position < text.len() {
        let rest = &text[position..];
        if rest.starts_with('#') {
            position += comment_end(rest);
            continue;
        }
        if rest.starts_with('"') {
            position += string_end(rest);
            continue;
        }
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        if end == 0 {
            position += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let after = rest[end..].trim_start_matches([' ', '\t']);
        if let Some(inner) = after.strip_prefix('(') {
            let (words, length) = words(inner);
            // Words of a call are no calls themselves.
            let start = position;
            position += rest.len() - inner.len() + length;
            calls.push(Call {
                name: rest[..end].to_ascii_lowercase(),
                is_open: words.is_none(),
                words: words.unwrap_or_default(),
                start,
                end: position,
            });
        } else {
            position += end;
        }
    }
    calls
}

fn comment_end(text: &str) -> usize {
    if text.starts_with("#[[") {
        return text.find("]]").map_or(text.len(), |end| end + 2);
    }
    text.find('\n').map_or(text.len(), |end| end + 1)
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The words up to the closing parenthesis; none if it is missing.
fn words(text: &str) -> (Option<Vec<String>>, usize) {
    let (mut words, mut word, mut depth, mut at) = (Vec::new(), String::new(), 1_usize, 0);
    // A quoted word may be empty.
    let mut is_quoted = false;
    while let Some(letter) = text[at..].chars().next() {
        let mut length = letter.len_utf8();
        match letter {
            '"' => {
                length = string_end(&text[at..]);
                is_quoted = true;
                word.push_str(text[at + 1..at + length].trim_end_matches('"'));
            }
            '#' => length = comment_end(&text[at..]),
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if letter.is_whitespace() => {}
            _ => word.push(letter),
        }
        at += length;
        if (letter.is_whitespace() || depth == 0) && (is_quoted || !word.is_empty()) {
            words.push(std::mem::take(&mut word));
            is_quoted = false;
        }
        if depth == 0 {
            return (Some(words), at);
        }
    }
    (None, text.len())
}
