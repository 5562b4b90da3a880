//! The fields of an entity as part of an output: properties in JSON, lines and sections for people,
//! sections of a briefing.

use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json, json};
use windlass_core::{
    Briefing, Dialect, Entity, Field, FieldKind, McpServer, Priority, Result, additional_disabled,
};

use super::kinds;
use super::sets::PlanType;
use crate::outputs::{priority_span, status_span};
use crate::view::{Span, Style, View};

/// What the plan shows of an entity. To be flattened into an output.
#[derive(Debug, Clone)]
pub struct FieldOutputs<T> {
    values: Map<String, Json>,
    of: PhantomData<T>,
}

/// A value as a briefing shows it.
pub enum BriefingValue {
    Text(String),
    List(Vec<String>),
}

impl<T: PlanType> From<&Entity> for FieldOutputs<T> {
    fn from(entity: &Entity) -> Self {
        let mut values = entity.properties_in(Dialect::Plan);
        if let Some(words) = &T::ENTITY.declaration().plan {
            values.insert(words.title.name.to_owned(), json!(entity.title));
            values.insert(words.content.name.to_owned(), json!(entity.content));
        }
        let shown = fields::<T>().filter_map(|field| {
            let value = values.shift_remove(field.name);
            let value = value.filter(|value| !value.is_null());
            let value = value.or_else(|| nothing(field))?;
            Some((field.name.to_owned(), value))
        });
        Self {
            values: shown.collect(),
            of: PhantomData,
        }
    }
}

fn fields<T: PlanType>() -> impl Iterator<Item = &'static Field> {
    T::ENTITY.declaration().plan_fields()
}

/// The default for a field without a value; texts and numbers are omitted.
fn nothing(field: &Field) -> Option<Json> {
    match field.kind {
        FieldKind::ToolOverrides => Some(json!({"additional_disabled": []})),
        FieldKind::Servers => Some(json!([])),
        kind if kind.is_list() => Some(json!([])),
        FieldKind::Priority => Priority::parse_any(field.default?)
            .map(|priority| Dialect::Plan.priority(priority).into()),
        _ => field.default.map(Json::from),
    }
}

impl<T: PlanType> FieldOutputs<T> {
    pub fn title(&self) -> &str {
        let words = T::ENTITY.declaration().plan.as_ref();
        words
            .and_then(|words| self.values.get(words.title.name)?.as_str())
            .unwrap_or_default()
    }

    /// The short ones, each with its label.
    pub fn lines(&self) -> Vec<(String, Span)> {
        let title = T::ENTITY.declaration().plan.as_ref();
        let title = title.map(|words| words.title.name);
        let short =
            fields::<T>().filter(|field| field.kind.is_short() && Some(field.name) != title);
        short
            .filter_map(|field| {
                let text = self.text(field).filter(|text| !text.is_empty())?;
                let span = match field.kind {
                    FieldKind::TaskStatus => status_span(&text),
                    FieldKind::Priority => priority_span(&text),
                    FieldKind::Name => Span::new(text, Style::Id),
                    _ => Span::from(text),
                };
                Some((field.shown_label(), span))
            })
            .collect()
    }

    /// The long ones, each below its label.
    pub fn sections(&self, view: View) -> View {
        fields::<T>()
            .filter(|field| !field.kind.is_short())
            .fold(view, |view, field| match self.value(field) {
                Some(BriefingValue::Text(text)) => view.section(&field.shown_label(), Some(&text)),
                Some(BriefingValue::List(items)) => view.list(&field.shown_label(), &items),
                None => view,
            })
    }

    /// The part of a session's briefing.
    pub fn briefing(&self) -> impl Iterator<Item = (Briefing, BriefingValue)> {
        fields::<T>().filter_map(|field| Some((field.plan?.briefing?, self.value(field)?)))
    }

    fn value(&self, field: &Field) -> Option<BriefingValue> {
        let value = self.values.get(field.name)?;
        let items = match field.kind {
            FieldKind::Servers => McpServer::all_of(Some(&value.to_string()))
                .into_iter()
                .map(|server| {
                    let (name, command) = (server.name, server.command);
                    format!("{name}: {command} {}", server.args.join(" "))
                })
                .collect(),
            FieldKind::ToolOverrides => additional_disabled(Some(&value.to_string())),
            kind if kind.is_list() => texts(value),
            _ => return self.text(field).map(BriefingValue::Text),
        };
        Some(BriefingValue::List(items))
    }

    fn text(&self, field: &Field) -> Option<String> {
        match self.values.get(field.name)? {
            Json::String(text) => Some(text.clone()),
            list @ Json::Array(_) => Some(texts(list).join(", ")),
            other => Some(other.to_string()),
        }
    }
}

fn texts(list: &Json) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

impl<T> Serialize for FieldOutputs<T> {
    fn serialize<O: Serializer>(&self, serializer: O) -> Result<O::Ok, O::Error> {
        self.values.serialize(serializer)
    }
}

impl<T: PlanType> JsonSchema for FieldOutputs<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Fields".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in fields::<T>() {
            let schema = kinds::schema(field.kind, generator);
            properties.insert(field.name.to_owned(), schema);
            if field.required || nothing(field).is_some() {
                required.push(field.name);
            }
        }
        json_schema!({"type": "object", "properties": properties, "required": required})
    }
}
