//! How the plan tools take and show the fields of an entity type. Their inputs and outputs and the
//! briefing of a session are generated from this, so that a field is declared in one place.

/// Whether an operation accepts a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    Absent,
    Optional,
    /// Must be given, and must not be blank.
    Required,
}

/// How the plan tools use a field. All fields that have one are part of the outputs.
#[derive(Debug, Clone, Copy)]
pub struct PlanUse {
    /// For `create_feature`, `create_discipline` and `create_task`.
    pub create: Argument,
    /// For `update_feature`, `update_discipline` and `update_task`.
    pub update: Argument,
    /// For `enrich_task`.
    pub enrich: Argument,
    pub briefing: Option<Briefing>,
}

/// How the briefing of a session shows a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Briefing {
    /// The text without a heading, directly below the title of its entity.
    Paragraph,
    /// Below its own heading.
    Section(&'static str),
}

impl PlanUse {
    /// Only part of the outputs.
    pub const SHOWN: Self = Self {
        create: Argument::Absent,
        update: Argument::Absent,
        enrich: Argument::Absent,
        briefing: None,
    };

    /// May be given when the entity is created, and cannot change.
    pub const CREATED: Self = Self {
        create: Argument::Optional,
        ..Self::SHOWN
    };

    /// May be given when the entity is created and when it is updated.
    pub const CHANGEABLE: Self = Self {
        update: Argument::Optional,
        ..Self::CREATED
    };

    /// Must be given when the entity is created; may be given when it is updated.
    pub const MANDATORY: Self = Self {
        create: Argument::Required,
        ..Self::CHANGEABLE
    };

    /// The key of the entity: always given.
    pub const KEY: Self = Self {
        update: Argument::Required,
        ..Self::MANDATORY
    };

    /// Also accepted by `enrich_task`.
    #[must_use]
    pub const fn enriched(mut self, argument: Argument) -> Self {
        self.enrich = argument;
        self
    }

    /// Part of the briefing of a session, below its own heading.
    #[must_use]
    pub const fn briefing(mut self, heading: &'static str) -> Self {
        self.briefing = Some(Briefing::Section(heading));
        self
    }

    /// Part of the briefing of a session, without a heading.
    #[must_use]
    pub const fn introduction(mut self) -> Self {
        self.briefing = Some(Briefing::Paragraph);
        self
    }
}
