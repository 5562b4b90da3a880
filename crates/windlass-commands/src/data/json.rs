//! JSON, strict for files whose tools are strict, with comments and trailing commas for the others.

use std::collections::HashSet;

use jsonc_parser::ast::{Object, ObjectPropName, Value as Ast};
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
    convert(&value, &lines)
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

fn convert(ast: &Ast<'_>, lines: &Lines) -> Result<Node, SyntaxError> {
    let value = match ast {
        Ast::StringLit(text) => Value::Text(text.value.to_string()),
        Ast::NumberLit(number) => Value::Number(number.value.to_owned()),
        Ast::BooleanLit(value) => Value::Bool(value.value),
        Ast::NullKeyword(_) => Value::Null,
        Ast::Array(array) => {
            let items = array.elements.iter();
            let items: Result<_, _> = items.map(|element| convert(element, lines)).collect();
            Value::List(items?)
        }
        Ast::Object(object) => object_of(object, lines)?,
    };
    Ok(Node {
        line: lines.of(ast.range().start),
        value,
    })
}

/// Tools disagree about which of two equal keys counts, and some let `__proto__` bring in further
/// keys. So neither is accepted.
fn object_of(object: &Object<'_>, lines: &Lines) -> Result<Value, SyntaxError> {
    let mut entries = Vec::with_capacity(object.properties.len());
    let mut names = HashSet::with_capacity(object.properties.len());
    for property in &object.properties {
        let name = match &property.name {
            ObjectPropName::String(text) => text.value.to_string(),
            ObjectPropName::Word(word) => word.value.to_owned(),
        };
        let line = lines.of(property.range.start);
        let broken = |message: String| Err(SyntaxError { line, message });
        if name == "__proto__" {
            return broken("the key \"__proto__\" is not allowed".to_owned());
        }
        if !names.insert(name.clone()) {
            return broken(format!("the key {name:?} occurs twice in one object"));
        }
        let mut node = convert(&property.value, lines)?;
        node.line = line;
        entries.push((name, node));
    }
    Ok(Value::Map(entries))
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

    #[test]
    fn a_key_that_occurs_twice_is_an_error() {
        for (text, line) in [
            ("{\"scripts\": {},\n\"scripts\": {}}", 2),
            ("{\"scripts\": {},\n\"\\u0073cripts\": {}}", 2),
            ("{\"a\": [{\"b\": 1,\n\n\"b\": 1}]}", 3),
            ("\u{feff}{\"a\": 1, \"a\": 1}", 1),
            ("{\"__proto__\": {\"scripts\": {}}}", 1),
            ("{\"\\u005f_proto__\": {}}", 1),
        ] {
            assert_eq!(read(text).unwrap_err().line, line, "{text}");
            assert_eq!(read_with_comments(text).unwrap_err().line, line, "{text}");
        }
        assert!(read("{\"a\": {\"a\": 1}, \"b\": {\"a\": 1}, \"A\": 1}").is_ok());
    }
}
