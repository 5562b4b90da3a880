//! The entity types of the knowledge contract.

use super::{KIB, TypeDeclaration};
use crate::Field;
use crate::fields::{FieldKind, Length};

pub(super) static DECISION: TypeDeclaration = TypeDeclaration {
    name: "decision",
    plural: "decisions",
    doc: "A decision, its context and its consequences.",
    fields: &[
        Field::new(
            "status",
            FieldKind::Choice(&["proposed", "accepted", "deprecated", "superseded"]),
            "The status of the decision.",
        )
        .default("proposed"),
        Field::new(
            "context",
            FieldKind::Text(Length::Bytes(50 * KIB)),
            "Why the decision was needed.",
        )
        .searchable(),
        Field::new(
            "consequences",
            FieldKind::TextList(Length::Bytes(KIB)),
            "The consequences of the decision, one text each.",
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
        "The type of the note, for example meeting or research.",
    )
    .searchable()],
    plan: None,
};

pub(super) static PROMPT: TypeDeclaration = TypeDeclaration {
    name: "prompt",
    plural: "prompts",
    doc: "A prompt template for a model.",
    fields: &[
        Field::new(
            "template",
            FieldKind::Text(Length::Bytes(50 * KIB)),
            "The text, with {{variable}} placeholders.",
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
            "A JSON schema of the expected output, as text.",
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
            "The type of the component, for example service or library.",
        )
        .searchable(),
        Field::new(
            "status",
            FieldKind::Choice(&["active", "deprecated", "planned"]),
            "Whether the component is in use.",
        )
        .default("active"),
        Field::new("owner", FieldKind::Text(Length::Chars(100)), "Who owns it.").searchable(),
    ],
    plan: None,
};

pub(super) static LINK: TypeDeclaration = TypeDeclaration {
    name: "link",
    plural: "links",
    doc: "A web page related to the project.",
    fields: &[
        Field::new(
            "url",
            FieldKind::Url(2 * KIB),
            "The absolute URL, with its scheme.",
        )
        .required()
        .searchable(),
        Field::new(
            "link_type",
            FieldKind::Text(Length::Chars(50)),
            "The type of the page, for example docs or issue.",
        )
        .searchable(),
    ],
    plan: None,
};
