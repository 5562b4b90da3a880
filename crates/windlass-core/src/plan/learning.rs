//! Learnings of a feature: stored once, counted when they are repeated, and limited in number.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result, Timestamp, Truth};

pub const MAX_LEARNINGS: usize = 50;
pub const MAX_LEARNING_CHARS: usize = 500;

/// Texts that share more than this ratio of their words count as the same learning.
const SAME_WORDS_RATIO: f64 = 0.7;

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

/// One learning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learning {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub source: LearningSource,
    /// The number of the task that it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<i64>,
    /// How often it was learned.
    pub hit_count: u32,
    pub created_at: Timestamp,
    /// Whether it still holds.
    #[serde(flatten)]
    pub truth: Truth,
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
            truth: Truth::default(),
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

    /// Whether a new learning may replace it: it does not hold any more, or was found by a program,
    /// and only once.
    fn is_replaceable(&self) -> bool {
        self.truth.is_retired() || (self.source == LearningSource::Auto && self.hit_count <= 1)
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
        share > SAME_WORDS_RATIO
    }

    fn is_negated(&self) -> bool {
        lowercase_words(&self.text).any(|word| NEGATIONS.contains(&word.as_str()))
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
        format!("has {count} characters; 1 to {MAX_LEARNING_CHARS} are allowed"),
    )
    .with("max", MAX_LEARNING_CHARS)
    .with("actual", count))
}

fn lowercase_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .map(str::to_lowercase)
}

/// The words of at least three letters.
fn words(text: &str) -> BTreeSet<String> {
    lowercase_words(text)
        .filter(|word| word.chars().count() > 2)
        .collect()
}

/// What happens to a new learning.
#[derive(Debug, Clone, PartialEq)]
pub enum LearningOutcome {
    /// It is new. If the list is full, it replaces the learning with that number.
    Added { replaces: Option<i64> },
    /// It was known: the learning with that number gets one more hit.
    Again { number: i64, learning: Learning },
    /// It contradicts the learning with that number, and replaces it.
    Corrected { number: i64, learning: Learning },
}

/// Decides what happens to a new learning, given the stored ones with their numbers, oldest first.
pub fn merge_learning(stored: &[(i64, Learning)], new: &Learning) -> Result<LearningOutcome> {
    if let Some((number, old)) = stored.iter().find(|(_, old)| old.is_same_as(new)) {
        if old.is_negated() != new.is_negated() {
            return Ok(LearningOutcome::Corrected {
                number: *number,
                learning: new.clone(),
            });
        }
        let mut learning = old.clone();
        learning.hit_count = learning.hit_count.saturating_add(1);
        return Ok(LearningOutcome::Again {
            number: *number,
            learning,
        });
    }
    if stored.len() < MAX_LEARNINGS {
        return Ok(LearningOutcome::Added { replaces: None });
    }
    let oldest = stored.iter().find(|(_, old)| old.is_replaceable());
    let Some((number, _)) = oldest else {
        return Err(Error::new(
            ErrorKind::ValidationFailed,
            format!("Learnings full: {MAX_LEARNINGS} are stored, and none can be replaced"),
        )
        .with("field", "text")
        .with("max", MAX_LEARNINGS)
        .with_hint("Put the most important ones into the feature's architecture or boundaries."));
    };
    Ok(LearningOutcome::Added {
        replaces: Some(*number),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learning(text: &str, source: LearningSource) -> Learning {
        Learning::new(text, source).expect("valid")
    }

    #[test]
    fn a_repeated_learning_is_a_hit() {
        let old = learning("Tokens expire after ten minutes", LearningSource::Agent);
        let new = learning("tokens expire after TEN minutes!", LearningSource::Human);
        let Ok(LearningOutcome::Again {
            number: 4,
            learning,
        }) = merge_learning(&[(4, old)], &new)
        else {
            panic!("it was known");
        };
        assert_eq!(learning.hit_count, 2);
        assert_eq!(learning.source, LearningSource::Agent);
    }

    #[test]
    fn a_contradiction_replaces_the_learning() {
        let old = learning(
            "The cache is safe across many threads",
            LearningSource::Agent,
        );
        let new = learning(
            "The cache is not safe across many threads",
            LearningSource::Agent,
        );
        let stored = merge_learning(&[(1, old)], &new).expect("stored");
        assert!(matches!(
            stored,
            LearningOutcome::Corrected { number: 1, .. }
        ));
    }

    #[test]
    fn the_oldest_automatic_learning_is_replaced() {
        let mut stored: Vec<(i64, Learning)> = (1..=50)
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
        assert!(merge_learning(&stored, &new).is_err());
        stored[30].1.source = LearningSource::Auto;
        stored[30].1.hit_count = 2;
        assert!(merge_learning(&stored, &new).is_err(), "hits protect");
        stored[40].1.source = LearningSource::Auto;
        assert_eq!(
            merge_learning(&stored, &new),
            Ok(LearningOutcome::Added { replaces: Some(41) })
        );
        assert_eq!(
            merge_learning(&stored[..49], &new),
            Ok(LearningOutcome::Added { replaces: None })
        );
    }

    #[test]
    fn text_length_is_limited() {
        assert!(Learning::new(&"é".repeat(500), LearningSource::Auto).is_ok());
        let error = Learning::new(&"é".repeat(501), LearningSource::Auto).unwrap_err();
        assert_eq!(error.data()["actual"], 501);
        assert!(Learning::new("  ", LearningSource::Auto).is_err());
    }

    #[test]
    fn similarity_must_exceed_seven_tenths() {
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
