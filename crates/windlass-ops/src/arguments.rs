//! Kinds of argument that several operations share, each with one form on the command line and one
//! in JSON.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json, json};
use windlass_core::{Dialect, EntityType, Error, Field, Priority, Reach, Result};

/// An entity, by number (`7`, `#7`) or by at least four hex digits of its id.
///
/// Models often send the number as a JSON number; that is taken too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Id(pub String);

impl FromStr for Id {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::String(text) => Ok(Self(text)),
            Json::Number(number) if number.is_u64() => Ok(Self(number.to_string())),
            _ => Err(serde::de::Error::custom("expected a number or an id")),
        }
    }
}

impl JsonSchema for Id {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Id".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

/// The name of an entity type. Checked by the operation, which answers the error of its seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TypeName(pub String);

impl TypeName {
    pub fn parse(&self) -> Result<EntityType> {
        EntityType::parse(&self.0)
    }
}

impl FromStr for TypeName {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl JsonSchema for TypeName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TypeName".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": EntityType::NAMES})
    }
}

/// A priority: a word of any dialect, or a number from 0 (the most urgent) to 3, as text or as a JSON
/// number. Checked by the operation, whose error lists the words of its own dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PriorityWord(pub String);

impl FromStr for PriorityWord {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for PriorityWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::String(text) => Ok(Self(text)),
            Json::Number(number) => Ok(Self(number.to_string())),
            _ => Err(serde::de::Error::custom("expected a priority")),
        }
    }
}

impl JsonSchema for PriorityWord {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Priority".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

impl PriorityWord {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn parse(&self, dialect: Dialect) -> Result<Priority> {
        Priority::parse_any(&self.0)
            .ok_or_else(|| Error::invalid_enum("priority", &self.0, dialect.priorities()))
    }
}

/// Words to search for. On the command line they need no quotes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Words(pub String);

impl clap::FromArgMatches for Words {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let words: Vec<&str> = matches
            .get_many::<String>("query")
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        Ok(Self(words.join(" ")))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Words {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.arg(
            clap::Arg::new("query")
                .help("The words to look for; any text is fine")
                .value_name("QUERY")
                .num_args(1..)
                .required(true),
        )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

/// Words to search for, or none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct OptionalWords(pub String);

impl clap::FromArgMatches for OptionalWords {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        Words::from_arg_matches(matches).map(|words| Self(words.0))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for OptionalWords {
    fn augment_args(command: clap::Command) -> clap::Command {
        Words::augment_args(command).mut_arg("query", |words| words.required(false))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

/// Declares names with their values: an object in JSON, a flag with `NAME=VALUE` on the command line.
macro_rules! named_values {
    ($(#[$doc:meta])* $type:ident, $flag:literal, $help:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        #[schemars(inline)]
        pub struct $type(pub BTreeMap<String, String>);

        impl clap::FromArgMatches for $type {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                pairs($flag, matches).map(Self)
            }

            fn update_from_arg_matches(
                &mut self,
                matches: &clap::ArgMatches,
            ) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl clap::Args for $type {
            fn augment_args(command: clap::Command) -> clap::Command {
                command.arg(
                    clap::Arg::new($flag)
                        .long($flag)
                        .value_name("NAME=VALUE")
                        .action(clap::ArgAction::Append)
                        .help($help),
                )
            }

            fn augment_args_for_update(command: clap::Command) -> clap::Command {
                Self::augment_args(command)
            }
        }
    };
}

named_values!(
    /// Variables of an environment.
    Variables,
    "env",
    "A variable of the environment; may be given several times"
);
named_values!(
    /// Values of the variables of a playbook.
    Values,
    "var",
    "The value of a variable; may be given several times"
);

fn pairs(flag: &str, matches: &clap::ArgMatches) -> Result<BTreeMap<String, String>, clap::Error> {
    let given = matches.get_many::<String>(flag).into_iter().flatten();
    let pairs = given.map(|pair| {
        let (name, value) = pair.split_once('=').ok_or_else(|| {
            let message = format!("--{flag} {pair}: expected NAME=VALUE");
            clap::Error::raw(clap::error::ErrorKind::ValueValidation, message)
        })?;
        Ok((name.to_owned(), value.to_owned()))
    });
    pairs.collect()
}

/// The type-specific fields of an entity: an object in JSON, a flag for each on the command line.
///
/// Made from the table of types, so that a new field needs nothing here.
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

/// The flag of a field. `--color` is about the terminal.
fn flag_of(field: &Field) -> String {
    match field.name {
        "color" => "colour".to_owned(),
        name => name.replace('_', "-"),
    }
}

fn field_doc(field: &Field, types: &[&str]) -> String {
    let mut doc = format!("{}: {}", types.join(", "), field.doc);
    if field.name == "status" {
        let words: Vec<String> = EntityType::ALL
            .into_iter()
            .filter(|kind| !kind.statuses(Dialect::Knowledge).is_empty())
            .map(|kind| {
                format!(
                    "{}: {}",
                    kind.name(),
                    kind.statuses(Dialect::Knowledge).join(", ")
                )
            })
            .collect();
        doc = format!("Where it stands. {}.", words.join("; "));
    } else if let Some(words) = field.choices(Dialect::Knowledge) {
        doc = format!("{doc} One of: {}.", words.join(", "));
    }
    doc
}

impl JsonSchema for PropertyArguments {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Properties".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        let listed = all_fields()
            .into_iter()
            .filter(|(field, _)| field.reach == Reach::Listed);
        for (field, types) in listed {
            let doc = field_doc(field, &types);
            let schema = if field.kind.is_list() {
                json!({"type": "array", "items": {"type": "string"}, "description": doc})
            } else {
                json!({"type": "string", "description": doc})
            };
            properties.insert(field.name.to_owned(), schema);
        }
        // Unknown properties are allowed and ignored, as the seed says.
        json_schema!({
            "type": "object",
            "properties": properties,
            "default": {},
        })
    }
}

impl clap::FromArgMatches for PropertyArguments {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Map::new();
        for (field, _) in all_fields() {
            let Some(values) = matches.get_many::<String>(field.name) else {
                continue;
            };
            let mut values: Vec<Json> = values
                .filter(|value| !value.is_empty())
                .map(|value| json!(value))
                .collect();
            // An empty value clears the field.
            let value = match (field.kind.is_list(), values.len()) {
                (true, _) => Json::Array(values),
                (_, 0) => Json::Null,
                _ => values.swap_remove(0),
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
    fn augment_args(mut command: clap::Command) -> clap::Command {
        for (field, types) in all_fields() {
            let action = if field.kind.is_list() {
                clap::ArgAction::Append
            } else {
                clap::ArgAction::Set
            };
            command = command.arg(
                clap::Arg::new(field.name)
                    .long(flag_of(field))
                    .value_name(field.name.to_uppercase())
                    .action(action)
                    .help_heading("Properties")
                    .help(field_doc(field, &types).trim_end_matches('.').to_owned()),
            );
        }
        command
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

/// A task by its number. Ids and `#7` are taken too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Number(pub Id);

impl FromStr for Number {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        text.parse().map(Self)
    }
}

impl JsonSchema for Number {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer"})
    }
}
