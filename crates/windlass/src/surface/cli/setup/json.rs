//! JSON, with comments or without, changed in place by its syntax tree, which holds every comment,
//! comma and blank of the text. What is not part of the entry stays as it is; only an object that
//! is written on one line is spread over lines when an entry goes into it.

use jsonc_parser::common::Ranged as _;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast, parse_to_serde_value};
use serde_json::{Value as Json, json};

use super::document::{Broken, Format};

fn options(format: Format) -> ParseOptions {
    let relaxed = format == Format::JsonWithComments;
    ParseOptions {
        allow_comments: relaxed,
        allow_trailing_commas: relaxed,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The text as a syntax tree. What the format does not allow was refused when it was read.
pub fn parse(text: &str, format: Format) -> Result<CstRootNode, Broken> {
    CstRootNode::parse(text, &options(format)).map_err(broken)
}

fn broken(problem: ParseError) -> Broken {
    Broken::new(problem.line_display(), problem.kind().to_string())
}

/// The whole text as a value.
pub fn read(text: &str, format: Format) -> Result<Json, Broken> {
    // A text without a value has only space and comments.
    if parse(text, format)?.value().is_none() {
        return Ok(json!({}));
    }
    parse_to_serde_value(text, &options(format)).map_err(broken)
}

/// Puts an entry into a container; both are created if missing.
pub fn set(
    text: &str,
    format: Format,
    container: &str,
    name: &str,
    entry: &Json,
) -> Result<String, Broken> {
    let root = parse(text, format)?;
    let Some(settings) = root.object_value_or_create() else {
        return Err(Broken::not_an_object());
    };
    let Some(holder) = find(&settings, container) else {
        settings.append(container, input(&json!({ name: entry })));
        return Ok(root.to_string());
    };
    let Some(servers) = holder.object_value() else {
        let message = format!("\"{container}\" is not an object");
        return Err(Broken::at(text, start_of(text, format, container), message));
    };
    // From the outside in, so that the lines of the inner one are indented from those around it.
    if !servers.children().iter().any(CstNode::is_newline) {
        settings.ensure_multiline();
        servers.ensure_multiline();
    }
    match find(&servers, name) {
        Some(old) => old.set_value(input(entry)),
        None => drop(servers.append(name, input(entry))),
    }
    Ok(root.to_string())
}

/// Removes an entry with the comment on its line, and its container if that is then empty.
pub fn remove(text: &str, format: Format, container: &str, name: &str) -> Result<String, Broken> {
    let root = parse(text, format)?;
    let settings = root.object_value();
    let holder = settings.and_then(|settings| find(&settings, container));
    let servers = holder.as_ref().and_then(CstObjectProp::object_value);
    if let (Some(holder), Some(servers)) = (holder, servers)
        && let Some(entry) = find(&servers, name)
    {
        entry.remove();
        if servers.properties().is_empty() && !has_comments(&holder, &servers) {
            holder.remove();
        }
    }
    Ok(root.to_string())
}

/// If a name occurs twice, the last one counts.
pub fn find(object: &CstObject, name: &str) -> Option<CstObjectProp> {
    let mut properties = object.properties().into_iter().rev();
    properties.find(|property| property.decoded_name().as_deref() == Some(name))
}

/// Whether there is a comment in the object, or beside it.
pub fn has_comments(holder: &CstObjectProp, object: &CstObject) -> bool {
    let property = CstNode::from(holder.clone());
    let end = holder.trailing_comma().map(CstNode::from);
    let end = end.as_ref().unwrap_or(&property);
    object.children().iter().any(CstNode::is_comment)
        || property.leading_comments_same_line().next().is_some()
        || end.trailing_comments_same_line().next().is_some()
}

/// A value for the syntax tree.
pub fn input(value: &Json) -> CstInputValue {
    match value {
        Json::Null => CstInputValue::Null,
        Json::Bool(value) => CstInputValue::Bool(*value),
        Json::Number(number) => CstInputValue::Number(number.to_string()),
        Json::String(text) => CstInputValue::String(text.clone()),
        Json::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Json::Object(fields) => CstInputValue::Object(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), input(value)))
                .collect(),
        ),
    }
}

/// Where the value of a setting starts. The syntax tree has no positions.
fn start_of(text: &str, format: Format, name: &str) -> usize {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options(format));
    let value = parsed.ok().and_then(|parsed| parsed.value);
    let settings = value.as_ref().and_then(|value| value.as_object());
    let property = settings.and_then(|settings| {
        let mut properties = settings.properties.iter().rev();
        properties.find(|property| property.name.as_str() == name)
    });
    property.map_or(0, |property| property.value.range().start)
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
