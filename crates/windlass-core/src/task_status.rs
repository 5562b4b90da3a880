//! The states of a task, and the words that each dialect uses for them.

use crate::Priority;

/// The state of a task. There is one stored status; each dialect shows it in its own words.
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

    /// The stored name.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == text)
    }

    /// Accepts the words of every dialect. Each word means the same status in all dialects, so any
    /// of them is accepted everywhere.
    pub fn parse_any(word: &str) -> Option<Self> {
        match word {
            "todo" => Some(Self::Pending),
            "completed" => Some(Self::Done),
            other => Self::parse(other),
        }
    }

    /// Whether someone can work on the task, apart from blockers and claims.
    pub const fn is_workable(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }

    /// Whether tasks that wait for this one may start. Skipped and cancelled tasks still block.
    pub const fn unblocks_dependents(self) -> bool {
        matches!(self, Self::Done)
    }

    /// Whether no more work on the task is expected.
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Done | Self::Skipped | Self::Cancelled)
    }
}

/// The words that one contract uses for tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The plan contract.
    Plan,
    /// The workflow contract.
    Sdk,
    /// The knowledge contract.
    Knowledge,
    /// The stored names, which people read: one word for each status.
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

    /// The words of this dialect, in its order. Words of the other dialects are accepted too.
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

    /// The priorities in the words of this dialect, least urgent first.
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

    /// Every status that a filter for `word` selects: all that this dialect shows as `word`, or the
    /// one status that it means in another dialect.
    pub fn statuses_shown_as(self, word: &str) -> impl Iterator<Item = TaskStatus> {
        let own = self.statuses().contains(&word);
        TaskStatus::ALL.into_iter().filter(move |status| {
            if own {
                self.status(*status) == word
            } else {
                TaskStatus::parse_any(word) == Some(*status)
            }
        })
    }

    /// The status after a write of `wanted` over `current`. If the dialect uses one word for both,
    /// nothing changes, so that a dialect with fewer words does not lose detail.
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

    /// The status table of docs/contracts/README.md, row by row.
    #[test]
    fn every_dialect_shows_a_status_in_its_words() {
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
    fn every_word_parses_to_a_status_that_is_shown_by_it() {
        for dialect in [
            Dialect::Plan,
            Dialect::Sdk,
            Dialect::Knowledge,
            Dialect::Canonical,
        ] {
            for word in dialect.statuses() {
                let status = TaskStatus::parse_any(word).expect(word);
                assert_eq!(dialect.status(status), *word);
                assert!(dialect.statuses_shown_as(word).any(|it| it == status));
            }
        }
        assert_eq!(TaskStatus::parse_any("nonsense"), None);
    }

    #[test]
    fn filters_accept_the_words_of_other_dialects() {
        let found = |dialect: Dialect, word: &str| -> Vec<TaskStatus> {
            dialect.statuses_shown_as(word).collect()
        };
        let both = [TaskStatus::Draft, TaskStatus::Pending];
        assert_eq!(found(Dialect::Knowledge, "todo"), both);
        assert_eq!(found(Dialect::Knowledge, "pending"), [TaskStatus::Pending]);
        assert_eq!(found(Dialect::Plan, "completed"), [TaskStatus::Done]);
        assert_eq!(found(Dialect::Canonical, "todo"), [TaskStatus::Pending]);
        assert_eq!(found(Dialect::Sdk, "nonsense"), []);
    }

    #[test]
    fn writing_the_word_already_shown_changes_nothing() {
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
