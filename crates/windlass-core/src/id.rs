//! Ids, and the three ways to refer to an entity: number, id and id prefix.

use std::fmt;

use serde::Serialize;

use crate::{Error, Result};

/// The shortest id prefix that is accepted.
pub const MIN_PREFIX: usize = 4;

/// A UUIDv4 in text form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct EntityId(String);

impl EntityId {
    pub fn random() -> Self {
        Self(uuid::Uuid::new_v4().to_string())
    }

    /// For text from the store or from a pack, which contain only complete ids.
    pub fn from_stored(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first eight digits, enough for a person to distinguish entities.
    pub fn short(&self) -> &str {
        self.0.get(..8).unwrap_or(&self.0)
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// How a caller referred to an entity. The store resolves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntityRef {
    /// `7` or `#7`.
    Number(i64),
    /// At least four hex digits of the id, up to all of them, with dashes in the same places as in
    /// the id.
    Prefix(String),
}

impl EntityRef {
    /// Digits are a number; anything else is an id prefix. Dashes and case do not matter.
    pub fn parse(field: &str, text: &str) -> Result<Self> {
        let text = text.trim();
        let digits = text.strip_prefix('#').unwrap_or(text);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            // A number greater than i64 cannot exist.
            return Ok(Self::Number(digits.parse().unwrap_or(i64::MAX)));
        }
        let hex: String = text
            .chars()
            .filter(|letter| *letter != '-')
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
        if !text.starts_with('#')
            && (MIN_PREFIX..=32).contains(&hex.len())
            && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            return Ok(Self::Prefix(with_dashes(&hex)));
        }
        // Text that cannot be an id is "not found", not invalid: the knowledge contract expects
        // "Entity not found" for `nonexistent-id`.
        if text.is_empty() {
            return Err(Error::validation(field, "an id is required")
                .with_hint("Give a number such as 7, or at least 4 hex digits of the id."));
        }
        if text.bytes().all(|byte| byte.is_ascii_hexdigit()) && text.len() < MIN_PREFIX {
            return Err(Error::validation(
                field,
                format!("\"{text}\" is too short for an id prefix"),
            )
            .with_hint("Give a number such as 7, or at least 4 hex digits of the id."));
        }
        Err(Error::entity_not_found(text))
    }
}

/// Inserts the dashes of a UUID into a string of hex digits.
fn with_dashes(hex: &str) -> String {
    let mut out = String::with_capacity(36);
    for (at, digit) in hex.chars().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            out.push('-');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn numbers_and_id_prefixes_are_accepted() {
        let prefix = |text: &str| EntityRef::Prefix(text.into());
        for (given, expected) in [
            ("7", EntityRef::Number(7)),
            ("#7", EntityRef::Number(7)),
            (" 12 ", EntityRef::Number(12)),
            ("99999999999999999999999", EntityRef::Number(i64::MAX)),
            ("a1b2", prefix("a1b2")),
            ("A1B2", prefix("a1b2")),
            ("a1b2c3d4e5", prefix("a1b2c3d4-e5")),
            ("a1b2c3d4-e5", prefix("a1b2c3d4-e5")),
        ] {
            assert_eq!(EntityRef::parse("id", given), Ok(expected), "{given}");
        }
        let whole = EntityId::random();
        assert_eq!(
            EntityRef::parse("id", whole.as_str()),
            Ok(prefix(whole.as_str()))
        );
    }

    #[test]
    fn other_forms_are_refused() {
        for (given, kind) in [
            ("", ErrorKind::ValidationFailed),
            ("abc", ErrorKind::ValidationFailed),
            ("nonexistent-id", ErrorKind::EntityNotFound),
            ("#abcd", ErrorKind::EntityNotFound),
            (
                "a1b2c3d4e5f60718293a4b5c6d7e8f901",
                ErrorKind::EntityNotFound,
            ),
        ] {
            assert_eq!(
                EntityRef::parse("id", given).unwrap_err().kind(),
                kind,
                "{given}"
            );
        }
    }
}
