//! Each kind of field on the command line, in JSON and in a schema.

use std::collections::BTreeMap;

use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json, json};
use windlass_core::{Dialect, Field, FieldKind};

use crate::arguments::PriorityWord;

/// The description of a field in schemas and in `--help`.
pub fn doc(field: &Field, dialect: Dialect) -> String {
    let doc = field.doc;
    if let Some(words) = field.choices(dialect) {
        return format!("{doc} One of: {}.", words.join(", "));
    }
    match field.kind {
        FieldKind::Paths(max) => format!("{doc} At most {max}."),
        _ => doc.to_owned(),
    }
}

/// The schema of a value.
pub fn schema(kind: FieldKind, generator: &mut SchemaGenerator) -> Json {
    match kind {
        FieldKind::Whole(max) => json!({"type": "integer", "minimum": 1, "maximum": max}),
        FieldKind::Servers => generator.subschema_for::<Vec<ServerSchema>>().to_value(),
        FieldKind::ToolOverrides => generator.subschema_for::<ToolOverridesSchema>().to_value(),
        kind if kind.is_list() => json!({"type": "array", "items": {"type": "string"}}),
        _ => json!({"type": "string"}),
    }
}

/// Another MCP server that the sessions of a discipline get.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[expect(
    dead_code,
    reason = "only its schema is used; the value is checked by the table of types"
)]
struct ServerSchema {
    name: String,
    command: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

/// Tools that the sessions of a discipline do not get.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[expect(
    dead_code,
    reason = "only its schema is used; the value is checked by the table of types"
)]
struct ToolOverridesSchema {
    #[serde(default)]
    additional_disabled: Vec<String>,
}

/// Reads a value of the kind. Its content is checked by [`Field::check`].
pub struct ValueOf(pub FieldKind);

impl<'de> DeserializeSeed<'de> for ValueOf {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        match self.0 {
            FieldKind::Whole(_) => u32::deserialize(deserializer).map(Json::from),
            FieldKind::Priority => PriorityWord::deserialize(deserializer)
                .map(|priority| Json::from(priority.as_str())),
            kind if kind.is_structured() => Json::deserialize(deserializer),
            kind if kind.is_list() => Vec::<String>::deserialize(deserializer).map(Json::from),
            _ => String::deserialize(deserializer).map(Json::from),
        }
    }
}

/// The flag of a field. `--color` is about the terminal.
fn flag(field: &Field) -> String {
    match field.name {
        "color" => "colour".to_owned(),
        name => field.singular.unwrap_or(name).replace('_', "-"),
    }
}

/// A field as an argument of a command.
pub fn argument(field: &Field, help: &str) -> clap::Arg {
    let argument = clap::Arg::new(field.name)
        .value_name(field.name.to_uppercase())
        .help(help.trim_end_matches('.').to_owned());
    match field.kind {
        FieldKind::Whole(_) => argument.value_parser(clap::value_parser!(u32)),
        kind if kind.is_structured() => argument.value_parser(parse_json),
        FieldKind::NamedList(_) => argument
            .action(clap::ArgAction::Append)
            .value_delimiter(','),
        kind if kind.is_list() => argument.action(clap::ArgAction::Append),
        _ => argument,
    }
}

/// A field as a flag of a command. A list can be given by its own name as well as by that of one of
/// its values.
pub fn flag_argument(field: &Field, help: &str) -> clap::Arg {
    let argument = argument(field, help).long(flag(field));
    match field.singular {
        Some(_) => argument.alias(field.name.replace('_', "-")),
        None => argument,
    }
}

fn parse_json(text: &str) -> Result<Json, String> {
    serde_json::from_str(text).map_err(|problem| format!("is not JSON: {problem}"))
}

/// The command-line value of a field. An empty value of a list adds nothing to it, so that one alone
/// clears the list.
pub fn given(field: &Field, matches: &clap::ArgMatches) -> Option<Json> {
    let name = field.name;
    match field.kind {
        FieldKind::Whole(_) => matches.get_one::<u32>(name).map(|number| json!(number)),
        kind if kind.is_structured() => matches.get_one::<Json>(name).cloned(),
        kind if kind.is_list() => {
            let values = matches.get_many::<String>(name)?;
            let values: Vec<&String> = values.filter(|value| !value.is_empty()).collect();
            Some(json!(values))
        }
        _ => matches.get_one::<String>(name).map(|text| json!(text)),
    }
}
