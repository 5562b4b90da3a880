//! Reads typed inputs from JSON or the command line, with helpful errors.

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize as _, Deserializer};
use serde_json::{Map, Value as Json};
use windlass_core::{Error, ErrorKind, Result, check_title, nearest};

use crate::schema;

/// Reads JSON input. Unknown fields are refused with the nearest known one, missing and ill-typed
/// ones are named.
pub fn decode<T: DeserializeOwned + JsonSchema + 'static>(json: Json) -> Result<T> {
    let mut object = match json {
        Json::Null => Map::new(),
        Json::Object(object) => object,
        _ => {
            return Err(Error::invalid_params(
                "The arguments must be a JSON object.",
            ));
        }
    };
    // Models often send null for arguments that they do not set.
    object.retain(|_, value| !value.is_null());
    let fields = schema::fields_of::<T>();
    for name in object.keys() {
        if !fields.known.iter().any(|known| known == name) {
            return Err(unknown_field(name, &fields.known));
        }
    }
    for name in &fields.required {
        if !object.contains_key(name) {
            return Err(missing_field(name));
        }
    }
    read(object).map_err(|(path, wanted)| {
        let wanted = plain_words(&wanted);
        Error::invalid_params(format!("{path}: {wanted}")).with("field", path)
    })
}

/// Reads an object; where that fails, says which field is wrong, and why.
fn read<T: DeserializeOwned + JsonSchema + 'static>(
    object: Map<String, Json>,
) -> Result<T, (String, String)> {
    serde_path_to_error::deserialize(Json::Object(object)).map_err(|problem| {
        let path = problem.path().to_string();
        let message = problem.inner().to_string();
        // Serde has no path into a flattened struct; [`part`] puts it in front of the message.
        if path == "."
            && let Some((path, message)) = message.split_once(": ")
            && let Some(name) = path.split(['.', '[']).next()
            && schema::fields_of::<T>()
                .known
                .iter()
                .any(|known| known == name)
        {
            return (path.to_owned(), message.to_owned());
        }
        (path, message)
    })
}

/// Reads a part that is flattened into an input: its own fields, with an error that names the one
/// that is wrong. For `#[serde(flatten, deserialize_with = "crate::input::part")]`.
pub fn part<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + JsonSchema + 'static,
{
    let mut object = Map::deserialize(deserializer)?;
    let fields = schema::fields_of::<T>();
    object.retain(|name, _| fields.known.contains(name));
    read(object).map_err(|(path, message)| D::Error::custom(format!("{path}: {message}")))
}

/// Names types as people and models do, not as Rust does.
fn plain_words(message: &str) -> String {
    [
        ("a sequence", "a list"),
        ("u32", "a whole number, 0 or more"),
        ("i64", "a whole number"),
        ("a map", "an object"),
        ("a boolean", "true or false"),
    ]
    .into_iter()
    .fold(message.to_owned(), |text, (rust, plain)| {
        text.replace(&format!("expected {rust}"), &format!("expected {plain}"))
    })
}

/// Reads the arguments of a command. Clap has already rejected most invalid input.
pub fn from_matches<T: clap::FromArgMatches>(matches: &clap::ArgMatches) -> Result<T> {
    T::from_arg_matches(matches)
        .map_err(|problem| Error::invalid_params(problem.to_string().trim().to_owned()))
}

fn unknown_field(name: &str, known: &[String]) -> Error {
    let known_names = known.iter().map(String::as_str);
    let hint = match nearest(name, known_names.clone()) {
        Some(near) => format!("Did you mean \"{near}\"?"),
        None if known.is_empty() => "This operation takes no arguments.".to_owned(),
        None => format!("Known fields: {}.", known.join(", ")),
    };
    Error::invalid_params(format!("Unknown field \"{name}\""))
        .with("field", name)
        .with("known", serde_json::json!(known))
        .with_hint(hint)
}

/// A missing title has its own error, by the rules of entities; any other missing field is a
/// malformed call.
fn missing_field(name: &str) -> Error {
    if name == "title"
        && let Err(error) = check_title("")
    {
        return error;
    }
    Error::new(
        ErrorKind::InvalidParams,
        format!("Missing required field \"{name}\""),
    )
    .with("field", name)
}
