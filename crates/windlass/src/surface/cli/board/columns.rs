//! The columns of a board, as filters of `board_list`. Every task is in exactly one of them.

use serde_json::{Value as Json, json};

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardColumn {
    pub key: &'static str,
    pub title: &'static str,
    statuses: &'static [&'static str],
    blocked: Option<bool>,
    sort: &'static str,
}

pub const COLUMNS: [BoardColumn; 6] = [
    BoardColumn {
        key: "draft",
        title: "Draft",
        statuses: &["draft"],
        blocked: None,
        sort: "queue",
    },
    BoardColumn {
        key: "ready",
        title: "Ready",
        statuses: &["pending"],
        blocked: Some(false),
        sort: "queue",
    },
    BoardColumn {
        key: "in_progress",
        title: "In progress",
        statuses: &["in_progress"],
        blocked: None,
        sort: "queue",
    },
    BoardColumn {
        key: "in_review",
        title: "In review",
        statuses: &["in_review"],
        blocked: None,
        sort: "queue",
    },
    BoardColumn {
        key: "blocked",
        title: "Blocked",
        statuses: &["pending", "blocked", "awaiting_human"],
        blocked: Some(true),
        sort: "queue",
    },
    BoardColumn {
        key: "done",
        title: "Done",
        statuses: &["done", "skipped", "cancelled"],
        blocked: None,
        // What was finished last is what people look for.
        sort: "updated",
    },
];

impl BoardColumn {
    /// The input of `board_list` for this column, given the filters that a person chose.
    pub fn input(&self, filters: &Json) -> Json {
        let mut input = filters.clone();
        input["status"] = json!(self.statuses);
        input["blocked"] = json!(self.blocked);
        input["sort"] = json!(self.sort);
        input
    }
}
