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
        if path == "." {
            return Error::invalid_params(wanted);
        }
        Error::invalid_params(format!("{path}: {wanted}")).with("field", path)
    })
}

/// The names that operations give to what the rules of entities and folders call otherwise.
const OTHER_NAMES: &[(&str, &[&str])] = &[
    ("title", &["description", "name"]),
    ("content", &["context", "description", "body"]),
    ("cwd", &["path"]),
];

/// Names the wrong field as the caller did, where the rule that was broken has another name for it.
pub fn in_the_words_of_the_caller(error: Error, given: &[String], known: &[String]) -> Error {
    let has = |names: &[String], name: &str| names.iter().any(|known| known == name);
    let Some(field) = error.field() else {
        return error;
    };
    if has(given, field) {
        return error;
    }
    let Some((_, others)) = OTHER_NAMES.iter().find(|(name, _)| *name == field) else {
        return error;
    };
    let meant = others
        .iter()
        .find(|name| has(given, name) && has(known, name));
    match meant {
        Some(name) => error.with_field_called(name),
        None => error,
    }
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
    const NATURAL: &str = "a whole number, 0 or more";
    let words = [
        ("usize", NATURAL),
        ("isize", "a whole number"),
        ("a sequence", "a list"),
        ("a map", "an object"),
        ("a boolean", "true or false"),
        ("unit", "nothing"),
    ];
    let sizes = ["8", "16", "32", "64", "128"];
    let numbers = sizes.iter().flat_map(|size| {
        [
            (format!("u{size}"), NATURAL),
            (format!("i{size}"), "a whole number"),
            (format!("f{size}"), "a number"),
        ]
    });
    let words = words.map(|(rust, plain)| (rust.to_owned(), plain));
    words
        .into_iter()
        .chain(numbers)
        .find_map(|(rust, plain)| {
            let (before, after) = message.split_once(&format!("expected {rust}"))?;
            let ends = !after.starts_with(|letter: char| letter.is_alphanumeric());
            ends.then(|| format!("{before}expected {plain}{after}"))
        })
        .unwrap_or_else(|| message.to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_in_plain_words() {
        for (rust, plain) in [
            ("expected u32", "expected a whole number, 0 or more"),
            ("expected usize", "expected a whole number, 0 or more"),
            ("expected i32", "expected a whole number"),
            ("expected f64", "expected a number"),
            ("expected a sequence", "expected a list"),
            ("expected a map", "expected an object"),
            ("expected u32x", "expected u32x"),
            ("expected a task", "expected a task"),
        ] {
            let message = format!("invalid type: string \"x\", {rust}");
            assert_eq!(
                plain_words(&message),
                format!("invalid type: string \"x\", {plain}")
            );
        }
    }

    #[test]
    fn fields_have_the_name_that_the_caller_gave() {
        let names = |text: &str| -> Vec<String> {
            let names = text.split_whitespace();
            names.map(str::to_owned).collect()
        };
        for (field, given, known, expected) in [
            ("title", "description", "description title", "description"),
            ("title", "title description", "description title", "title"),
            (
                "content",
                "title description",
                "title description context",
                "description",
            ),
            (
                "content",
                "description context",
                "title description context",
                "context",
            ),
            ("cwd", "path", "path name", "path"),
            ("title", "", "title", "title"),
            ("priority", "name", "name", "priority"),
        ] {
            let error = Error::validation(field, "is wrong");
            let error = in_the_words_of_the_caller(error, &names(given), &names(known));
            assert_eq!(error.field(), Some(expected), "{field} of {given}");
            assert_eq!(error.message(), format!("{expected}: is wrong"));
        }
    }
}
