//! A task as a board shows it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// A task of `board_list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    pub number: i64,
    pub title: String,
    pub status: String,
    pub priority: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_date: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    #[serde(default)]
    pub blocked_by: Vec<i64>,
    #[serde(default)]
    pub tags: Vec<String>,
    pub updated_at: String,
    /// What the list has beside these, so that the JSON of a board is that of the list.
    #[serde(flatten)]
    pub others: Map<String, Json>,
}

/// A remark under the title of a card, and a moment that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub text: String,
    pub moment: Option<String>,
}

impl Card {
    /// Who works on it: the session that holds it, or the person that it is assigned to.
    pub fn who(&self) -> Option<&str> {
        self.claimed_by.as_deref().or(self.assignee.as_deref())
    }

    /// What its column should say about it besides the title.
    pub fn remark(&self) -> Remark {
        let moment = match self.status.as_str() {
            "in_progress" => self.started_at.clone(),
            "in_review" | "awaiting_human" | "done" | "skipped" | "cancelled" => {
                Some(self.updated_at.clone())
            }
            _ => None,
        };
        Remark {
            text: self.remark_text(),
            moment,
        }
    }

    fn remark_text(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        match self.status.as_str() {
            "in_progress" => parts.push(self.who().unwrap_or("nobody holds it").to_owned()),
            "awaiting_human" => parts.push("waits for a person".to_owned()),
            "blocked" if self.blocked_by.is_empty() => parts.push("blocked by hand".to_owned()),
            "skipped" | "cancelled" => parts.push(self.status.clone()),
            _ => parts.extend(self.who().map(str::to_owned)),
        }
        if !self.blocked_by.is_empty() {
            let numbers = self.blocked_by.iter().map(|number| format!("#{number}"));
            let numbers: Vec<String> = numbers.collect();
            parts.push(format!("waits for {}", numbers.join(", ")));
        }
        if !self.is_ended() {
            parts.extend(self.due_date.as_ref().map(|date| format!("due {date}")));
            parts.extend(self.feature.clone());
        }
        parts.extend(self.tags.iter().map(|tag| format!("+{tag}")));
        parts.join("  ")
    }

    fn is_ended(&self) -> bool {
        matches!(self.status.as_str(), "done" | "skipped" | "cancelled")
    }
}

#[cfg(test)]
pub mod tests {
    use serde_json::json;

    use super::*;

    /// A card for tests, with some fields set.
    pub fn card(number: i64, title: &str, status: &str, more: Json) -> Card {
        let mut all = json!({"number": number, "title": title, "status": status,
            "priority": "normal", "kind": "task", "blocked": false, "blocked_by": [], "tags": [],
            "updated_at": "2026-11-16T11:57:00.000Z"});
        for (name, value) in more.as_object().into_iter().flatten() {
            all[name] = value.clone();
        }
        serde_json::from_value(all).unwrap()
    }

    #[test]
    fn the_remark_says_what_the_column_is_about() {
        let moment = "2026-11-16T11:57:00.000Z";
        for (status, more, expected, since) in [
            (
                "in_progress",
                json!({"claimed_by": "claude-1", "started_at": moment}),
                "claude-1",
                Some(moment),
            ),
            ("in_progress", json!({}), "nobody holds it", None),
            (
                "pending",
                json!({"blocked_by": [3, 4]}),
                "waits for #3, #4",
                None,
            ),
            (
                "pending",
                json!({"assignee": "ann", "due_date": "2026-12-01", "tags": ["ui"]}),
                "ann  due 2026-12-01  +ui",
                None,
            ),
            (
                "awaiting_human",
                json!({}),
                "waits for a person",
                Some(moment),
            ),
            ("blocked", json!({}), "blocked by hand", None),
            ("cancelled", json!({}), "cancelled", Some(moment)),
        ] {
            let remark = card(1, "x", status, more).remark();
            assert_eq!(remark.text, expected);
            assert_eq!(remark.moment.as_deref(), since);
        }
    }

    #[test]
    fn nothing_of_a_listed_task_is_lost() {
        let all = json!({"number": 1, "title": "x", "status": "draft", "priority": "low",
            "kind": "task", "parent": 7, "blocked": false, "blocked_by": [], "tags": [],
            "updated_at": "now"});
        let card: Card = serde_json::from_value(all.clone()).unwrap();
        assert_eq!(serde_json::to_value(card).unwrap(), all);
    }
}
