//! What features and disciplines have in common: they are known by name.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Dialect, Draft, Entity, EntityType, Error, Result};
use windlass_store::Writer;

use super::outputs::Deleted;
use super::tasks::Changes;
use crate::view::{Span, Style};

/// A feature or discipline in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NamedRow {
    pub name: String,
    pub display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acronym: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl From<&Entity> for NamedRow {
    fn from(entity: &Entity) -> Self {
        let text = |field: &str| entity.text(field).map(str::to_owned);
        Self {
            name: text("name").unwrap_or_default(),
            display_name: entity.title.clone(),
            acronym: text("acronym"),
            icon: text("icon"),
            color: text("color"),
            description: entity.content.clone(),
        }
    }
}

impl NamedRow {
    pub fn row(&self) -> Vec<Span> {
        let first_line = self
            .description
            .as_deref()
            .unwrap_or_default()
            .lines()
            .next();
        let title = match &self.icon {
            Some(icon) => format!("{icon} {}", self.display_name),
            None => self.display_name.clone(),
        };
        vec![
            Span::new(self.name.clone(), Style::Id),
            Span::new(self.acronym.clone().unwrap_or_default(), Style::Dim),
            Span::from(title),
            Span::from(first_line.unwrap_or_default()),
        ]
    }
}

/// What a new feature or discipline is called.
pub struct New<'a> {
    pub name: &'a str,
    pub display_name: &'a str,
    pub description: Option<&'a str>,
    /// Made from the name where it is absent.
    pub acronym: Option<&'a str>,
}

pub fn create(
    writer: &Writer<'_>,
    kind: EntityType,
    new: &New<'_>,
    mut fields: Changes,
) -> Result<Entity> {
    required("display_name", new.display_name)?;
    fields.text("name", Some(new.name));
    match new.acronym {
        Some(acronym) => fields.text("acronym", Some(acronym)),
        None => fields.text("acronym", writer.free_acronym(kind, new.name)?.as_deref()),
    }
    let draft = Draft::new(
        kind,
        new.display_name,
        new.description,
        &[],
        &fields.0,
        Dialect::Plan,
    )?;
    writer.create(draft)
}

pub fn delete(writer: &Writer<'_>, kind: EntityType, name: &str) -> Result<Deleted> {
    let entity = writer.by_name("name", kind, name)?;
    writer.delete(&entity.id)?;
    Ok(Deleted::named(name, entity.title))
}

pub fn required(field: &str, given: &str) -> Result<()> {
    if given.trim().is_empty() {
        return Err(Error::validation(field, "is required"));
    }
    Ok(())
}
