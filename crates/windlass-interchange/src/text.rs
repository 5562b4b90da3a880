//! Small texts of other tools, made to fit the fields of Windlass.

use sha2::{Digest as _, Sha256};
use windlass_core::{Priority, TaskStatus, hexadecimal};

/// The longest prefix of at most so many bytes that ends with a whole character.
pub fn prefix(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The first characters of a text, with an ellipsis if something is cut.
pub fn shortened(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    let kept: String = text.chars().take(characters.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// One line: line breaks and control characters become spaces.
pub fn one_line(text: &str) -> String {
    let words = text
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// A short name for a text, the same for the same text.
pub fn fingerprint(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let digits = hexadecimal(&hash.finalize());
    prefix(&digits, 16).to_owned()
}

/// The status that a word of another tool means, whatever its case and its separators.
pub fn status(word: &str) -> Option<TaskStatus> {
    let word: String = word
        .trim()
        .to_lowercase()
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    Some(match word.as_str() {
        "todo" | "open" | "pending" | "new" | "ready" | "backlog" | "reopened" | "pinned" => {
            TaskStatus::Pending
        }
        "draft" | "deferred" | "idea" | "someday" => TaskStatus::Draft,
        "inprogress" | "doing" | "started" | "active" | "hooked" | "wip" => TaskStatus::InProgress,
        "inreview" | "review" => TaskStatus::InProgress,
        "blocked" | "awaitinghuman" | "needsinput" | "waiting" | "onhold" => TaskStatus::Blocked,
        "done" | "closed" | "completed" | "complete" | "finished" => TaskStatus::Done,
        "skipped" => TaskStatus::Skipped,
        "cancelled" | "canceled" | "wontfix" | "notplanned" | "duplicate" | "archived" => {
            TaskStatus::Cancelled
        }
        _ => return None,
    })
}

/// The priority that a word of another tool means.
pub fn priority(word: &str) -> Option<Priority> {
    Some(match word.trim().to_lowercase().as_str() {
        "p0" | "urgent" | "critical" | "highest" | "blocker" => Priority::Urgent,
        "p1" | "high" => Priority::High,
        "p2" | "normal" | "medium" | "moderate" => Priority::Normal,
        "p3" | "p4" | "low" | "lowest" | "trivial" | "minor" => Priority::Low,
        _ => return None,
    })
}

/// The lines of a list, without their bullets and boxes.
pub fn list_items(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| {
            let line = line.trim().trim_start_matches(['-', '*', '+']).trim_start();
            let line = ["[ ]", "[x]", "[X]"]
                .iter()
                .find_map(|mark| line.strip_prefix(mark))
                .unwrap_or(line);
            line.trim().to_owned()
        })
        .filter(|line| !line.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_tools_have_a_status() {
        for (word, expected) in [
            ("To Do", Some(TaskStatus::Pending)),
            ("in_progress", Some(TaskStatus::InProgress)),
            ("In Progress", Some(TaskStatus::InProgress)),
            ("CLOSED", Some(TaskStatus::Done)),
            ("not_planned", Some(TaskStatus::Cancelled)),
            ("frobnicated", None),
        ] {
            assert_eq!(status(word), expected, "{word}");
        }
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(prefix("äb", 1), "");
        assert_eq!(prefix("äb", 2), "ä");
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(one_line("a\n\tb\u{7}c  d"), "a b c d");
        assert_eq!(
            list_items("- [x] one\n* two\n\nthree"),
            ["one", "two", "three"]
        );
    }
}
