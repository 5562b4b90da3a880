//! How the tools of the plan take and show the fields of its types. Their inputs, outputs and the
//! briefing of a session are made from this, so that a field is declared in one place.

/// Whether an operation takes a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    Absent,
    Optional,
    /// It must be given, and must not be blank.
    Required,
}

/// Where the plan uses a field. All fields that have one are part of the outputs.
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
    /// The text alone, right below the title of its entity.
    Paragraph,
    /// Below a heading of its own.
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

    /// May be given when the entity is created, and stays as it is.
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

    /// What the entity is found by: always given.
    pub const KEY: Self = Self {
        update: Argument::Required,
        ..Self::MANDATORY
    };

    /// Taken by `enrich_task` too.
    #[must_use]
    pub const fn enriched(mut self, argument: Argument) -> Self {
        self.enrich = argument;
        self
    }

    /// Part of the briefing of a session, below a heading of its own.
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
