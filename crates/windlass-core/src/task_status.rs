//! The states of a task, and the words that three dialects have for them.

use crate::Priority;

/// Where a task stands. One record, seen by each dialect in its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskStatus {
    Draft,
    Pending,
    InProgress,
    InReview,
    AwaitingHuman,
    Blocked,
    Done,
    Skipped,
    Cancelled,
}

impl TaskStatus {
    pub const ALL: [Self; 9] = [
        Self::Draft,
        Self::Pending,
        Self::InProgress,
        Self::InReview,
        Self::AwaitingHuman,
        Self::Blocked,
        Self::Done,
        Self::Skipped,
        Self::Cancelled,
    ];

    pub const NAMES: [&'static str; 9] = [
        "draft",
        "pending",
        "in_progress",
        "in_review",
        "awaiting_human",
        "blocked",
        "done",
        "skipped",
        "cancelled",
    ];

    /// The word that the store keeps.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == text)
    }

    /// The words of every dialect. Each word stands for one status, so that any of them is understood
    /// everywhere.
    pub fn parse_any(word: &str) -> Option<Self> {
        match word {
            "todo" => Some(Self::Pending),
            "completed" => Some(Self::Done),
            other => Self::parse(other),
        }
    }

    /// Whether work can go on, blockers and claims aside.
    pub const fn is_workable(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }

    /// Whether the task no longer holds others back. Skipped and cancelled tasks still do.
    pub const fn releases(self) -> bool {
        matches!(self, Self::Done)
    }

    /// Whether nothing more is expected of the task.
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Done | Self::Skipped | Self::Cancelled)
    }
}

/// A way of speaking about tasks: the words of one seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Seed 002.
    Plan,
    /// Seed 003.
    Sdk,
    /// Seed 004.
    Knowledge,
    /// The words that the store keeps and people read: each status has one of its own.
    Canonical,
}

impl Dialect {
    /// The word of this dialect for a status.
    pub const fn status(self, status: TaskStatus) -> &'static str {
        use TaskStatus as S;
        match (self, status) {
            (Self::Plan, S::Draft) => "draft",
            (Self::Plan, S::Pending) => "pending",
            (Self::Plan, S::InProgress | S::InReview) => "in_progress",
            (Self::Plan, S::AwaitingHuman | S::Blocked) => "blocked",
            (Self::Plan, S::Done) => "done",
            (Self::Plan, S::Skipped | S::Cancelled) => "skipped",
            (Self::Sdk, S::Draft | S::Pending) => "pending",
            (Self::Sdk, S::Done) => "completed",
            (Self::Sdk, S::Skipped | S::Cancelled) => "cancelled",
            (Self::Sdk, other) => other.name(),
            (Self::Knowledge, S::Draft | S::Pending) => "todo",
            (Self::Knowledge, S::InProgress | S::InReview) => "in_progress",
            (Self::Knowledge, S::AwaitingHuman | S::Blocked) => "blocked",
            (Self::Knowledge, S::Done | S::Skipped | S::Cancelled) => "done",
            (Self::Canonical, other) => other.name(),
        }
    }

    /// The words that this dialect has, in its own order. Those of the others are understood too.
    pub const fn statuses(self) -> &'static [&'static str] {
        match self {
            Self::Plan => &[
                "draft",
                "pending",
                "in_progress",
                "done",
                "blocked",
                "skipped",
            ],
            Self::Sdk => &[
                "pending",
                "in_progress",
                "in_review",
                "awaiting_human",
                "blocked",
                "completed",
                "cancelled",
            ],
            Self::Knowledge => &["todo", "in_progress", "done", "blocked"],
            Self::Canonical => &TaskStatus::NAMES,
        }
    }

    /// The priorities in this dialect's words, least urgent first.
    pub const fn priorities(self) -> &'static [&'static str] {
        match self {
            Self::Plan => &["low", "medium", "high", "critical"],
            Self::Sdk | Self::Knowledge | Self::Canonical => &["low", "normal", "high", "urgent"],
        }
    }

    pub const fn priority(self, priority: Priority) -> &'static str {
        match (self, priority) {
            (Self::Plan, Priority::Normal) => "medium",
            (Self::Plan, Priority::Urgent) => "critical",
            (_, other) => other.name(),
        }
    }

    /// Every status that a filter for `word` is about: all that this dialect calls by it, or the one
    /// that it stands for where it is a word of another dialect.
    pub fn statuses_called(self, word: &str) -> impl Iterator<Item = TaskStatus> {
        let own = self.statuses().contains(&word);
        TaskStatus::ALL.into_iter().filter(move |status| {
            if own {
                self.status(*status) == word
            } else {
                TaskStatus::parse_any(word) == Some(*status)
            }
        })
    }

    /// The status after a write of `wanted` over `current`: a word that already fits changes
    /// nothing, so that a dialect with fewer words does not flatten a richer status.
    pub fn written_over(self, current: TaskStatus, wanted: TaskStatus) -> TaskStatus {
        if self.status(current) == self.status(wanted) {
            current
        } else {
            wanted
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the design, row by row.
    #[test]
    fn three_dialects() {
        for (status, plan, sdk, knowledge) in [
            (TaskStatus::Draft, "draft", "pending", "todo"),
            (TaskStatus::Pending, "pending", "pending", "todo"),
            (
                TaskStatus::InProgress,
                "in_progress",
                "in_progress",
                "in_progress",
            ),
            (
                TaskStatus::InReview,
                "in_progress",
                "in_review",
                "in_progress",
            ),
            (
                TaskStatus::AwaitingHuman,
                "blocked",
                "awaiting_human",
                "blocked",
            ),
            (TaskStatus::Blocked, "blocked", "blocked", "blocked"),
            (TaskStatus::Done, "done", "completed", "done"),
            (TaskStatus::Skipped, "skipped", "cancelled", "done"),
            (TaskStatus::Cancelled, "skipped", "cancelled", "done"),
        ] {
            assert_eq!(Dialect::Plan.status(status), plan);
            assert_eq!(Dialect::Sdk.status(status), sdk);
            assert_eq!(Dialect::Knowledge.status(status), knowledge);
        }
    }

    #[test]
    fn every_word_writes_a_status_that_reads_back() {
        for dialect in [
            Dialect::Plan,
            Dialect::Sdk,
            Dialect::Knowledge,
            Dialect::Canonical,
        ] {
            for word in dialect.statuses() {
                let status = TaskStatus::parse_any(word).expect(word);
                assert_eq!(dialect.status(status), *word);
                assert!(dialect.statuses_called(word).any(|it| it == status));
            }
        }
        assert_eq!(TaskStatus::parse_any("nonsense"), None);
    }

    #[test]
    fn a_filter_takes_the_words_of_other_dialects() {
        let found = |dialect: Dialect, word: &str| -> Vec<TaskStatus> {
            dialect.statuses_called(word).collect()
        };
        let both = [TaskStatus::Draft, TaskStatus::Pending];
        assert_eq!(found(Dialect::Knowledge, "todo"), both);
        assert_eq!(found(Dialect::Knowledge, "pending"), [TaskStatus::Pending]);
        assert_eq!(found(Dialect::Plan, "completed"), [TaskStatus::Done]);
        assert_eq!(found(Dialect::Canonical, "todo"), [TaskStatus::Pending]);
        assert_eq!(found(Dialect::Sdk, "nonsense"), []);
    }

    #[test]
    fn a_word_that_fits_changes_nothing() {
        let knowledge = Dialect::Knowledge;
        for (current, word, after) in [
            (TaskStatus::Draft, "todo", TaskStatus::Draft),
            (TaskStatus::InReview, "in_progress", TaskStatus::InReview),
            (TaskStatus::Cancelled, "done", TaskStatus::Cancelled),
            (TaskStatus::Draft, "done", TaskStatus::Done),
            (TaskStatus::Done, "todo", TaskStatus::Pending),
        ] {
            let wanted = TaskStatus::parse_any(word).expect(word);
            assert_eq!(knowledge.written_over(current, wanted), after);
        }
    }
}
