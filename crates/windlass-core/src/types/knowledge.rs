//! The types of the project's memory.

use super::{KIB, TypeDeclaration};
use crate::Field;
use crate::fields::{FieldKind, Length};

pub(super) static DECISION: TypeDeclaration = TypeDeclaration {
    name: "decision",
    plural: "decisions",
    doc: "A choice that was made, why, and what follows from it.",
    fields: &[
        Field::new(
            "status",
            FieldKind::Choice(&["proposed", "accepted", "deprecated", "superseded"]),
            "Where the decision stands.",
        )
        .default("proposed"),
        Field::new(
            "context",
            FieldKind::Text(Length::Bytes(50 * KIB)),
            "What made the decision necessary.",
        )
        .searchable(),
        Field::new(
            "consequences",
            FieldKind::TextList(Length::Bytes(KIB)),
            "What follows from the decision, one text each.",
        )
        .searchable(),
        Field::new(
            "superseded_by",
            FieldKind::Entity,
            "The decision that replaced this one; the status must then be superseded.",
        ),
    ],
    plan: None,
};

pub(super) static NOTE: TypeDeclaration = TypeDeclaration {
    name: "note",
    plural: "notes",
    doc: "Something worth remembering.",
    fields: &[Field::new(
        "note_type",
        FieldKind::Text(Length::Chars(50)),
        "What sort of note it is, for example meeting or research.",
    )
    .searchable()],
    plan: None,
};

pub(super) static PROMPT: TypeDeclaration = TypeDeclaration {
    name: "prompt",
    plural: "prompts",
    doc: "A text for a model, with variables to fill in.",
    fields: &[
        Field::new(
            "template",
            FieldKind::Text(Length::Bytes(50 * KIB)),
            "The text, with {{variable}} where a value goes.",
        )
        .searchable(),
        Field::new(
            "variables",
            FieldKind::TextList(Length::Chars(100)),
            "The names of the variables in the template.",
        ),
        Field::new(
            "output_schema",
            FieldKind::JsonText(10 * KIB),
            "A JSON schema of the wanted answer, as text.",
        ),
    ],
    plan: None,
};

pub(super) static COMPONENT: TypeDeclaration = TypeDeclaration {
    name: "component",
    plural: "components",
    doc: "A part of the system that others refer to.",
    fields: &[
        Field::new(
            "component_type",
            FieldKind::Text(Length::Chars(50)),
            "What sort of part it is, for example service or library.",
        )
        .searchable(),
        Field::new(
            "status",
            FieldKind::Choice(&["active", "deprecated", "planned"]),
            "Whether the part is in use.",
        )
        .default("active"),
        Field::new(
            "owner",
            FieldKind::Text(Length::Chars(100)),
            "Who looks after it.",
        )
        .searchable(),
    ],
    plan: None,
};

pub(super) static LINK: TypeDeclaration = TypeDeclaration {
    name: "link",
    plural: "links",
    doc: "Something on the web that belongs to the project.",
    fields: &[
        Field::new(
            "url",
            FieldKind::Url(2 * KIB),
            "The whole address, with its scheme.",
        )
        .required()
        .searchable(),
        Field::new(
            "link_type",
            FieldKind::Text(Length::Chars(50)),
            "What sort of thing is there, for example docs or issue.",
        )
        .searchable(),
    ],
    plan: None,
};
