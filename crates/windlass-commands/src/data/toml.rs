//! TOML.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Lines, Node, SyntaxError, Value};

pub fn read(text: &str) -> Result<Node, SyntaxError> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = Lines::new(text);
    let table = DeTable::parse(text).map_err(|problem| SyntaxError {
        line: problem.span().map_or(1, |span| lines.of(span.start)),
        message: problem.message().to_owned(),
    })?;
    Ok(Node {
        line: 1,
        value: table_of(table.get_ref(), &lines),
    })
}

/// Sorted by position in the file: the parser sorts alphabetically.
fn table_of(table: &DeTable<'_>, lines: &Lines) -> Value {
    let mut entries: Vec<(usize, String, Node)> = table
        .iter()
        .map(|(key, value)| {
            let start = key.span().start;
            let mut node = convert(value, lines);
            node.line = lines.of(start);
            (start, key.get_ref().to_string(), node)
        })
        .collect();
    entries.sort_by_key(|(start, _, _)| *start);
    Value::Map(
        entries
            .into_iter()
            .map(|(_, key, node)| (key, node))
            .collect(),
    )
}

fn convert(value: &Spanned<DeValue<'_>>, lines: &Lines) -> Node {
    let converted = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => Value::Number(number.as_str().to_owned()),
        DeValue::Float(number) => Value::Number(number.as_str().to_owned()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(datetime) => Value::Number(datetime.to_string()),
        DeValue::Array(items) => {
            Value::List(items.iter().map(|item| convert(item, lines)).collect())
        }
        DeValue::Table(table) => table_of(table, lines),
    };
    Node {
        line: lines.of(value.span().start),
        value: converted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_lines_match_the_file() {
        let node = read("[tasks]\nb = 1\na = 'x'\n[tasks.c]\nrun = []\n").unwrap();
        let tasks: Vec<_> = node
            .get("tasks")
            .unwrap()
            .entries()
            .iter()
            .map(|(key, node)| (key.as_str(), node.line))
            .collect();
        assert_eq!(tasks, [("b", 2), ("a", 3), ("c", 4)]);
        assert_eq!(read("a = 1\nb = = 2").unwrap_err().line, 2);
    }

    #[test]
    fn a_key_that_occurs_twice_is_an_error() {
        for text in ["a = 1\na = 2\n", "a = 1\n\"a\" = 2\n", "[a]\nb = 1\n[a]\n"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
