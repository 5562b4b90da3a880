//! YAML: a full parser provides the values and expands aliases and merges within limits; a scan of
//! the keys provides the lines, exact for block style and otherwise the line of the parent.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::{Node, SyntaxError, Value};

/// Fifty thousand tasks of some lines each, and not much more.
const MAX_NODES: usize = 600_000;

pub fn read(text: &str) -> Result<Node, SyntaxError> {
    let text = text.trim_start_matches('\u{feff}');
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: MAX_NODES,
            max_events: 2 * MAX_NODES,
            // Large compose files repeat a few anchors often; what they make is bounded anyway.
            enforce_alias_anchor_ratio: false,
        },
    };
    let parsed = serde_saphyr::from_str_with_options(text, options);
    let json: Json = parsed.map_err(|problem| SyntaxError {
        line: problem
            .location()
            .and_then(|location| usize::try_from(location.line()).ok())
            .unwrap_or(1)
            .max(1),
        message: first_line(&problem.to_string()),
    })?;
    Ok(convert(json, &mut Vec::new(), 1, &key_lines(text)))
}

fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

fn convert(json: Json, path: &mut Vec<String>, line: usize, lines: &KeyLines) -> Node {
    let value = match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => Value::Number(number.to_string()),
        Json::String(text) => Value::Text(text),
        Json::Array(items) => Value::List(
            items
                .into_iter()
                .map(|item| convert(item, path, line, lines))
                .collect(),
        ),
        Json::Object(entries) => Value::Map(
            entries
                .into_iter()
                .map(|(key, value)| {
                    path.push(key.clone());
                    let line = lines.get(path).copied().unwrap_or(line);
                    let node = convert(value, path, line, lines);
                    path.pop();
                    (key, node)
                })
                .collect(),
        ),
    };
    Node { line, value }
}

type KeyLines = HashMap<Vec<String>, usize>;

fn key_lines(text: &str) -> KeyLines {
    let mut lines = KeyLines::new();
    let mut stack: Vec<(usize, String)> = Vec::new();
    let mut block: Option<usize> = None;
    for (index, line) in text.lines().enumerate() {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        if body.trim().is_empty() || body.starts_with('#') {
            continue;
        }
        if block.is_some_and(|depth| indent > depth) {
            continue;
        }
        block = None;
        let Some((key, rest)) = key_of(body) else {
            continue;
        };
        stack.retain(|(depth, _)| *depth < indent);
        stack.push((indent, key));
        let path = stack.iter().map(|(_, key)| key.clone()).collect();
        lines.entry(path).or_insert(index + 1);
        if rest.starts_with(['|', '>']) {
            block = Some(indent);
        }
    }
    lines
}

/// The key of a line in block style, and the text after its colon.
fn key_of(body: &str) -> Option<(String, &str)> {
    let (key, rest) = match body.chars().next()? {
        quote @ ('"' | '\'') => {
            let (key, rest) = body[1..].split_once(quote)?;
            (key, rest.trim_start().strip_prefix(':')?)
        }
        '-' | '{' | '[' | '%' => return None,
        _ => body
            .split_once(": ")
            .or_else(|| body.trim_end().strip_suffix(':').map(|key| (key, "")))?,
    };
    Some((key.trim().to_owned(), rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_block_style_know_their_lines() {
        let node = read(
            "# head\r\ntasks:\r\n  a:\r\n    cmd: |\r\n      b: not a key\r\n  \"b:c\":\r\n    cmds: [x]\r\n",
        )
        .unwrap();
        let tasks = node.get("tasks").unwrap();
        assert_eq!(tasks.line, 2);
        assert_eq!(tasks.get("a").unwrap().line, 3);
        assert_eq!(tasks.get("b:c").unwrap().line, 6);
    }

    #[test]
    fn aliases_and_merges_are_expanded() {
        let node = read("x: &x {a: 1}\ny:\n  <<: *x\n  b: 2\n").unwrap();
        assert!(node.at(&["y", "a"]).is_some());
        assert!(node.at(&["y", "b"]).is_some());
    }

    #[test]
    fn one_anchor_may_be_used_often() {
        let uses = "- {<<: *x}\n".repeat(300);
        let node = read(&format!("x: &x {{a: 1}}\ny:\n{uses}")).unwrap();
        let items = node.get("y").unwrap().items();
        assert!(items.len() == 300 && items[299].get("a").is_some());
    }

    #[test]
    fn syntax_errors_have_a_line() {
        assert_eq!(read("a: 1\nb: [1, 2\nc: 3\n").unwrap_err().line, 3);
        let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n";
        assert!(read(bomb).is_err());
    }

    #[test]
    fn a_key_that_occurs_twice_is_an_error() {
        for text in [
            "tasks: {}\ntasks: {}\n",
            "tasks:\n  a: x\n  \"a\": y\n",
            "a: {b: 1, 'b': 2}\n",
            "\u{feff}a: 1\na: 2\n",
        ] {
            let broken = read(text).unwrap_err();
            assert!(broken.message.contains("duplicate"), "{broken:?}");
        }
    }
}
