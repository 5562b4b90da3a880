//! What CMake computes from literal texts: `string(…)` and `get_filename_component(…)`.

use regex::RegexBuilder;

/// Longer values are not followed.
pub const MAX_VALUE: usize = 100_000;
/// The same for a pattern, for what replaces it, and for the text that it is looked for in.
const MAX_PATTERN: usize = 200;
const MAX_SEARCHED: usize = 1_000;
const MAX_PATTERN_BYTES: usize = 256 << 10;

/// The variable that a call sets and its value, which is `None` if it cannot be known. `None` if the
/// call sets none. `expand` replaces variables; `known` is the value of one.
pub fn computed<'w>(
    call: &str,
    words: &'w [String],
    expand: impl Fn(&str) -> Option<String>,
    known: impl Fn(&str) -> Option<String>,
) -> Option<(&'w str, Option<String>)> {
    let joined = |inputs: &[&str], glue: &str| {
        let mut text = String::new();
        for (place, input) in inputs.iter().enumerate() {
            if place > 0 {
                text.push_str(glue);
            }
            text.push_str(&expand(input)?);
            if text.len() > MAX_VALUE {
                return None;
            }
        }
        Some(text)
    };
    let words: Vec<&'w str> = words.iter().map(String::as_str).collect();
    Some(match (call, words.as_slice()) {
        ("string", ["REPLACE", from, to, name, inputs @ ..]) => {
            let input = joined(inputs, "");
            let changed = || replaced(&input?, &expand(from)?, &expand(to)?);
            (*name, changed())
        }
        ("string", ["REGEX", "REPLACE", pattern, to, name, inputs @ ..]) => {
            let input = joined(inputs, "");
            (
                *name,
                input.and_then(|input| substituted(&input, pattern, to)),
            )
        }
        ("string", ["TOLOWER", input, name]) => {
            (*name, expand(input).map(|text| text.to_ascii_lowercase()))
        }
        ("string", ["TOUPPER", input, name]) => {
            (*name, expand(input).map(|text| text.to_ascii_uppercase()))
        }
        ("string", ["STRIP", input, name]) => {
            (*name, expand(input).map(|text| text.trim().to_owned()))
        }
        ("string", ["MAKE_C_IDENTIFIER", input, name]) => {
            (*name, expand(input).map(|text| identifier(&text)))
        }
        ("string", ["CONCAT", name, inputs @ ..]) => (*name, joined(inputs, "")),
        ("string", ["JOIN", glue, name, inputs @ ..]) => {
            (*name, expand(glue).and_then(|glue| joined(inputs, &glue)))
        }
        ("string", ["APPEND", name, inputs @ ..]) => {
            let more = joined(inputs, "");
            (*name, more.and_then(|more| Some(known(name)? + &more)))
        }
        ("get_filename_component", [name, path, mode, ..]) => {
            (*name, expand(path).and_then(|path| part_of(&path, mode)))
        }
        _ => return None,
    })
}

fn replaced(input: &str, from: &str, to: &str) -> Option<String> {
    let added = input.matches(from).count().checked_mul(to.len())?;
    (!from.is_empty() && added <= MAX_VALUE).then(|| input.replace(from, to))
}

fn substituted(input: &str, pattern: &str, to: &str) -> Option<String> {
    // As CMake reads a quoted argument: a backslash is written twice.
    let pattern = pattern.replace("\\\\", "\\");
    if pattern.len() > MAX_PATTERN || to.len() > MAX_PATTERN || input.len() > MAX_SEARCHED {
        return None;
    }
    // A variable that is not known.
    if pattern.contains("${") {
        return None;
    }
    let built = RegexBuilder::new(&pattern)
        .size_limit(MAX_PATTERN_BYTES)
        .build();
    let to = to.replace('$', "$$");
    let groups = (0..10).fold(to, |to, group| {
        to.replace(&format!("\\\\{group}"), &format!("${{{group}}}"))
    });
    let changed = built.ok()?.replace_all(input, groups.as_str()).into_owned();
    (changed.len() <= MAX_VALUE).then_some(changed)
}

fn identifier(text: &str) -> String {
    let is_valid = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let valid: String = text
        .chars()
        .map(|letter| if is_valid(letter) { letter } else { '_' })
        .collect();
    if valid.starts_with(|letter: char| letter.is_ascii_digit()) {
        return format!("_{valid}");
    }
    valid
}

fn part_of(path: &str, mode: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let part = match mode {
        "NAME" => name,
        "NAME_WE" => name.split_once('.').map_or(name, |(stem, _)| stem),
        "NAME_WLE" => name.rsplit_once('.').map_or(name, |(stem, _)| stem),
        "EXT" => name.find('.').map_or("", |at| &name[at..]),
        "LAST_EXT" => name.rfind('.').map_or("", |at| &name[at..]),
        "DIRECTORY" | "PATH" => folder,
        _ => return None,
    };
    Some(part.to_owned())
}
