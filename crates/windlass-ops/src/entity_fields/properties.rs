//! The type-specific fields of all types, for operations that take an entity of any type.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use windlass_core::{Dialect, EntityType, Field, FieldKind, Reach, Result};

use super::kinds;

/// The type-specific fields of an entity: an object in JSON, a flag for each on the command line.
///
/// Generated from the table of types, so that a new field needs no change here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PropertyArguments(pub Map<String, Json>);

/// Every field of every type once, with the types that have it.
fn all_fields() -> Vec<(&'static Field, Vec<&'static str>)> {
    let mut fields: Vec<(&'static Field, Vec<&'static str>)> = Vec::new();
    for kind in EntityType::ALL {
        for field in kind.declaration().fields {
            if field.reach == Reach::Managed {
                continue;
            }
            match fields
                .iter_mut()
                .find(|(known, _)| known.name == field.name)
            {
                Some((_, types)) => types.push(kind.name()),
                None => fields.push((field, vec![kind.name()])),
            }
        }
    }
    fields
}

fn field_doc(field: &Field, types: &[&str]) -> String {
    if field.name != "status" {
        let doc = kinds::doc(field, Dialect::Knowledge);
        return format!("{}: {doc}", types.join(", "));
    }
    let words: Vec<String> = EntityType::ALL
        .into_iter()
        .map(|kind| (kind.name(), kind.statuses(Dialect::Knowledge)))
        .filter(|(_, statuses)| !statuses.is_empty())
        .map(|(name, statuses)| format!("{name}: {}", statuses.join(", ")))
        .collect();
    format!("Its status. {}.", words.join("; "))
}

impl JsonSchema for PropertyArguments {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Properties".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // Unknown properties are allowed and ignored, as the knowledge contract requires. The fields
        // are named in one text instead of a schema each: that is a fifth of the length, and a
        // model reads it with every list of tools.
        json_schema!({
            "type": "object",
            "description": by_type(),
            "default": {},
        })
    }
}

/// The listed fields of every type, with the values that each allows:
/// `task: status (todo, done), tags[].`
fn by_type() -> String {
    let types = EntityType::ALL.into_iter().filter_map(|kind| {
        let fields = kind.declaration().fields.iter();
        let listed = fields.filter(|field| field.reach == Reach::Listed);
        let named: Vec<String> = listed.map(short_form).collect();
        (!named.is_empty()).then(|| format!("{}: {}", kind.name(), named.join(", ")))
    });
    let types: Vec<String> = types.collect();
    format!("By type. {}.", types.join("; "))
}

fn short_form(field: &Field) -> String {
    let name = field.name;
    if let Some(words) = field.choices(Dialect::Knowledge) {
        return format!("{name} ({})", words.join(", "));
    }
    match field.kind {
        FieldKind::Date => format!("{name} (YYYY-MM-DD)"),
        kind if kind.is_list() => format!("{name}[]"),
        _ => name.to_owned(),
    }
}

impl clap::FromArgMatches for PropertyArguments {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Map::new();
        for (field, _) in all_fields() {
            // An empty text clears the field.
            let value = match kinds::given(field, matches) {
                Some(Json::String(text)) if text.is_empty() => Json::Null,
                Some(value) => value,
                None => continue,
            };
            given.insert(field.name.to_owned(), value);
        }
        Ok(Self(given))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for PropertyArguments {
    fn augment_args(command: clap::Command) -> clap::Command {
        all_fields()
            .into_iter()
            .fold(command, |command, (field, types)| {
                let argument = kinds::flag_argument(field, &field_doc(field, &types));
                command.arg(argument.help_heading("Properties"))
            })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}
