//! Learnings of the project are lines of a journal, which are only added. So what is said about one
//! is a line too, which people can read in `learnings.txt`:
//!
//! ```text
//! Confirmed (ada): The tests need PostgreSQL 16
//! No longer true (ada): The tests need PostgreSQL 16
//! No longer true (ada): The tests need PostgreSQL 16. Instead: The tests need PostgreSQL 17
//! ```

use windlass_core::{Timestamp, Truth};

const CONFIRMED: &str = "Confirmed (";
const RETIRED: &str = "No longer true (";
const CLOSE: &str = "): ";
const INSTEAD: &str = ". Instead: ";

/// The line that confirms a learning.
pub fn confirmation(by: &str, text: &str) -> String {
    format!("{CONFIRMED}{}{CLOSE}{text}", plain(by))
}

/// The line that retires a learning.
pub fn retirement(by: &str, text: &str, instead: Option<&str>) -> String {
    let instead = instead.map_or(String::new(), |it| format!("{INSTEAD}{it}"));
    format!("{RETIRED}{}{CLOSE}{text}{instead}", plain(by))
}

/// A name must not end the mark early.
fn plain(name: &str) -> String {
    name.replace(['(', ')', '\n'], "")
}

/// A learning of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectLearning {
    pub at: Timestamp,
    pub text: String,
    pub truth: Truth,
}

/// The learnings among the lines of the journal, in order, with what later lines say about each. The
/// same text again confirms it.
pub fn learnings(lines: impl IntoIterator<Item = (Timestamp, String)>) -> Vec<ProjectLearning> {
    let mut found: Vec<ProjectLearning> = Vec::new();
    for (at, line) in lines {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some((by, text)) = mark(line, CONFIRMED) {
            if let Some(learning) = found.iter_mut().find(|it| it.text == text) {
                learning.truth = Truth {
                    confirmed_at: Some(at),
                    confirmed_by: Some(by.to_owned()),
                    ..Truth::default()
                };
                continue;
            }
        } else if let Some((by, rest)) = mark(line, RETIRED) {
            let retired = found.iter_mut().find_map(|it| {
                let instead = rest.strip_prefix(it.text.as_str())?;
                let instead = match instead.strip_prefix(INSTEAD) {
                    Some(instead) => Some(instead.to_owned()),
                    None if instead.is_empty() => None,
                    None => return None,
                };
                Some((it, instead))
            });
            if let Some((learning, instead)) = retired {
                learning.truth.retired_at = Some(at);
                learning.truth.retired_by = Some(by.to_owned());
                learning.truth.replaced_by = instead;
                continue;
            }
        } else if let Some(known) = found.iter_mut().find(|it| it.text == line) {
            known.truth = Truth {
                confirmed_at: Some(at),
                ..Truth::default()
            };
            continue;
        }
        found.push(ProjectLearning {
            at,
            text: line.to_owned(),
            truth: Truth::default(),
        });
    }
    found
}

/// Who says it, and about what.
fn mark<'l>(line: &'l str, kind: &str) -> Option<(&'l str, &'l str)> {
    line.strip_prefix(kind)?.split_once(CLOSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_lines_say_what_still_holds() {
        let old = "The tests need PostgreSQL 16";
        let new = "The tests need PostgreSQL 17";
        let lines = [
            old.to_owned(),
            "Builds are slow. Instead: wait".to_owned(),
            confirmation("ada (home)", old),
            retirement("bob", old, Some(new)),
            new.to_owned(),
            retirement("bob", "Nobody ever said this", None),
            retirement("bob", "Builds are slow. Instead: wait", None),
        ];
        let at = |second: usize| Timestamp::from_millis(i64::try_from(second).unwrap_or(0) * 1000);
        let found = learnings(lines.into_iter().enumerate().map(|(at_, it)| (at(at_), it)));
        let texts: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(
            texts.len(),
            4,
            "what is about nothing is a line of its own: {texts:?}"
        );
        assert_eq!(found[0].truth.confirmed_by.as_deref(), Some("ada home"));
        assert_eq!(found[0].truth.replaced_by.as_deref(), Some(new));
        assert!(found[1].truth.is_retired());
        assert!(!found[2].truth.is_retired());
    }
}
