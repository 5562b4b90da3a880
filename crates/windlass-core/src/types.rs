//! The entity types. A type is one declaration: its fields with their rules, its statuses, and
//! which text search looks into. Adding a type is one row here.

use crate::fields::{FieldKind, Length};
use crate::{Dialect, Error, ErrorKind, Field, Result};

pub const MAX_TITLE_CHARS: usize = 500;
pub const MAX_CONTENT_BYTES: usize = 102_400;

const KIB: usize = 1024;

/// What an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntityType {
    Decision,
    Task,
    Note,
    Prompt,
    Component,
    Link,
}

/// Everything that makes a type what it is.
#[derive(Debug)]
pub struct TypeDeclaration {
    pub name: &'static str,
    pub plural: &'static str,
    pub doc: &'static str,
    pub fields: &'static [Field],
}

impl TypeDeclaration {
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

static DECISION: TypeDeclaration = TypeDeclaration {
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
};

static TASK: TypeDeclaration = TypeDeclaration {
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
    ],
};

static NOTE: TypeDeclaration = TypeDeclaration {
    name: "note",
    plural: "notes",
    doc: "Something worth remembering.",
    fields: &[Field::new(
        "note_type",
        FieldKind::Text(Length::Chars(50)),
        "What sort of note it is, for example meeting or research.",
    )
    .searchable()],
};

static PROMPT: TypeDeclaration = TypeDeclaration {
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
};

static COMPONENT: TypeDeclaration = TypeDeclaration {
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
};

static LINK: TypeDeclaration = TypeDeclaration {
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
};

impl EntityType {
    pub const ALL: [Self; 6] = [
        Self::Decision,
        Self::Task,
        Self::Note,
        Self::Prompt,
        Self::Component,
        Self::Link,
    ];

    pub const NAMES: [&'static str; 6] =
        ["decision", "task", "note", "prompt", "component", "link"];

    pub fn declaration(self) -> &'static TypeDeclaration {
        match self {
            Self::Decision => &DECISION,
            Self::Task => &TASK,
            Self::Note => &NOTE,
            Self::Prompt => &PROMPT,
            Self::Component => &COMPONENT,
            Self::Link => &LINK,
        }
    }

    pub fn name(self) -> &'static str {
        self.declaration().name
    }

    /// The type of that name, singular or plural.
    pub fn parse(given: &str) -> Result<Self> {
        let word = given.trim();
        Self::ALL
            .into_iter()
            .find(|kind| {
                let declaration = kind.declaration();
                word == declaration.name || word == declaration.plural
            })
            .ok_or_else(|| {
                let mut hint = format!("Use one of: {}.", Self::NAMES.join(", "));
                if let Some(near) = crate::nearest(word, Self::NAMES) {
                    hint = format!("Did you mean \"{near}\"? {hint}");
                }
                Error::new(
                    ErrorKind::EntityTypeInvalid,
                    format!("\"{given}\" is not an entity type"),
                )
                .with("provided", given)
                .with("valid", serde_json::json!(Self::NAMES))
                .with("field", "type")
                .with_hint(hint)
            })
    }

    /// The words that a status filter may use for this type.
    pub fn statuses(self, dialect: Dialect) -> &'static [&'static str] {
        self.declaration()
            .field("status")
            .and_then(|field| field.choices(dialect))
            .unwrap_or_default()
    }
}

/// Trimmed, and 1 to 500 characters.
pub fn check_title(given: &str) -> Result<String> {
    let title = given.trim();
    let count = title.chars().count();
    if count == 0 {
        return Err(Error::new(ErrorKind::TitleRequired, "title: is required")
            .with("field", "title")
            .with("message", "is required"));
    }
    if count > MAX_TITLE_CHARS {
        let message = format!("has {count} characters, at most {MAX_TITLE_CHARS}");
        return Err(
            Error::new(ErrorKind::TitleTooLong, format!("title: {message}"))
                .with("field", "title")
                .with("message", message)
                .with("max", MAX_TITLE_CHARS)
                .with("actual", count)
                .with_hint("Keep the title short and put the rest into content."),
        );
    }
    Ok(title.to_owned())
}

/// At most 102,400 bytes. Empty content is no content.
pub fn check_content(given: &str) -> Result<Option<String>> {
    if given.len() > MAX_CONTENT_BYTES {
        let message = format!("has {} bytes, at most {MAX_CONTENT_BYTES}", given.len());
        return Err(
            Error::new(ErrorKind::ContentTooLarge, format!("content: {message}"))
                .with("field", "content")
                .with("message", message)
                .with("max", MAX_CONTENT_BYTES)
                .with("actual", given.len())
                .with_hint("Split it into several entities and relate them."),
        );
    }
    Ok((!given.trim().is_empty()).then(|| given.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_with_declarations() {
        for (kind, name) in EntityType::ALL.into_iter().zip(EntityType::NAMES) {
            assert_eq!(kind.name(), name);
            assert_eq!(EntityType::parse(name), Ok(kind));
            assert_eq!(EntityType::parse(kind.declaration().plural), Ok(kind));
            for field in kind.declaration().fields {
                assert!(
                    field.doc.ends_with('.'),
                    "{name}.{} is documented",
                    field.name
                );
            }
        }
    }

    #[test]
    fn unknown_types_get_a_hint() {
        let error = EntityType::parse("decison").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::EntityTypeInvalid);
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("\"decision\""))
        );
        assert_eq!(error.data()["provided"], "decison");
    }

    #[test]
    fn titles_at_their_limits() {
        assert_eq!(check_title(" x "), Ok("x".into()));
        assert!(check_title(&"é".repeat(500)).is_ok());
        let error = check_title(&"é".repeat(501)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TitleTooLong);
        assert_eq!(error.data()["actual"], 501);
        for empty in ["", "   ", "\n\t", "\u{3000}"] {
            assert_eq!(
                check_title(empty).unwrap_err().kind(),
                ErrorKind::TitleRequired
            );
        }
    }

    #[test]
    fn content_at_its_limit() {
        assert!(check_content(&"a".repeat(102_400)).is_ok());
        let error = check_content(&"a".repeat(102_401)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ContentTooLarge);
        assert!(
            check_content(&"é".repeat(51_201)).is_err(),
            "bytes, not characters"
        );
        assert_eq!(check_content("  "), Ok(None));
    }
}
