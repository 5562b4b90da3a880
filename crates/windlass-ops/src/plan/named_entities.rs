//! What features and disciplines have in common: they are identified by name.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use windlass_core::{Dialect, Entity, EntityType, Result};
use windlass_store::{Reader, Writer};

use super::outputs::{Deleted, all_of};
use crate::entity_fields::{Changed, FieldArguments, New, PlanType};
use crate::view::{Column, Span, Style, View};

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

/// All features or all disciplines, in the order in which they were created.
#[derive(Debug, Clone)]
pub struct NamedRows<T> {
    rows: Vec<NamedRow>,
    of: PhantomData<T>,
}

impl<T: PlanType> NamedRows<T> {
    pub fn read(reader: &Reader<'_>) -> Result<Self> {
        let entities = all_of(reader, T::ENTITY)?;
        Ok(Self {
            rows: entities.iter().map(NamedRow::from).collect(),
            of: PhantomData,
        })
    }

    /// What people see; `empty` if there are none.
    pub fn table(&self, empty: &str) -> View {
        if self.rows.is_empty() {
            return View::nothing(empty);
        }
        let columns = vec![
            Column::new("NAME"),
            Column::new("ACRONYM"),
            Column::new("TITLE"),
            Column::new("DESCRIPTION").shrinking(),
        ];
        View::default().table(columns, self.rows.iter().map(NamedRow::row).collect())
    }
}

impl<T: PlanType> Serialize for NamedRows<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let plural = T::ENTITY.declaration().plural;
        serializer.collect_map([(plural, &self.rows)])
    }
}

impl<T: PlanType> JsonSchema for NamedRows<T> {
    fn schema_name() -> Cow<'static, str> {
        T::ENTITY.declaration().plural.into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let declaration = T::ENTITY.declaration();
        let rows = generator.subschema_for::<Vec<NamedRow>>();
        json_schema!({
            "description": format!("The {} of the project.", declaration.plural),
            "type": "object",
            "properties": {declaration.plural: rows},
            "required": [declaration.plural],
        })
    }
}

/// Creates a feature or a discipline. Without an acronym it gets one derived from its name.
pub fn create<T: PlanType>(
    writer: &Writer<'_>,
    mut fields: FieldArguments<New<T>>,
) -> Result<Entity> {
    if fields.text("acronym").is_none()
        && let Some(name) = fields.text("name")
        && let Some(acronym) = writer.free_acronym(T::ENTITY, name)?
    {
        fields = fields.with("acronym", acronym);
    }
    writer.create(fields.into_draft(&[])?)
}

/// Changes the feature or discipline of the given name.
pub fn update<T: PlanType>(
    writer: &Writer<'_>,
    fields: FieldArguments<Changed<T>>,
) -> Result<Entity> {
    let name = fields.text("name").unwrap_or_default().to_owned();
    let patch = fields.without("name").into_patch()?;
    let entity = writer.by_name("name", T::ENTITY, &name)?;
    writer.update(&entity.id, &patch, Dialect::Plan)
}

pub fn delete(writer: &Writer<'_>, kind: EntityType, name: &str) -> Result<Deleted> {
    let entity = writer.by_name("name", kind, name)?;
    writer.delete(&entity.id)?;
    Ok(Deleted::named(name, entity.title))
}
