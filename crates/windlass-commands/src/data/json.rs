//! JSON, strict for files whose tools are strict, with comments and trailing commas for the others.

use jsonc_parser::ast::{ObjectPropName, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{Lines, Node, SyntaxError, Value};

/// Deeper nesting is rejected before parsing: no real file has it, and the recursive parser must
/// not overflow the stack.
const MAX_DEPTH: usize = 100;

pub fn read(text: &str) -> Result<Node, SyntaxError> {
    parse(text, false)
}

pub fn read_with_comments(text: &str) -> Result<Node, SyntaxError> {
    parse(text, true)
}

fn parse(text: &str, relaxed: bool) -> Result<Node, SyntaxError> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = Lines::new(text);
    if let Some(position) = too_deep(text) {
        return Err(SyntaxError {
            line: lines.of(position),
            message: format!("nested deeper than {MAX_DEPTH} levels"),
        });
    }
    let options = ParseOptions {
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
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|problem| {
        SyntaxError {
            line: problem.line_display(),
            message: problem.kind().to_string(),
        }
    })?;
    let value = parsed.value.ok_or(SyntaxError {
        line: 1,
        message: "the file is empty".to_owned(),
    })?;
    Ok(convert(&value, &lines))
}

fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Some(position);
        }
    }
    None
}

fn convert(ast: &Ast<'_>, lines: &Lines) -> Node {
    let value = match ast {
        Ast::StringLit(text) => Value::Text(text.value.to_string()),
        Ast::NumberLit(number) => Value::Number(number.value.to_owned()),
        Ast::BooleanLit(value) => Value::Bool(value.value),
        Ast::NullKeyword(_) => Value::Null,
        Ast::Array(array) => Value::List(
            array
                .elements
                .iter()
                .map(|element| convert(element, lines))
                .collect(),
        ),
        Ast::Object(object) => Value::Map(
            object
                .properties
                .iter()
                .map(|property| {
                    let name = match &property.name {
                        ObjectPropName::String(text) => text.value.to_string(),
                        ObjectPropName::Word(word) => word.value.to_owned(),
                    };
                    let mut node = convert(&property.value, lines);
                    node.line = lines.of(property.range.start);
                    (name, node)
                })
                .collect(),
        ),
    };
    Node {
        line: lines.of(ast.range().start),
        value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_know_their_lines() {
        let node = read("{\r\n  \"scripts\": {\r\n    \"a\": \"x\",\r\n    \"b\\u0041\": \"y\"}}")
            .unwrap();
        let scripts = node.get("scripts").unwrap();
        assert_eq!(scripts.line, 2);
        assert_eq!(scripts.get("bA").unwrap().line, 4);
    }

    #[test]
    fn comments_are_allowed_only_if_the_tool_accepts_them() {
        let text = "// why\n{\"a\": 1,}";
        assert_eq!(read(text).unwrap_err().line, 1);
        assert!(read_with_comments(text).unwrap().get("a").is_some());
        assert!(read("").is_err());
        assert!(
            read(&"[".repeat(50_000))
                .unwrap_err()
                .message
                .contains("deeper")
        );
    }
}
