//! The arguments of a tool as options, made from its JSON schema, and back.

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value as Json, json};
use windlass_core::{Error, Result};
use windlass_ops::{Effect, Entry};

use crate::surface::cli::caller::call_name;
use crate::surface::cli::{text, tree};

/// Options that every command has. An argument of such a name gets a prefix.
const TAKEN: &[&str] = &["cwd", "json", "color", "no-pager", "input", "yes", "help"];

/// How the value of an argument is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Flag,
    Number,
    List,
    /// An object, or whatever else the schema allows.
    Json,
}

impl Kind {
    fn of(schema: &Json) -> Self {
        match schema["type"].as_str() {
            Some("string") => Self::Text,
            Some("boolean") => Self::Flag,
            Some("integer" | "number") => Self::Number,
            Some("array") => Self::List,
            _ => Self::Json,
        }
    }
}

/// A tool as a command. `name` is the word that was typed for it.
pub fn command(name: &str, entry: &Entry) -> Command {
    let description = entry.description();
    let mut command = Command::new(name.to_owned())
        .about(text::first_sentence(&description))
        .long_about(text::reflow(&description))
        .arg(tree::input_argument().help(
            "The arguments as one JSON object: inline, @FILE, or - for standard input; options \
             given beside it count more",
        ));
    let schema = entry.input_schema();
    let required = |field: &str| {
        let names = schema["required"].as_array();
        names.is_some_and(|names| names.iter().any(|name| name == field))
    };
    for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
        command = command.arg(argument(field, schema, required(field)));
    }
    if entry.declaration.effect == Effect::Destructive {
        command = command.arg(tree::yes_argument());
    }
    command
}

fn argument(field: &str, schema: &Json, required: bool) -> Arg {
    let kind = Kind::of(schema);
    let long = option_of(field);
    let mut help = schema["description"]
        .as_str()
        .map(text::reflow)
        .unwrap_or_default();
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Json::as_str).collect();
        help = format!("{} [possible values: {}]", help, words.join(", "));
    }
    if required {
        help = format!("{help} [required]");
    }
    let argument = Arg::new(field.to_owned()).long(long.clone()).help(help);
    let argument = if field.replace('_', "-") == long && field != long {
        argument.alias(field.to_owned())
    } else {
        argument
    };
    match kind {
        Kind::Flag => argument
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_name("true|false"),
        Kind::List => argument
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .value_name("VALUE"),
        Kind::Json => argument.allow_hyphen_values(true).value_name("JSON"),
        Kind::Number => argument.allow_hyphen_values(true).value_name("NUMBER"),
        Kind::Text => argument
            .allow_hyphen_values(true)
            .value_name(value_name(field)),
    }
}

fn value_name(field: &str) -> String {
    field.to_uppercase()
}

/// `due_date` is `--due-date`; what every command has already is `--arg-color`.
fn option_of(field: &str) -> String {
    let long = field.replace('_', "-");
    if TAKEN.contains(&long.as_str()) {
        return format!("arg-{long}");
    }
    long
}

/// The input that the options stand for, over what `--input` gave.
pub fn input(entry: &Entry, base: Json, matches: &ArgMatches) -> Result<Json> {
    let Json::Object(mut input) = base else {
        return Err(Error::invalid_params(
            "The arguments must be a JSON object.",
        ));
    };
    let schema = entry.input_schema();
    for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
        let Some(values) = matches.get_many::<String>(field) else {
            continue;
        };
        let values: Vec<&str> = values.map(String::as_str).collect();
        input.insert(field.clone(), value_of(field, schema, &values)?);
    }
    Ok(Json::Object(input))
}

fn value_of(field: &str, schema: &Json, values: &[&str]) -> Result<Json> {
    let last = values.last().copied().unwrap_or_default();
    match Kind::of(schema) {
        Kind::Text => Ok(json!(last)),
        Kind::Flag => match last {
            "true" | "yes" => Ok(json!(true)),
            "false" | "no" => Ok(json!(false)),
            _ => Err(not_a(field, last, "true or false")),
        },
        Kind::Number => number(last).ok_or_else(|| not_a(field, last, "a number")),
        Kind::List => list(field, &schema["items"], values),
        Kind::Json => Ok(serde_json::from_str(last).unwrap_or_else(|_| json!(last))),
    }
}

/// Numbers of entities are written with and without `#`.
fn number(text: &str) -> Option<Json> {
    match serde_json::from_str(text.trim_start_matches('#')) {
        Ok(number @ Json::Number(_)) => Some(number),
        // Where the schema says number and the tool takes ids too, the tool decides.
        _ if text.chars().all(|letter| letter.is_ascii_hexdigit()) => Some(json!(text)),
        _ => None,
    }
}

fn list(field: &str, items: &Json, values: &[&str]) -> Result<Json> {
    let mut list = Vec::new();
    for value in values {
        match serde_json::from_str(value) {
            Ok(Json::Array(more)) => list.extend(more),
            _ => list.push(value_of(field, items, &[value])?),
        }
    }
    Ok(Json::Array(list))
}

fn not_a(field: &str, value: &str, wanted: &str) -> Error {
    let option = option_of(field);
    Error::invalid_params(format!("--{option}: \"{value}\" is not {wanted}")).with("field", field)
}

/// The words after `windlass` that call a tool with an input.
pub fn words_of(entry: &Entry, input: &Json) -> Vec<String> {
    let mut words = vec!["call".to_owned(), call_name(entry)];
    let empty = Map::new();
    for (field, value) in input.as_object().unwrap_or(&empty) {
        let option = format!("--{}", option_of(field));
        match value {
            Json::Null => {}
            Json::Bool(true) => words.push(option),
            Json::Bool(false) => words.push(format!("{option}=false")),
            Json::String(text) => words.extend([option, text.clone()]),
            Json::Array(items) if items.iter().all(Json::is_string) && !items.is_empty() => {
                for item in items {
                    let text = item.as_str().unwrap_or_default().to_owned();
                    words.extend([option.clone(), text]);
                }
            }
            other => words.extend([option, other.to_string()]),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use windlass_ops::OPERATIONS;

    use super::*;

    /// Every example of every tool survives the way through the options.
    #[test]
    fn options_stand_for_the_same_input() {
        for entry in OPERATIONS {
            for example in entry.declaration.examples {
                let given: Json = serde_json::from_str(example.input).unwrap();
                let words = words_of(entry, &given);
                let name = &words[1];
                let matches = command(name, entry)
                    .try_get_matches_from(&words[1..])
                    .unwrap_or_else(|problem| panic!("{words:?}: {problem}"));
                assert_eq!(input(entry, json!({}), &matches).unwrap(), given, "{name}");
            }
        }
    }

    #[test]
    fn options_count_more_than_the_object_and_take_both_spellings() {
        let entry = windlass_ops::find("task_claim").unwrap();
        let read = |words: &[&str]| {
            let words = [&["task_claim"], words].concat();
            let matches = command("task_claim", entry)
                .try_get_matches_from(words)
                .unwrap();
            input(entry, json!({"id": "1", "owner": "me"}), &matches).unwrap()
        };
        assert_eq!(
            read(&["--lease_seconds", "60", "--owner", "you", "--release"]),
            json!({"id": "1", "owner": "you", "lease_seconds": 60, "release": true})
        );
        assert_eq!(read(&["--release=false"])["release"], false);
        assert_eq!(read(&["--id=#7"])["id"], "#7");
    }
}
