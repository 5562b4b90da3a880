//! What was learnt about a feature: kept once, counted when it comes again, and bounded.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result, Timestamp};

pub const MAX_LEARNINGS: usize = 50;
pub const MAX_LEARNING_CHARS: usize = 500;

/// Texts that share more of their words than this say the same.
const SAME: f64 = 0.7;

const NEGATIONS: &[&str] = &[
    "not", "never", "don't", "dont", "doesn't", "doesnt", "cannot", "can't", "cant", "without",
    "avoid", "no",
];

/// Who found it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearningSource {
    Auto,
    Agent,
    Human,
}

impl LearningSource {
    pub const NAMES: [&'static str; 3] = ["auto", "agent", "human"];

    pub fn parse(field: &str, given: &str) -> Result<Self> {
        match given {
            "auto" => Ok(Self::Auto),
            "agent" => Ok(Self::Agent),
            "human" => Ok(Self::Human),
            _ => Err(Error::invalid_enum(field, given, &Self::NAMES)),
        }
    }

    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// One thing that was learnt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learning {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub source: LearningSource,
    /// The number of the task that it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<i64>,
    /// How often it was learnt.
    pub hit_count: u32,
    pub created_at: Timestamp,
}

impl Learning {
    pub fn new(text: &str, source: LearningSource) -> Result<Self> {
        Ok(Self {
            text: check_text("text", text)?,
            reason: None,
            source,
            task_id: None,
            hit_count: 1,
            created_at: Timestamp::now(),
        })
    }

    pub fn with_reason(mut self, reason: Option<&str>) -> Result<Self> {
        self.reason = reason
            .filter(|reason| !reason.trim().is_empty())
            .map(|reason| check_text("reason", reason))
            .transpose()?;
        Ok(self)
    }

    #[must_use]
    pub fn from_task(mut self, number: Option<i64>) -> Self {
        self.task_id = number;
        self
    }

    /// Whether it may make room for others: found by a program, once.
    fn can_go(&self) -> bool {
        self.source == LearningSource::Auto && self.hit_count <= 1
    }

    fn is_same_as(&self, other: &Self) -> bool {
        let (ours, theirs) = (words(&self.text), words(&other.text));
        let shared = ours.intersection(&theirs).count();
        let all = ours.union(&theirs).count();
        if all == 0 {
            return self.text.eq_ignore_ascii_case(&other.text);
        }
        #[allow(clippy::cast_precision_loss)]
        let share = shared as f64 / all as f64;
        share > SAME
    }

    fn is_negated(&self) -> bool {
        spoken(&self.text).any(|word| NEGATIONS.contains(&word.as_str()))
    }
}

fn check_text(field: &str, given: &str) -> Result<String> {
    let text = given.trim();
    let count = text.chars().count();
    if (1..=MAX_LEARNING_CHARS).contains(&count) {
        return Ok(text.to_owned());
    }
    Err(Error::validation(
        field,
        format!("has {count} characters, 1 to {MAX_LEARNING_CHARS} are allowed"),
    )
    .with("max", MAX_LEARNING_CHARS)
    .with("actual", count))
}

fn spoken(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .map(str::to_lowercase)
}

/// The words of three letters and more.
fn words(text: &str) -> BTreeSet<String> {
    spoken(text)
        .filter(|word| word.chars().count() > 2)
        .collect()
}

/// What becomes of a learning that arrives.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// It is new. Another one, by number, may have to go for it.
    Added { instead_of: Option<i64> },
    /// It was known: the one of that number has a hit more.
    Again { number: i64, learning: Learning },
    /// It says the opposite of the one of that number, and takes its place.
    Corrected { number: i64, learning: Learning },
}

/// Decides what becomes of a learning beside those that are kept, by number in their order.
pub fn keep_learning(kept: &[(i64, Learning)], new: &Learning) -> Result<Kept> {
    if let Some((number, old)) = kept.iter().find(|(_, old)| old.is_same_as(new)) {
        if old.is_negated() != new.is_negated() {
            return Ok(Kept::Corrected {
                number: *number,
                learning: new.clone(),
            });
        }
        let mut learning = old.clone();
        learning.hit_count = learning.hit_count.saturating_add(1);
        return Ok(Kept::Again {
            number: *number,
            learning,
        });
    }
    if kept.len() < MAX_LEARNINGS {
        return Ok(Kept::Added { instead_of: None });
    }
    let oldest = kept.iter().find(|(_, old)| old.can_go());
    let Some((number, _)) = oldest else {
        return Err(Error::new(
            ErrorKind::ValidationFailed,
            format!("Learnings full: {MAX_LEARNINGS} are kept, and all are protected"),
        )
        .with("field", "text")
        .with("max", MAX_LEARNINGS)
        .with_hint("Put what matters most into architecture or boundaries of the feature."));
    };
    Ok(Kept::Added {
        instead_of: Some(*number),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learning(text: &str, source: LearningSource) -> Learning {
        Learning::new(text, source).expect("valid")
    }

    #[test]
    fn the_same_again_is_a_hit() {
        let old = learning("Tokens expire after ten minutes", LearningSource::Agent);
        let new = learning("tokens expire after TEN minutes!", LearningSource::Human);
        let Ok(Kept::Again {
            number: 4,
            learning,
        }) = keep_learning(&[(4, old)], &new)
        else {
            panic!("it was known");
        };
        assert_eq!(learning.hit_count, 2);
        assert_eq!(learning.source, LearningSource::Agent);
    }

    #[test]
    fn the_opposite_takes_the_place() {
        let old = learning(
            "The cache is safe across many threads",
            LearningSource::Agent,
        );
        let new = learning(
            "The cache is not safe across many threads",
            LearningSource::Agent,
        );
        let kept = keep_learning(&[(1, old)], &new).expect("kept");
        assert!(matches!(kept, Kept::Corrected { number: 1, .. }));
    }

    #[test]
    fn the_oldest_automatic_one_makes_room() {
        let mut kept: Vec<(i64, Learning)> = (1..=50)
            .map(|number| {
                (
                    number,
                    learning(
                        &format!("fact{number} alone{number}"),
                        LearningSource::Human,
                    ),
                )
            })
            .collect();
        let new = learning("something entirely different", LearningSource::Agent);
        assert!(keep_learning(&kept, &new).is_err());
        kept[30].1.source = LearningSource::Auto;
        kept[30].1.hit_count = 2;
        assert!(keep_learning(&kept, &new).is_err(), "hits protect");
        kept[40].1.source = LearningSource::Auto;
        assert_eq!(
            keep_learning(&kept, &new),
            Ok(Kept::Added {
                instead_of: Some(41)
            })
        );
        assert_eq!(
            keep_learning(&kept[..49], &new),
            Ok(Kept::Added { instead_of: None })
        );
    }

    #[test]
    fn texts_at_their_limits() {
        assert!(Learning::new(&"é".repeat(500), LearningSource::Auto).is_ok());
        let error = Learning::new(&"é".repeat(501), LearningSource::Auto).unwrap_err();
        assert_eq!(error.data()["actual"], 501);
        assert!(Learning::new("  ", LearningSource::Auto).is_err());
    }

    #[test]
    fn seven_tenths_is_the_border() {
        let one = learning(
            "aaa bbb ccc ddd eee fff ggg hhh iii jjj",
            LearningSource::Auto,
        );
        let same = learning("aaa bbb ccc ddd eee fff ggg hhh xxx", LearningSource::Auto);
        assert!(one.is_same_as(&same), "8 of 11");
        let other = learning(
            "aaa bbb ccc ddd eee fff ggg xxx yyy zzz",
            LearningSource::Auto,
        );
        assert!(!one.is_same_as(&other), "7 of 13");
        let exact = learning("aaa bbb ccc ddd eee fff ggg", LearningSource::Auto);
        assert!(!one.is_same_as(&exact), "7 of 10 is not more than 0.7");
    }
}
