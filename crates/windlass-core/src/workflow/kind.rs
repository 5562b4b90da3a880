//! Milestones, tasks and subtasks: three levels, each under the one above.

use crate::{Error, Result};

/// The level of a task in the hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskKind {
    Milestone,
    Task,
    Subtask,
}

impl TaskKind {
    pub const ALL: [Self; 3] = [Self::Milestone, Self::Task, Self::Subtask];
    pub const NAMES: [&'static str; 3] = ["milestone", "task", "subtask"];

    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text)
    }

    /// The kind of a child of this parent. Without a parent it is a task.
    pub fn below(parent: Option<Self>) -> Result<Self> {
        match parent {
            None | Some(Self::Milestone) => Ok(Self::Task),
            Some(Self::Task) => Ok(Self::Subtask),
            Some(Self::Subtask) => Err(Error::validation(
                "parent_id",
                "a subtask has no children: the levels are milestone, task, subtask",
            )
            .with_hint("Put it under the task above, or create it as a task without a parent.")),
        }
    }

    /// Refuses a kind that is not allowed under this parent.
    pub fn check_below(self, parent: Option<Self>) -> Result<()> {
        let fits = match self {
            Self::Milestone => parent.is_none(),
            Self::Task => matches!(parent, None | Some(Self::Milestone)),
            Self::Subtask => parent == Some(Self::Task),
        };
        if fits {
            return Ok(());
        }
        let place = parent.map_or("without a parent".to_owned(), |kind| {
            format!("under a {}", kind.name())
        });
        Err(
            Error::validation("kind", format!("a {} cannot be {place}", self.name())).with_hint(
                "A milestone has no parent, a task has none or a milestone, a subtask has a task.",
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_allows_certain_parents() {
        use TaskKind as K;
        for (kind, parents) in [
            (K::Milestone, &[None][..]),
            (K::Task, &[None, Some(K::Milestone)]),
            (K::Subtask, &[Some(K::Task)]),
        ] {
            for parent in [None, Some(K::Milestone), Some(K::Task), Some(K::Subtask)] {
                let allowed = kind.check_below(parent).is_ok();
                assert_eq!(allowed, parents.contains(&parent), "{kind:?} {parent:?}");
            }
            assert_eq!(K::parse(kind.name()), Some(kind));
        }
    }

    #[test]
    fn the_parent_decides_the_kind_of_a_child() {
        use TaskKind as K;
        assert_eq!(K::below(None), Ok(K::Task));
        assert_eq!(K::below(Some(K::Milestone)), Ok(K::Task));
        assert_eq!(K::below(Some(K::Task)), Ok(K::Subtask));
        assert!(K::below(Some(K::Subtask)).is_err());
    }
}
