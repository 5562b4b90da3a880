//! What pages show besides tasks.

use serde::Deserialize;
use serde_json::{Value as Json, json};
use windlass_ops::{Span, View};

/// Something that waits for a person.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Waiting {
    /// review, question or gate.
    pub what: String,
    /// The task.
    pub number: i64,
    pub title: String,
    pub reason: String,
    pub since: String,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Happened {
    pub seq: i64,
    pub at: String,
    pub who: String,
    pub kind: String,
    pub what: String,
    /// The entity that it happened to.
    pub number: Option<i64>,
}

/// An opened task, or the change of its review.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    pub task: i64,
    pub operation: &'static str,
    pub input: Json,
    /// None before it was read.
    pub view: Option<View>,
    /// The view in lines of the screen's width.
    pub lines: Vec<Vec<Span>>,
    pub scroll: usize,
}

impl Opened {
    pub fn task(number: i64) -> Self {
        Self::of("board_show", number, number)
    }

    /// The change of a review.
    pub fn change(task: i64, review: i64) -> Self {
        Self::of("review_show", task, review)
    }

    fn of(operation: &'static str, task: i64, id: i64) -> Self {
        Self {
            task,
            operation,
            input: json!({"id": id.to_string()}),
            view: None,
            lines: Vec::new(),
            scroll: 0,
        }
    }
}

/// A line about what was done, or what went wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub text: String,
    pub is_problem: bool,
}
