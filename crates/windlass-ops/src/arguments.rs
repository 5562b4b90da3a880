//! Kinds of argument that several operations share, each with one form on the command line and one
//! in JSON.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;
use windlass_core::{Dialect, EntityType, Error, Priority, Result};

/// An entity, by number (`7`, `#7`) or by at least four hex digits of its id.
///
/// Models often send a JSON number; that is accepted too.
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

/// The name of an entity type. Checked by the operation, which returns the error of its contract.
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

/// A priority: its name in any dialect, or a number from 0 (the most urgent) to 3, as text or as a
/// JSON number. Checked by the operation, whose error lists the names of its own dialect.
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
    /// Environment variables.
    Variables,
    "env",
    "An environment variable; may be given several times"
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

/// A task by its number. Ids and `#7` are accepted too.
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
