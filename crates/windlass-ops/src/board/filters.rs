//! Parses filter arguments into store filters. An unknown value is an error that lists the known
//! ones.

use windlass_core::workflow::TaskKind;
use windlass_core::{Date, Error, Result, TaskStatus};
use windlass_store::{Due, TaskOrder};

const DUE_WORDS: [&str; 6] = [
    "overdue",
    "today",
    "none",
    "before:YYYY-MM-DD",
    "after:YYYY-MM-DD",
    "YYYY-MM-DD",
];
const ORDERS: [(&str, TaskOrder); 4] = [
    ("queue", TaskOrder::Queue),
    ("number", TaskOrder::Number),
    ("updated", TaskOrder::Updated),
    ("due", TaskOrder::Due),
];

/// The statuses that a filter selects. A `!` before a status excludes it, from the listed ones or
/// from all.
pub fn statuses(words: &[String]) -> Result<Vec<TaskStatus>> {
    let mut wanted = Vec::new();
    let mut unwanted = Vec::new();
    for word in words {
        let (list, name) = match word.strip_prefix('!') {
            Some(name) => (&mut unwanted, name),
            None => (&mut wanted, word.as_str()),
        };
        let status = TaskStatus::parse_any(name)
            .ok_or_else(|| Error::invalid_enum("status", name, &TaskStatus::NAMES))?;
        list.push(status);
    }
    if wanted.is_empty() && !unwanted.is_empty() {
        wanted = TaskStatus::ALL.to_vec();
    }
    wanted.retain(|status| !unwanted.contains(status));
    if wanted.is_empty() && !words.is_empty() {
        return Err(
            Error::validation("status", format!("no task can be {}", words.join(" and ")))
                .with_hint("Use either statuses with ! or statuses without."),
        );
    }
    Ok(wanted)
}

pub fn kind(word: &str) -> Result<TaskKind> {
    TaskKind::parse(word).ok_or_else(|| Error::invalid_enum("kind", word, &TaskKind::NAMES))
}

pub fn due(words: &str) -> Result<Due> {
    let day = |text: &str| Date::parse("due", text);
    match words {
        "overdue" => Ok(Due::Overdue(Date::today())),
        "today" => Ok(Due::On(Date::today())),
        "none" => Ok(Due::Never),
        other => {
            if let Some(date) = other.strip_prefix("before:") {
                return day(date).map(Due::Before);
            }
            if let Some(date) = other.strip_prefix("after:") {
                return day(date).map(Due::After);
            }
            if other.starts_with(|letter: char| letter.is_ascii_digit()) {
                return day(other).map(Due::On);
            }
            Err(Error::invalid_enum("due", other, &DUE_WORDS))
        }
    }
}

pub fn order(word: &str) -> Result<TaskOrder> {
    let known = ORDERS.iter().find(|(name, _)| *name == word);
    known.map(|(_, order)| *order).ok_or_else(|| {
        let names: Vec<&str> = ORDERS.iter().map(|(name, _)| *name).collect();
        Error::invalid_enum("sort", word, &names)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Vec<TaskStatus>> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        statuses(&words)
    }

    #[test]
    fn statuses_and_their_negation() {
        use TaskStatus as S;
        assert_eq!(parsed(&[]), Ok(vec![]));
        assert_eq!(
            parsed(&["todo", "completed"]),
            Ok(vec![S::Pending, S::Done])
        );
        let open = parsed(&["!done"]).expect("valid");
        assert_eq!(open.len(), S::ALL.len() - 1);
        assert!(!open.contains(&S::Done));
        assert_eq!(
            parsed(&["todo", "done", "!completed"]),
            Ok(vec![S::Pending])
        );
        assert!(parsed(&["done", "!done"]).is_err());
        let error = parsed(&["!open"]).expect_err("unknown");
        assert!(error.hint().is_some_and(|hint| hint.contains("in_review")));
    }

    #[test]
    fn days() {
        let day = |text| Date::parse("due", text).expect(text);
        assert_eq!(due("none"), Ok(Due::Never));
        assert_eq!(due("2026-01-02"), Ok(Due::On(day("2026-01-02"))));
        assert_eq!(due("before:2026-01-02"), Ok(Due::Before(day("2026-01-02"))));
        assert_eq!(due("after:2026-01-02"), Ok(Due::After(day("2026-01-02"))));
        for wrong in ["soon", "before:soon", "2026-13-01", ""] {
            assert!(due(wrong).is_err(), "{wrong}");
        }
    }
}
