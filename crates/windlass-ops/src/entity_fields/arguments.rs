//! The fields of an entity as arguments of an operation: properties of its input in JSON, arguments
//! and flags on the command line.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json, json};
use windlass_core::{Argument, Dialect, Draft, Error, Field, Patch, Result, check_title};

use super::kinds;
use super::sets::FieldSet;

/// The fields of a set that a caller gave. To be flattened into an input, with
/// `deserialize_with = "crate::input::part"`.
#[derive(Debug, Clone)]
pub struct FieldArguments<S> {
    values: Map<String, Json>,
    set: PhantomData<S>,
}

impl<S: FieldSet> FieldArguments<S> {
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).and_then(Json::as_str)
    }

    /// Sets another field of the type, which the operation gets in another way.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.values.remove(name);
        self
    }

    pub fn into_draft(self, tags: &[String]) -> Result<Draft> {
        let mut parts = self.into_parts()?;
        parts.properties.retain(|_, value| *value != json!([]));
        Draft::new(
            S::ENTITY,
            parts.title.as_deref().unwrap_or_default(),
            parts.content.as_deref(),
            tags,
            &parts.properties,
            Dialect::Plan,
        )
    }

    /// Only the given fields change; an empty text clears a field.
    pub fn into_patch(self) -> Result<Patch> {
        let parts = self.into_parts()?;
        Ok(Patch {
            title: parts.title,
            content: parts.content.map(Some),
            properties: parts.properties,
            ..Patch::default()
        })
    }

    fn into_parts(self) -> Result<Parts> {
        let mut parts = Parts {
            properties: self.values,
            ..Parts::default()
        };
        for (field, argument) in S::fields() {
            let Some(Json::String(text)) = parts.properties.get(field.name) else {
                continue;
            };
            if !text.trim().is_empty() {
                continue;
            }
            if field.required || argument == Argument::Required {
                return Err(missing(field));
            }
            parts.properties.insert(field.name.to_owned(), Json::Null);
        }
        let mut take = |field: &Field| match parts.properties.shift_remove(field.name)? {
            Json::String(text) => Some(text),
            // An empty content is no content.
            _ => Some(String::new()),
        };
        if let Some(words) = &S::ENTITY.declaration().plan {
            parts.title = take(&words.title);
            parts.content = take(&words.content);
        }
        Ok(parts)
    }
}

#[derive(Default)]
struct Parts {
    title: Option<String>,
    content: Option<String>,
    properties: Map<String, Json>,
}

/// A missing title has its own error, the same as in all other tools.
fn missing(field: &Field) -> Error {
    match check_title("") {
        Err(error) if field.name == "title" => error,
        _ => Error::validation(field.name, "is required"),
    }
}

impl<S> Serialize for FieldArguments<S> {
    fn serialize<O: Serializer>(&self, serializer: O) -> Result<O::Ok, O::Error> {
        self.values.serialize(serializer)
    }
}

impl<'de, S: FieldSet> Deserialize<'de> for FieldArguments<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor(PhantomData))
    }
}

struct FieldsVisitor<S>(PhantomData<S>);

impl<'de, S: FieldSet> Visitor<'de> for FieldsVisitor<S> {
    type Value = FieldArguments<S>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the fields of a {}", S::ENTITY.name())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let known = S::fields().find(|(field, _)| field.name == name);
            let Some((field, _)) = known else {
                let message = format!("unknown field \"{name}\"");
                return Err(serde::de::Error::custom(message));
            };
            values.insert(name, map.next_value_seed(kinds::ValueOf(field.kind))?);
        }
        Ok(FieldArguments {
            values,
            set: PhantomData,
        })
    }
}

impl<S: FieldSet> JsonSchema for FieldArguments<S> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Fields".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (field, argument) in S::fields() {
            let mut schema = kinds::schema(field.kind, generator);
            schema["description"] = kinds::doc(field, Dialect::Plan).into();
            properties.insert(field.name.to_owned(), schema);
            if argument == Argument::Required {
                required.push(field.name);
            }
        }
        json_schema!({"type": "object", "properties": properties, "required": required})
    }
}

impl<S: FieldSet> clap::FromArgMatches for FieldArguments<S> {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let given = S::fields().filter_map(|(field, _)| {
            let value = kinds::given(field, matches)?;
            Some((field.name.to_owned(), value))
        });
        Ok(Self {
            values: given.collect(),
            set: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<S: FieldSet> clap::Args for FieldArguments<S> {
    fn augment_args(command: clap::Command) -> clap::Command {
        S::fields().fold(command, |command, (field, argument)| {
            let help = kinds::doc(field, Dialect::Plan);
            command.arg(match argument {
                Argument::Required => kinds::argument(field, &help).required(true),
                _ => kinds::flag_argument(field, &help),
            })
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}
