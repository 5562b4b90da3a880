//! The entity types of the plan contract.
//!
//! A field is declared only here: the inputs, outputs and views of the plan tools, the flags of the
//! command line and the briefing of a session are generated from these tables, in this order.

use super::{EntityType, KIB, MAX_CONTENT_BYTES, MAX_CONTEXT_FILES, MAX_TITLE_CHARS};
use super::{PlanWords, TypeDeclaration};
use crate::Field;
use crate::fields::{FieldKind, Length};
use crate::plan::{Argument, PlanUse};

const ACRONYM: &str = "Four of A-Z and 0-9, unique within its type; generated from the name \
                       if omitted.";
const NAME: &str = "The name that other records refer to, unique within its type.";

/// A text of document size.
const DOCUMENT: FieldKind = FieldKind::Text(Length::Bytes(50 * KIB));

pub(super) static TASK: TypeDeclaration = TypeDeclaration {
    name: "task",
    plural: "tasks",
    doc: "A work item.",
    fields: &[
        Field::new("status", FieldKind::TaskStatus, "The status of the task.")
            .default("pending")
            .plan(PlanUse::SHOWN),
        Field::new("priority", FieldKind::Priority, "How urgent the task is.")
            .default("normal")
            .plan(PlanUse::CHANGEABLE),
        Field::new("due_date", FieldKind::Date, "The due date, YYYY-MM-DD."),
        Field::new(
            "assignee",
            FieldKind::Text(Length::Chars(100)),
            "Who works on it.",
        ),
        Field::new(
            "feature",
            FieldKind::Named(EntityType::Feature),
            "The name of the feature that it belongs to.",
        )
        .plan(PlanUse::SHOWN),
        Field::new(
            "discipline",
            FieldKind::Named(EntityType::Discipline),
            "The name of the discipline that it needs.",
        )
        .plan(PlanUse::SHOWN),
        Field::new(
            "kind",
            FieldKind::Choice(&["milestone", "task", "subtask"]),
            "Its place in the hierarchy.",
        )
        .unlisted(),
        changeable(
            "acceptance_criteria",
            FieldKind::TextList(Length::Bytes(KIB)),
            "What must be true when the task is done, one text each.",
        )
        .searchable()
        .singular("criterion")
        .plan(
            PlanUse::CHANGEABLE
                .enriched(Argument::Optional)
                .briefing("Acceptance criteria"),
        ),
        changeable(
            "pseudocode",
            DOCUMENT,
            "A sketch of the implementation, step by step.",
        )
        .searchable()
        .plan(
            PlanUse::SHOWN
                .enriched(Argument::Required)
                .briefing("Pseudocode"),
        ),
        changeable("hints", DOCUMENT, "Advice for the implementer.")
            .searchable()
            .plan(PlanUse::CHANGEABLE.briefing("Hints")),
        changeable(
            "context_files",
            FieldKind::Paths(MAX_CONTEXT_FILES),
            "Files to read first, as paths relative to the project's root.",
        )
        .singular("context_file")
        .plan(
            PlanUse::CHANGEABLE
                .enriched(Argument::Optional)
                .briefing("Read first"),
        ),
        changeable(
            "output_artifacts",
            FieldKind::Paths(MAX_CONTEXT_FILES),
            "Files that the task produces, as paths relative to the project's root.",
        )
        .singular("output_artifact")
        .plan(PlanUse::CHANGEABLE.briefing("Output files")),
        changeable(
            "estimated_turns",
            FieldKind::Whole(10_000),
            "The estimated number of agent turns.",
        )
        .label("turns"),
        managed("enriched_at", "When enrich_task last changed the task.")
            .label("enriched")
            .plan(PlanUse::SHOWN),
        managed("provenance", "Who created it: agent, human or system.")
            .label("created by")
            .plan(PlanUse::SHOWN),
        managed("started_at", "When work on it began."),
        managed("completed_at", "When it was done.")
            .label("completed")
            .plan(PlanUse::SHOWN),
        managed("start_commit", "The commit at which work began."),
        managed("start_branch", "The branch on which work began."),
        managed(
            "start_tree",
            "Identifies all files as they were when work began.",
        ),
        managed("submit_commit", "The commit that was last submitted."),
    ],
    plan: Some(PlanWords {
        title: title("title", "A short title."),
        content: content("A full description of the task.")
            .plan(PlanUse::CHANGEABLE.introduction()),
    }),
};

pub(super) static FEATURE: TypeDeclaration = TypeDeclaration {
    name: "feature",
    plural: "features",
    doc: "A part of the product that tasks belong to. Its title is the display name.",
    fields: &[
        changeable("name", FieldKind::Name, NAME)
            .required()
            .searchable()
            .plan(PlanUse::KEY),
        changeable("acronym", FieldKind::Acronym, ACRONYM),
        changeable(
            "owner",
            FieldKind::Text(Length::Chars(100)),
            "Who answers questions about it.",
        )
        .searchable()
        .plan(PlanUse::CHANGEABLE.briefing("Whom to ask")),
        changeable("architecture", DOCUMENT, "How it is built.")
            .searchable()
            .plan(PlanUse::CHANGEABLE.briefing("Architecture")),
        changeable("boundaries", DOCUMENT, "What is out of scope.")
            .searchable()
            .plan(PlanUse::CHANGEABLE.briefing("Boundaries")),
        changeable(
            "knowledge_paths",
            FieldKind::Paths(10),
            "Folders and files that document it, as paths relative to the project's root.",
        )
        .singular("knowledge_path")
        .label("knowledge")
        .plan(PlanUse::CHANGEABLE.briefing("Knowledge paths")),
        changeable(
            "context_files",
            FieldKind::Paths(MAX_CONTEXT_FILES),
            "Files to read first, as paths relative to the project's root.",
        )
        .singular("context_file")
        .plan(PlanUse::CHANGEABLE.briefing("Context files")),
        changeable(
            "dependencies",
            FieldKind::NamedList(EntityType::Feature),
            "Names of the features that it depends on.",
        )
        .label("depends on"),
    ],
    plan: Some(PlanWords {
        title: title("display_name", "The display name."),
        content: content("The purpose of the feature.").plan(PlanUse::CHANGEABLE.introduction()),
    }),
};

pub(super) static DISCIPLINE: TypeDeclaration = TypeDeclaration {
    name: "discipline",
    plural: "disciplines",
    doc: "A skill area that tasks need, for example frontend. Its title is the display name.",
    fields: &[
        changeable("name", FieldKind::Name, NAME)
            .required()
            .searchable()
            .plan(PlanUse::KEY),
        changeable("acronym", FieldKind::Acronym, ACRONYM).plan(PlanUse::CREATED),
        changeable(
            "icon",
            FieldKind::Text(Length::Chars(50)),
            "An icon, for example an emoji or the name of an icon.",
        )
        .plan(PlanUse::MANDATORY),
        changeable(
            "color",
            FieldKind::Text(Length::Chars(50)),
            "The colour, for example #3b82f6.",
        )
        .plan(PlanUse::MANDATORY),
        changeable(
            "system_prompt",
            DOCUMENT,
            "The system prompt for agents of this discipline.",
        )
        .searchable()
        .plan(PlanUse::CHANGEABLE.introduction()),
        changeable(
            "conventions",
            DOCUMENT,
            "The conventions that its work must follow.",
        )
        .searchable()
        .plan(PlanUse::CHANGEABLE.briefing("Conventions")),
        changeable(
            "skills",
            FieldKind::TextList(Length::Chars(200)),
            "The skills of the discipline, one text each.",
        )
        .searchable()
        .singular("skill")
        .plan(PlanUse::CHANGEABLE.briefing("Skills")),
        changeable(
            "mcp_servers",
            FieldKind::Servers,
            "Additional MCP servers for its sessions: name, command, args, env. Set by people.",
        )
        .for_people()
        .label("MCP servers"),
        changeable(
            "mcp_tool_overrides",
            FieldKind::ToolOverrides,
            "Tools that are disabled for its sessions: additional_disabled. Set by people.",
        )
        .for_people()
        .label("disabled tools"),
    ],
    plan: Some(PlanWords {
        title: title("display_name", "The display name."),
        content: content("The purpose of the discipline."),
    }),
};

/// A field that the plan tools accept when an entity is created and when it is updated. Use
/// [`Field::plan`] for exceptions.
const fn changeable(name: &'static str, kind: FieldKind, doc: &'static str) -> Field {
    Field::new(name, kind, doc)
        .unlisted()
        .plan(PlanUse::CHANGEABLE)
}

/// A field that only operations may set.
const fn managed(name: &'static str, doc: &'static str) -> Field {
    Field::new(name, FieldKind::Text(Length::Chars(200)), doc).managed()
}

const fn title(name: &'static str, doc: &'static str) -> Field {
    let kind = FieldKind::Text(Length::Chars(MAX_TITLE_CHARS));
    changeable(name, kind, doc)
        .required()
        .plan(PlanUse::MANDATORY)
}

const fn content(doc: &'static str) -> Field {
    let kind = FieldKind::Text(Length::Bytes(MAX_CONTENT_BYTES));
    changeable("description", kind, doc)
}
