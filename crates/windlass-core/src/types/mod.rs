//! The entity types. A type is one declaration: its fields with their rules, its statuses, and
//! which text search includes. Adding a type takes one row here and one declaration in a submodule.

mod knowledge;
mod plan;

use knowledge::{COMPONENT, DECISION, LINK, NOTE, PROMPT};
use plan::{DISCIPLINE, FEATURE, TASK};

use crate::{Dialect, Error, ErrorKind, Field, FieldKind, Result};

pub const MAX_TITLE_CHARS: usize = 500;
pub const MAX_CONTENT_BYTES: usize = 102_400;

/// How many files a task or a feature may refer to.
pub const MAX_CONTEXT_FILES: usize = 30;

pub(crate) const KIB: usize = 1024;

/// The type of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntityType {
    Decision,
    Task,
    Note,
    Prompt,
    Component,
    Link,
    Feature,
    Discipline,
}

/// The declaration of an entity type.
#[derive(Debug)]
pub struct TypeDeclaration {
    pub name: &'static str,
    pub plural: &'static str,
    pub doc: &'static str,
    pub fields: &'static [Field],
    pub plan: Option<PlanWords>,
}

/// The names that the plan tools use for the title and the content of a type.
#[derive(Debug)]
pub struct PlanWords {
    pub title: Field,
    pub content: Field,
}

impl TypeDeclaration {
    /// All fields that the plan tools take or show, in the order of inputs and outputs: the name,
    /// the title, the content, the rest.
    pub fn plan_fields(&'static self) -> impl Iterator<Item = &'static Field> {
        let is_name = |field: &&Field| field.kind == FieldKind::Name;
        let names = self.fields.iter().filter(is_name);
        let words = self
            .plan
            .iter()
            .flat_map(|words| [&words.title, &words.content]);
        let rest = self.fields.iter().filter(move |field| !is_name(field));
        names
            .chain(words)
            .chain(rest)
            .filter(|field| field.plan.is_some())
    }

    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl EntityType {
    pub const ALL: [Self; 8] = [
        Self::Decision,
        Self::Task,
        Self::Note,
        Self::Prompt,
        Self::Component,
        Self::Link,
        Self::Feature,
        Self::Discipline,
    ];

    pub const NAMES: [&'static str; 8] = [
        "decision",
        "task",
        "note",
        "prompt",
        "component",
        "link",
        "feature",
        "discipline",
    ];

    pub fn declaration(self) -> &'static TypeDeclaration {
        match self {
            Self::Decision => &DECISION,
            Self::Task => &TASK,
            Self::Note => &NOTE,
            Self::Prompt => &PROMPT,
            Self::Component => &COMPONENT,
            Self::Link => &LINK,
            Self::Feature => &FEATURE,
            Self::Discipline => &DISCIPLINE,
        }
    }

    pub fn name(self) -> &'static str {
        self.declaration().name
    }

    /// The type with that name, singular or plural.
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

    /// The words that a status filter accepts for this type.
    pub fn statuses(self, dialect: Dialect) -> &'static [&'static str] {
        self.declaration()
            .field("status")
            .and_then(|field| field.choices(dialect))
            .unwrap_or_default()
    }
}

/// Trims the title; 1 to 500 characters.
pub fn check_title(given: &str) -> Result<String> {
    let title = given.trim();
    let count = title.chars().count();
    if count == 0 {
        return Err(Error::new(ErrorKind::TitleRequired, "title: is required")
            .with("field", "title")
            .with("message", "is required"));
    }
    if count > MAX_TITLE_CHARS {
        let message = format!("has {count} characters; at most {MAX_TITLE_CHARS} are allowed");
        return Err(
            Error::new(ErrorKind::TitleTooLong, format!("title: {message}"))
                .with("field", "title")
                .with("message", message)
                .with("max", MAX_TITLE_CHARS)
                .with("actual", count)
                .with_hint("Shorten the title and put the rest into content."),
        );
    }
    Ok(title.to_owned())
}

/// At most 102,400 bytes. Blank content becomes `None`.
pub fn check_content(given: &str) -> Result<Option<String>> {
    if given.len() > MAX_CONTENT_BYTES {
        let message = format!(
            "has {} bytes; at most {MAX_CONTENT_BYTES} are allowed",
            given.len()
        );
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
    fn unknown_types_get_a_suggestion() {
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
    fn title_length_is_limited() {
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
    fn content_size_is_limited() {
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
