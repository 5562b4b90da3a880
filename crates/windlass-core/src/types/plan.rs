//! The types of the project's plan.
//!
//! A field is declared here and nowhere else: the inputs, outputs and views of the plan's tools, the
//! flags of the command line and the briefing of a session follow from these tables, in this order.

use super::{EntityType, KIB, MAX_CONTENT_BYTES, MAX_CONTEXT_FILES, MAX_TITLE_CHARS};
use super::{PlanWords, TypeDeclaration};
use crate::Field;
use crate::fields::{FieldKind, Length};
use crate::plan::{Argument, PlanUse};

const ACRONYM: &str = "Four of A-Z and 0-9, unique among its kind; the plan makes one from the name \
                       of a new entity that has none.";
const NAME: &str = "The name that everything else refers to it by, unique among its kind.";

/// A text as long as a document.
const DOCUMENT: FieldKind = FieldKind::Text(Length::Bytes(50 * KIB));

pub(super) static TASK: TypeDeclaration = TypeDeclaration {
    name: "task",
    plural: "tasks",
    doc: "A piece of work.",
    fields: &[
        Field::new("status", FieldKind::TaskStatus, "Where the work stands.")
            .default("pending")
            .plan(PlanUse::SHOWN),
        Field::new("priority", FieldKind::Priority, "How urgent the task is.")
            .default("normal")
            .plan(PlanUse::CHANGEABLE),
        Field::new(
            "due_date",
            FieldKind::Date,
            "The day by which it should be done, YYYY-MM-DD.",
        ),
        Field::new(
            "assignee",
            FieldKind::Text(Length::Chars(100)),
            "Who works on it.",
        ),
        Field::new(
            "feature",
            FieldKind::Named(EntityType::Feature),
            "The feature that it belongs to, by name.",
        )
        .plan(PlanUse::SHOWN),
        Field::new(
            "discipline",
            FieldKind::Named(EntityType::Discipline),
            "The craft that it needs, by name.",
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
            "What must hold when it is done, one text each.",
        )
        .searchable()
        .singular("criterion")
        .plan(
            PlanUse::CHANGEABLE
                .enriched(Argument::Optional)
                .briefing("It is finished when"),
        ),
        changeable(
            "pseudocode",
            DOCUMENT,
            "How it could be done, step by step.",
        )
        .searchable()
        .plan(
            PlanUse::SHOWN
                .enriched(Argument::Required)
                .briefing("How it could be done"),
        ),
        changeable("hints", DOCUMENT, "Advice for whoever does it.")
            .searchable()
            .plan(PlanUse::CHANGEABLE.briefing("Hints")),
        changeable(
            "context_files",
            FieldKind::Paths(MAX_CONTEXT_FILES),
            "Files to read first, as paths in the project.",
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
            "Files that the work brings about, as paths in the project.",
        )
        .singular("output_artifact")
        .plan(PlanUse::CHANGEABLE.briefing("It brings about")),
        changeable(
            "estimated_turns",
            FieldKind::Whole(10_000),
            "How many turns an agent may need.",
        )
        .label("turns"),
        managed("enriched_at", "When the draft was worked out.")
            .label("enriched")
            .plan(PlanUse::SHOWN),
        managed("provenance", "Who made it: agent, human or system.")
            .label("created by")
            .plan(PlanUse::SHOWN),
        managed("started_at", "When work on it began."),
        managed("completed_at", "When it was done.")
            .label("completed")
            .plan(PlanUse::SHOWN),
        managed("start_commit", "The commit that work began at."),
        managed("start_branch", "The branch that work began on."),
        managed("submit_commit", "The commit that was last submitted."),
    ],
    plan: Some(PlanWords {
        title: title("title", "What is to be done, in a few words."),
        content: content("What is to be done, at length.").plan(PlanUse::CHANGEABLE.introduction()),
    }),
};

pub(super) static FEATURE: TypeDeclaration = TypeDeclaration {
    name: "feature",
    plural: "features",
    doc: "A part of the product that tasks belong to. Its title is the name that people read.",
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
        changeable("boundaries", DOCUMENT, "What does not belong to it.")
            .searchable()
            .plan(PlanUse::CHANGEABLE.briefing("Boundaries")),
        changeable(
            "knowledge_paths",
            FieldKind::Paths(10),
            "Folders and files that explain it, as paths in the project.",
        )
        .singular("knowledge_path")
        .label("knowledge")
        .plan(PlanUse::CHANGEABLE.briefing("Where it is explained")),
        changeable(
            "context_files",
            FieldKind::Paths(MAX_CONTEXT_FILES),
            "Files to read first, as paths in the project.",
        )
        .singular("context_file")
        .plan(PlanUse::CHANGEABLE.briefing("Files that matter")),
        changeable(
            "dependencies",
            FieldKind::NamedList(EntityType::Feature),
            "Features that it builds on, by name.",
        )
        .label("builds on"),
    ],
    plan: Some(PlanWords {
        title: title("display_name", "What people call it."),
        content: content("What it is for.").plan(PlanUse::CHANGEABLE.introduction()),
    }),
};

pub(super) static DISCIPLINE: TypeDeclaration = TypeDeclaration {
    name: "discipline",
    plural: "disciplines",
    doc: "A craft that tasks need. Its title is the name that people read.",
    fields: &[
        changeable("name", FieldKind::Name, NAME)
            .required()
            .searchable()
            .plan(PlanUse::KEY),
        changeable("acronym", FieldKind::Acronym, ACRONYM).plan(PlanUse::CREATED),
        changeable(
            "icon",
            FieldKind::Text(Length::Chars(50)),
            "A sign for it, for example an emoji or the name of an icon.",
        )
        .plan(PlanUse::MANDATORY),
        changeable(
            "color",
            FieldKind::Text(Length::Chars(50)),
            "Its colour, for example #3b82f6.",
        )
        .plan(PlanUse::MANDATORY),
        changeable(
            "system_prompt",
            DOCUMENT,
            "How an agent of this craft works.",
        )
        .searchable()
        .plan(PlanUse::CHANGEABLE.introduction()),
        changeable("conventions", DOCUMENT, "The rules that its work follows.")
            .searchable()
            .plan(PlanUse::CHANGEABLE.briefing("Conventions")),
        changeable(
            "skills",
            FieldKind::TextList(Length::Chars(200)),
            "What it can do, one text each.",
        )
        .searchable()
        .singular("skill")
        .plan(PlanUse::CHANGEABLE.briefing("Skills")),
        changeable(
            "mcp_servers",
            FieldKind::Servers,
            "Other MCP servers that its sessions get: name, command, args, env. Set by people.",
        )
        .for_people()
        .label("MCP servers"),
        changeable(
            "mcp_tool_overrides",
            FieldKind::ToolOverrides,
            "Tools that its sessions do not get: additional_disabled. Set by people.",
        )
        .for_people()
        .label("tools taken away"),
    ],
    plan: Some(PlanWords {
        title: title("display_name", "What people call it."),
        content: content("What it is for."),
    }),
};

/// A field that callers of the plan's tools may give when they create and when they update. What
/// differs is said with [`Field::plan`].
const fn changeable(name: &'static str, kind: FieldKind, doc: &'static str) -> Field {
    Field::new(name, kind, doc)
        .unlisted()
        .plan(PlanUse::CHANGEABLE)
}

/// A field that operations set on their own account.
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
