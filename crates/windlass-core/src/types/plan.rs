//! The types of the project's plan.

use super::{EntityType, KIB, MAX_CONTEXT_FILES, TypeDeclaration};
use crate::Field;
use crate::fields::{FieldKind, Length};

const ACRONYM: &str = "Four capital letters or digits, unique among its kind.";

pub(super) static TASK: TypeDeclaration = TypeDeclaration {
    name: "task",
    plural: "tasks",
    doc: "A piece of work.",
    fields: &[
        Field::new("status", FieldKind::TaskStatus, "Where the work stands.").default("pending"),
        Field::new("priority", FieldKind::Priority, "How urgent the task is.").default("normal"),
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
        ),
        Field::new(
            "discipline",
            FieldKind::Named(EntityType::Discipline),
            "The craft that it needs, by name.",
        ),
        Field::new(
            "kind",
            FieldKind::Choice(&["milestone", "task", "subtask"]),
            "Its place in the hierarchy.",
        )
        .unlisted(),
        Field::new(
            "acceptance_criteria",
            FieldKind::TextList(Length::Bytes(KIB)),
            "What must hold when it is done, one text each.",
        )
        .searchable()
        .unlisted(),
        Field::new(
            "context_files",
            FieldKind::Paths(MAX_CONTEXT_FILES),
            "Files to read first, as paths in the project.",
        )
        .unlisted(),
        Field::new(
            "output_artifacts",
            FieldKind::Paths(MAX_CONTEXT_FILES),
            "Files that the work brings about, as paths in the project.",
        )
        .unlisted(),
        Field::new(
            "hints",
            FieldKind::Text(Length::Bytes(50 * KIB)),
            "Advice for whoever does it.",
        )
        .searchable()
        .unlisted(),
        Field::new(
            "estimated_turns",
            FieldKind::Whole(10_000),
            "How many turns an agent may need.",
        )
        .unlisted(),
        Field::new(
            "pseudocode",
            FieldKind::Text(Length::Bytes(50 * KIB)),
            "How it could be done, step by step.",
        )
        .searchable()
        .unlisted(),
        managed("enriched_at", "When the draft was worked out."),
        managed("provenance", "Who made it: agent, human or system."),
        managed("started_at", "When work on it began."),
        managed("completed_at", "When it was done."),
        managed("start_commit", "The commit that work began at."),
        managed("start_branch", "The branch that work began on."),
        managed("submit_commit", "The commit that was last submitted."),
    ],
};

pub(super) static FEATURE: TypeDeclaration = TypeDeclaration {
    name: "feature",
    plural: "features",
    doc: "A part of the product that tasks belong to. Its title is the name that people read.",
    fields: &[
        Field::new(
            "name",
            FieldKind::Name,
            "What it is called everywhere else, unique among its kind.",
        )
        .required()
        .searchable()
        .unlisted(),
        Field::new("acronym", FieldKind::Acronym, ACRONYM).unlisted(),
        Field::new(
            "knowledge_paths",
            FieldKind::Paths(10),
            "Folders and files that explain it, as paths in the project.",
        )
        .unlisted(),
        Field::new(
            "context_files",
            FieldKind::Paths(MAX_CONTEXT_FILES),
            "Files to read first, as paths in the project.",
        )
        .unlisted(),
        Field::new(
            "architecture",
            FieldKind::Text(Length::Bytes(50 * KIB)),
            "How it is built.",
        )
        .searchable()
        .unlisted(),
        Field::new(
            "boundaries",
            FieldKind::Text(Length::Bytes(50 * KIB)),
            "What does not belong to it.",
        )
        .searchable()
        .unlisted(),
        Field::new(
            "dependencies",
            FieldKind::NamedList(EntityType::Feature),
            "Features that it builds on, by name.",
        )
        .unlisted(),
    ],
};

pub(super) static DISCIPLINE: TypeDeclaration = TypeDeclaration {
    name: "discipline",
    plural: "disciplines",
    doc: "A craft that tasks need. Its title is the name that people read.",
    fields: &[
        Field::new(
            "name",
            FieldKind::Name,
            "What it is called everywhere else, unique among its kind.",
        )
        .required()
        .searchable()
        .unlisted(),
        Field::new("acronym", FieldKind::Acronym, ACRONYM).unlisted(),
        Field::new(
            "icon",
            FieldKind::Text(Length::Chars(50)),
            "A sign for it, for example an emoji or the name of an icon.",
        )
        .unlisted(),
        Field::new(
            "color",
            FieldKind::Text(Length::Chars(50)),
            "Its colour, for example #3b82f6.",
        )
        .unlisted(),
        Field::new(
            "system_prompt",
            FieldKind::Text(Length::Bytes(50 * KIB)),
            "How an agent of this craft works.",
        )
        .searchable()
        .unlisted(),
        Field::new(
            "skills",
            FieldKind::TextList(Length::Chars(200)),
            "What it can do, one text each.",
        )
        .searchable()
        .unlisted(),
        Field::new(
            "conventions",
            FieldKind::Text(Length::Bytes(50 * KIB)),
            "The rules that its work follows.",
        )
        .searchable()
        .unlisted(),
        Field::new(
            "mcp_servers",
            FieldKind::Servers,
            "Other MCP servers that its sessions get: name, command, args, env. Set by people.",
        )
        .for_people(),
        Field::new(
            "mcp_tool_overrides",
            FieldKind::ToolOverrides,
            "Tools that its sessions do not get: additional_disabled. Set by people.",
        )
        .for_people(),
    ],
};

/// A field that operations set on their own account.
const fn managed(name: &'static str, doc: &'static str) -> Field {
    Field::new(name, FieldKind::Text(Length::Chars(200)), doc).managed()
}
