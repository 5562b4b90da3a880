//! Typed relations between entities, and which entity types each may connect.

use serde::Serialize;

use crate::{EntityId, EntityType, Error, ErrorKind, Result, Timestamp};

/// The meaning of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RelationType {
    Implements,
    Blocks,
    Supersedes,
    References,
    BelongsTo,
    Documents,
    Parent,
}

impl RelationType {
    pub const ALL: [Self; 7] = [
        Self::Implements,
        Self::Blocks,
        Self::Supersedes,
        Self::References,
        Self::BelongsTo,
        Self::Documents,
        Self::Parent,
    ];

    pub const NAMES: [&'static str; 7] = [
        "implements",
        "blocks",
        "supersedes",
        "references",
        "belongs_to",
        "documents",
        "parent",
    ];

    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn parse(given: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == given.trim())
            .ok_or_else(|| Error::invalid_enum("relation_type", given, &Self::NAMES))
    }

    /// The types of source and target; `None` means any type.
    pub const fn allowed_types(self) -> (Option<EntityType>, Option<EntityType>) {
        use EntityType as T;
        match self {
            Self::Implements => (Some(T::Task), Some(T::Decision)),
            Self::Blocks | Self::Parent => (Some(T::Task), Some(T::Task)),
            Self::Supersedes => (Some(T::Decision), Some(T::Decision)),
            Self::References => (None, None),
            Self::BelongsTo => (Some(T::Task), Some(T::Component)),
            Self::Documents => (Some(T::Note), Some(T::Component)),
        }
    }

    pub fn check_types(self, source: EntityType, target: EntityType) -> Result<()> {
        let (from, to) = self.allowed_types();
        if from.is_none_or(|kind| kind == source) && to.is_none_or(|kind| kind == target) {
            return Ok(());
        }
        let word = |end: Option<EntityType>| end.map_or("any", EntityType::name);
        Err(Error::new(
            ErrorKind::RelationNotAllowed,
            format!(
                "\"{}\" relates {} to {}, not {} to {}",
                self.name(),
                word(from),
                word(to),
                source.name(),
                target.name()
            ),
        )
        .with("field", "relation_type")
        .with("source_type", source.name())
        .with("target_type", target.name())
        .with_hint("\"references\" can relate any two entities."))
    }
}

/// A directed relation from one entity to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Relation {
    pub source: EntityId,
    #[serde(skip)]
    pub kind: RelationType,
    pub target: EntityId,
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;
    use EntityType as T;

    #[test]
    fn names_parse_back() {
        for kind in RelationType::ALL {
            assert_eq!(RelationType::parse(kind.name()), Ok(kind));
        }
        assert!(RelationType::parse("block").is_err());
    }

    #[test]
    fn source_and_target_types_are_checked() {
        for (kind, source, target, allowed) in [
            (RelationType::Implements, T::Task, T::Decision, true),
            (RelationType::Implements, T::Decision, T::Task, false),
            (RelationType::Blocks, T::Task, T::Task, true),
            (RelationType::Blocks, T::Task, T::Note, false),
            (RelationType::Supersedes, T::Decision, T::Decision, true),
            (RelationType::Supersedes, T::Task, T::Decision, false),
            (RelationType::References, T::Link, T::Prompt, true),
            (RelationType::BelongsTo, T::Task, T::Component, true),
            (RelationType::BelongsTo, T::Note, T::Component, false),
            (RelationType::Documents, T::Note, T::Component, true),
            (RelationType::Documents, T::Task, T::Component, false),
            (RelationType::Parent, T::Task, T::Task, true),
            (RelationType::Parent, T::Component, T::Component, false),
        ] {
            assert_eq!(
                kind.check_types(source, target).is_ok(),
                allowed,
                "{}",
                kind.name()
            );
        }
    }
}
