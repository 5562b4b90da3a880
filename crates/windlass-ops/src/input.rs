//! From JSON or the command line to a typed input, with an error that helps.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use windlass_core::{Error, ErrorKind, Result, check_title, nearest};

use crate::schema;

/// Reads JSON input. Unknown fields are refused with the nearest known one, missing and ill-typed
/// ones are named.
pub fn decode<T: DeserializeOwned + JsonSchema + 'static>(json: Json) -> Result<T> {
    let json = if json.is_null() {
        Json::Object(serde_json::Map::new())
    } else {
        json
    };
    let object = json
        .as_object()
        .ok_or_else(|| Error::invalid_params("The arguments must be a JSON object."))?;
    let fields = schema::fields_of::<T>();
    for name in object.keys() {
        if !fields.known.iter().any(|known| known == name) {
            return Err(unknown_field(name, &fields.known));
        }
    }
    for name in &fields.required {
        if object.get(name).is_none_or(Json::is_null) {
            return Err(missing_field(name));
        }
    }
    serde_path_to_error::deserialize(json).map_err(|problem| {
        let path = problem.path().to_string();
        Error::invalid_params(format!("{path}: {}", problem.inner())).with("field", path)
    })
}

/// Reads the arguments of a command. Clap has already complained about most of what can be wrong.
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

/// A missing title is a rule about entities, with an error of its own; any other missing field is a
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
