//! Which branches of a condition this system takes. Only what the system alone decides is known:
//! every other branch counts, because an option may take it.

use super::cmake_calls::Call;

/// What is true on this system, and what only elsewhere.
const SYSTEMS: [(&str, bool); 14] = [
    ("UNIX", cfg!(unix)),
    ("LINUX", cfg!(target_os = "linux")),
    ("APPLE", cfg!(target_os = "macos")),
    ("WIN32", cfg!(windows)),
    ("MSVC", cfg!(windows)),
    ("MINGW", false),
    ("CYGWIN", false),
    ("MSYS", false),
    ("ANDROID", false),
    ("IOS", false),
    ("EMSCRIPTEN", false),
    ("TRUE", true),
    ("FALSE", false),
    ("BSD", false),
];

const SYSTEM_NAME: &str = if cfg!(target_os = "macos") {
    "Darwin"
} else if cfg!(windows) {
    "Windows"
} else {
    "Linux"
};

/// Tests with one operand, whose results are not known.
const UNARY: [&str; 9] = [
    "COMMAND",
    "POLICY",
    "TARGET",
    "TEST",
    "DEFINED",
    "EXISTS",
    "IS_DIRECTORY",
    "IS_SYMLINK",
    "IS_ABSOLUTE",
];

/// Whether the condition of an `if` holds; `None` if that is not known. `text` is the call.
pub fn holds(call: &Call, text: &str) -> Option<bool> {
    // Words have lost their parentheses.
    if text.matches('(').count() > 1 {
        return None;
    }
    let words: Vec<&str> = call.words.iter().map(String::as_str).collect();
    let (mut value, mut rest) = operand(&words);
    while let [joined, others @ ..] = rest {
        let (next, after) = operand(others);
        // From left to right: neither is stronger.
        value = match *joined {
            "AND" => both(value, next),
            "OR" => both(value.map(not), next.map(not)).map(not),
            _ => return None,
        };
        rest = after;
    }
    value
}

const fn not(value: bool) -> bool {
    !value
}

const fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// One test, and the words after it.
fn operand<'w, 'a>(words: &'w [&'a str]) -> (Option<bool>, &'w [&'a str]) {
    match words {
        ["NOT", rest @ ..] => {
            let (value, rest) = operand(rest);
            (value.map(not), rest)
        }
        [test, _, rest @ ..] if UNARY.contains(test) => (None, rest),
        [word, next, ..] if ["AND", "OR"].contains(next) => (known(word), &words[1..]),
        [one, test, other, rest @ ..] => (compared(one, test, other), rest),
        [word] => (known(word), &[]),
        _ => (None, &[]),
    }
}

fn known(word: &str) -> Option<bool> {
    let system = SYSTEMS.iter().find(|(name, _)| *name == word);
    system.map(|(_, value)| *value)
}

fn compared(one: &str, test: &str, other: &str) -> Option<bool> {
    if !["CMAKE_SYSTEM_NAME", "${CMAKE_SYSTEM_NAME}"].contains(&one) {
        return None;
    }
    let is_plain = |letter: char| letter.is_ascii_alphanumeric();
    match test {
        "STREQUAL" if other.chars().all(is_plain) => Some(other == SYSTEM_NAME),
        "MATCHES"
            if other
                .chars()
                .all(|letter| is_plain(letter) || letter == '|') =>
        {
            Some(other.split('|').any(|name| SYSTEM_NAME.contains(name)))
        }
        _ => None,
    }
}
