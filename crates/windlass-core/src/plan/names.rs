//! Names and acronyms of features and disciplines.

use crate::{Error, Result};

const MAX_NAME_CHARS: usize = 100;
const ACRONYM_LENGTH: usize = 4;

/// One word of letters, digits, `-`, `_` and `.`, so that it is valid in a URI and on a command
/// line.
pub(crate) fn check_name(field: &str, given: &str) -> Result<String> {
    let name = given.trim();
    let fits = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    let starts_well = name.chars().next().is_some_and(char::is_alphanumeric);
    let problem = match name.chars().count() {
        0 => "is required".to_owned(),
        count if count > MAX_NAME_CHARS => {
            format!("has {count} characters; at most {MAX_NAME_CHARS} are allowed")
        }
        _ if starts_well && name.chars().all(fits) => return Ok(name.to_owned()),
        _ => format!("\"{given}\" may only contain letters, digits, \"-\", \"_\" and \".\""),
    };
    let error = Error::validation(field, problem).with("value", given);
    Err(match suggestion(given) {
        Some(better) => error.with_hint(format!(
            "Use \"{better}\", and put the readable name into display_name."
        )),
        None => error,
    })
}

fn suggestion(given: &str) -> Option<String> {
    let words: Vec<String> = given
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name: String = words.join("-").chars().take(MAX_NAME_CHARS).collect();
    (!name.is_empty()).then_some(name)
}

/// Exactly four of A–Z and 0–9.
pub(crate) fn check_acronym(field: &str, given: &str) -> Result<String> {
    let fits = given.len() == ACRONYM_LENGTH
        && given
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if fits {
        return Ok(given.to_owned());
    }
    Err(Error::validation(
        field,
        format!("\"{given}\" must be exactly 4 of the characters A-Z and 0-9"),
    )
    .with("value", given)
    .with_hint("For example AUTH or API2; omit it to have one generated."))
}

/// A free acronym for a name: the beginning of the name, with a number at the end if that is taken.
pub fn derive_acronym(name: &str, is_taken: impl Fn(&str) -> bool) -> Option<String> {
    let mut letters: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_uppercase())
        .take(ACRONYM_LENGTH)
        .collect();
    while letters.len() < ACRONYM_LENGTH {
        letters.push('X');
    }
    if !is_taken(&letters) {
        return Some(letters);
    }
    (2..1_000)
        .map(|number| {
            let digits = number.to_string();
            format!("{}{digits}", &letters[..ACRONYM_LENGTH - digits.len()])
        })
        .find(|candidate| !is_taken(candidate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_word() {
        for good in ["auth", "user-profile", "v2.api", "über_uns", "a"] {
            assert_eq!(check_name("name", good), Ok(good.to_owned()));
        }
        for bad in ["", "  ", "a b", "a/b", "-a", "a\nb", "..", &"a".repeat(101)] {
            assert!(check_name("name", bad).is_err(), "{bad:?}");
        }
        let error = check_name("name", "User Profile!").unwrap_err();
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("\"user-profile\""))
        );
        assert_eq!(error.data()["value"], "User Profile!");
    }

    #[test]
    fn acronyms_have_four_capitals_or_digits() {
        for good in ["AUTH", "API2", "1234"] {
            assert!(check_acronym("acronym", good).is_ok());
        }
        for bad in ["", "AUT", "AUTHS", "auth", "AÜTH", "AU H"] {
            assert!(check_acronym("acronym", bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn derived_acronyms_are_not_taken() {
        assert_eq!(
            derive_acronym("authentication", |_| false).as_deref(),
            Some("AUTH")
        );
        assert_eq!(derive_acronym("ui", |_| false).as_deref(), Some("UIXX"));
        let taken = ["AUTH", "AUT2"];
        let next = derive_acronym("auth-tokens", |one| taken.contains(&one));
        assert_eq!(next.as_deref(), Some("AUT3"));
        assert_eq!(derive_acronym("auth", |one| one.len() == 4), None);
    }
}
