//! The query language of `search_query`: filters such as `type:task tag:auth` among free text.

use crate::{Date, Dialect, EntityType, Error, Priority, Result, TaskStatus};

/// Limits on the day when something happened. All limits that are present must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DateFilter {
    /// Strictly after this day.
    pub after: Option<Date>,
    /// Strictly before this day.
    pub before: Option<Date>,
    /// On exactly this day.
    pub on: Option<Date>,
}

impl DateFilter {
    fn add(&mut self, field: &str, value: &str) -> Result<()> {
        if let Some(day) = value.strip_prefix('>') {
            self.after = Some(Date::parse(field, day)?);
        } else if let Some(day) = value.strip_prefix('<') {
            self.before = Some(Date::parse(field, day)?);
        } else {
            self.on = Some(Date::parse(field, value)?);
        }
        Ok(())
    }
}

/// A parsed query. Several values of one filter are alternatives, except tags: an entity must have
/// all of them. Different filters must all match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchQuery {
    pub text: String,
    pub types: Vec<EntityType>,
    pub statuses: Vec<String>,
    pub priorities: Vec<Priority>,
    pub tags: Vec<String>,
    pub created: DateFilter,
    pub updated: DateFilter,
}

impl SearchQuery {
    /// Words of the form `key:value` are filters, and an unknown key is an error that names the known
    /// ones. All other words are text, also addresses, paths such as `std::fs` and quoted words. Quotes
    /// allow spaces in a value: `key:"two words"`.
    pub fn parse(given: &str) -> Result<Self> {
        let mut query = Self::default();
        let mut text: Vec<&str> = Vec::new();
        for word in words(given) {
            match word.split_once(':') {
                Some((key, value)) if !value.is_empty() => {
                    if !query.add_filter(key, unquote(value))? {
                        if looks_like_a_filter(key, value) {
                            return Err(unknown_filter(key, word));
                        }
                        text.push(word);
                    }
                }
                _ => text.push(word),
            }
        }
        query.text = text.join(" ");
        // A space at the end shows that the last word is complete and not still being typed.
        if !query.text.is_empty() && given.ends_with(char::is_whitespace) {
            query.text.push(' ');
        }
        Ok(query)
    }

    fn add_filter(&mut self, key: &str, value: &str) -> Result<bool> {
        match key {
            "type" => self.types.push(EntityType::parse(value)?),
            "status" => {
                check_status(value)?;
                self.statuses.push(value.to_owned());
            }
            "priority" => self
                .priorities
                .push(Priority::parse_any(value).ok_or_else(|| {
                    Error::invalid_enum("priority", value, Dialect::Knowledge.priorities())
                })?),
            "tag" => self.tags.push(value.to_owned()),
            "created" => self.created.add("created", value)?,
            "updated" => self.updated.add("updated", value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The keys of filters.
const FILTERS: &[&str] = &["type", "status", "priority", "tag", "created", "updated"];

/// Whether somebody meant a filter: not an address, a path of a program, or a time of day.
fn looks_like_a_filter(key: &str, value: &str) -> bool {
    key.len() > 1
        && key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        && !value.starts_with(['/', ':'])
}

fn unknown_filter(key: &str, word: &str) -> Error {
    let hint = match crate::nearest(key, FILTERS.iter().copied()) {
        Some(near) => format!("Did you mean \"{near}:\"?"),
        None => format!("Filters: {}.", FILTERS.join(", ")),
    };
    Error::validation("query", format!("there is no filter \"{key}\""))
        .with("known", FILTERS.to_vec())
        .with_hint(format!(
            "{hint} To search for the text, quote it: '\"{word}\"'."
        ))
}

/// Refuses a word that is not a status of any type: such a filter would never match.
fn check_status(word: &str) -> Result<()> {
    let mut known: Vec<&'static str> = EntityType::ALL
        .into_iter()
        .flat_map(|kind| kind.statuses(Dialect::Knowledge))
        .copied()
        .collect();
    known.dedup();
    if known.contains(&word) || TaskStatus::parse_any(word).is_some() {
        Ok(())
    } else {
        Err(Error::invalid_enum("status", word, &known))
    }
}

/// Splits at whitespace outside double quotes. A quote without a closing one is an ordinary
/// character.
fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = None;
    let mut quoted = false;
    for (at, letter) in text.char_indices() {
        if letter == '"' && (quoted || text[at + 1..].contains('"')) {
            quoted = !quoted;
        }
        if letter.is_whitespace() && !quoted {
            if let Some(from) = start.take() {
                out.push(&text[from..at]);
            }
        } else if start.is_none() {
            start = Some(at);
        }
    }
    if let Some(from) = start {
        out.push(&text[from..]);
    }
    out
}

fn unquote(value: &str) -> &str {
    value
        .strip_prefix('"')
        .and_then(|inner| inner.strip_suffix('"'))
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> SearchQuery {
        SearchQuery::parse(text).expect(text)
    }

    #[test]
    fn an_unknown_filter_is_an_error_and_other_text_is_not() {
        let error = SearchQuery::parse("colour:red").expect_err("unknown");
        assert!(error.message().contains("there is no filter \"colour\""));
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("type, status"))
        );
        let error = SearchQuery::parse("statuss:done").expect_err("unknown");
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("\"status:\""))
        );
        for text in [
            "https://example.org/a",
            "std::fs",
            "\"colour:red\"",
            "at 10:30",
            "E:x",
            "a:",
        ] {
            assert!(SearchQuery::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn filters_are_separated_from_text() {
        let query =
            parse("type:task login status:todo tag:auth tag:\"two words\" flow priority:high");
        assert_eq!(query.text, "login flow");
        assert_eq!(query.types, [EntityType::Task]);
        assert_eq!(query.statuses, ["todo"]);
        assert_eq!(query.tags, ["auth", "two words"]);
        assert_eq!(query.priorities, [Priority::High]);
    }

    #[test]
    fn date_filters_take_bounds_and_exact_days() {
        let query = parse("created:>2025-01-01 created:<2025-02-01 updated:2025-01-05");
        let day = |text| Some(Date::parse("", text).expect(text));
        assert_eq!(query.created.after, day("2025-01-01"));
        assert_eq!(query.created.before, day("2025-02-01"));
        assert_eq!(query.updated.on, day("2025-01-05"));
        assert!(SearchQuery::parse("created:>yesterday").is_err());
    }

    #[test]
    fn unusual_text_is_not_a_filter() {
        for text in [
            "C++",
            "foo\"bar",
            "a AND",
            "http://x.y:80/z",
            "std::fmt",
            "type:",
            ":",
            "🚀",
        ] {
            assert_eq!(parse(text).text, text);
        }
    }

    #[test]
    fn the_words_of_every_dialect_are_accepted() {
        let query = parse("status:completed status:pending priority:critical");
        assert_eq!(query.statuses, ["completed", "pending"]);
        assert_eq!(query.priorities, [Priority::Urgent]);
    }

    #[test]
    fn values_of_known_filters_are_checked() {
        for bad in ["type:bug", "status:open", "priority:asap"] {
            assert!(SearchQuery::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,60}") {
            let _ = SearchQuery::parse(&text);
        }
    }
}
