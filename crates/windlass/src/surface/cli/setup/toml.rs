//! TOML, changed in place. A new entry is a separate table at the end; comments and order stay.

use std::ops::Range;

use serde_json::Value as Json;
use toml_edit::{Array, Document, DocumentMut, Item, TableLike, Value};

use super::document::Broken;

/// The whole text as a value.
pub fn read(text: &str) -> Result<Json, Broken> {
    ::toml::from_str(text).map_err(|problem| {
        let start = problem.span().map_or(0, |span| span.start);
        Broken::at(text, start, problem.message())
    })
}

/// Puts an entry into a container; both are created if missing.
pub fn set(text: &str, container: &str, name: &str, entry: &Json) -> Result<String, Broken> {
    let mut document = parse(text)?;
    let servers = document.get(container);
    if servers.is_some_and(|servers| servers.as_table_like().is_none()) {
        return Err(Broken::new(1, format!("{container} is not a table")));
    }
    let exists = servers.is_some_and(|servers| servers.get(name).is_some());
    if !exists {
        let appended = append(text, container, name, entry);
        // An inline container cannot have a table elsewhere.
        if read(&appended).is_ok() {
            return Ok(appended);
        }
    }
    let servers = document.entry(container).or_insert(toml_edit::table());
    let Some(servers) = servers.as_table_like_mut() else {
        return Err(Broken::new(1, format!("{container} is not a table")));
    };
    let slot = servers
        .entry(name)
        .or_insert(Item::Value(Value::InlineTable(
            toml_edit::InlineTable::new(),
        )));
    match slot.as_table_like_mut() {
        Some(table) => fill(table, entry),
        None => return Err(Broken::new(1, format!("{container}.{name} is not a table"))),
    }
    Ok(in_the_lines_of(text, &document))
}

/// Removes an entry, with the empty line above it.
pub fn remove(text: &str, container: &str, name: &str) -> Result<String, Broken> {
    if let Some(range) = own_lines(text, container, name) {
        let cut = format!("{}{}", &text[..range.start], &text[range.end..]);
        let left = read(&cut).ok();
        let left = left.as_ref().and_then(|root| root.get(container));
        if left.is_none_or(|servers| servers.get(name).is_none()) {
            return Ok(cut);
        }
    }
    let mut document = parse(text)?;
    if let Some(servers) = document
        .get_mut(container)
        .and_then(Item::as_table_like_mut)
    {
        servers.remove(name);
        if servers.is_empty() {
            document.remove(container);
        }
    }
    Ok(in_the_lines_of(text, &document))
}

fn parse(text: &str) -> Result<DocumentMut, Broken> {
    text.parse::<DocumentMut>().map_err(|problem| {
        let start = problem.span().map_or(0, |span| span.start);
        Broken::at(text, start, problem.message())
    })
}

/// The text with a table at its end. If the text has no final line end, the result has none either.
fn append(text: &str, container: &str, name: &str, entry: &Json) -> String {
    let newline = newline(text);
    let mut lines = vec![format!("[{}.{}]", key(container), key(name))];
    for (field, value) in entry.as_object().into_iter().flatten() {
        let value = value_of(value);
        lines.push(format!("{} = {}", key(field), value.to_string().trim()));
    }
    let table = lines.join(newline);
    match text {
        "" => format!("{table}{newline}"),
        _ if text.ends_with('\n') => format!("{text}{newline}{table}{newline}"),
        _ => format!("{text}{newline}{newline}{table}"),
    }
}

/// The line end that the text uses.
fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn key(name: &str) -> String {
    toml_edit::Key::new(name).to_string()
}

/// The lines of an entry that is a table with a header, up to its last value.
fn own_lines(text: &str, container: &str, name: &str) -> Option<Range<usize>> {
    let document = Document::parse(text).ok()?;
    let table = document.get(container)?.get(name)?.as_table()?;
    let has_tables_below = table.iter().any(|(_, item)| !item.is_value());
    if table.is_dotted() || table.is_implicit() || has_tables_below {
        return None;
    }
    let header = table.span()?;
    let values = table.iter().filter_map(|(_, item)| item.span());
    let last = values.map(|span| span.end).chain([header.end]).max()?;
    // A comment after the last value belongs to it, and so does the end of its line.
    let end = text[last..]
        .find('\n')
        .map_or(text.len(), |at| last + at + 1);
    let before = text[..header.start].strip_suffix('\n')?;
    let before = before.strip_suffix('\r').unwrap_or(before);
    let start = if end < text.len() || text.ends_with('\n') {
        // The empty line above.
        match before.strip_suffix('\n') {
            Some(_) => before.len(),
            None => header.start,
        }
    } else {
        let above = before.strip_suffix('\n').unwrap_or(before);
        above.strip_suffix('\r').unwrap_or(above).len()
    };
    Some(start..end)
}

/// Sets exactly the fields of the entry. Fields that are already right are not touched.
fn fill(table: &mut dyn TableLike, entry: &Json) {
    let wanted = entry.as_object();
    let known: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    for key in known {
        if !wanted.is_some_and(|wanted| wanted.contains_key(&key)) {
            table.remove(&key);
        }
    }
    for (field, value) in wanted.into_iter().flatten() {
        let new = value_of(value);
        let same = table.get(field).is_some_and(|old| is_same(old, value));
        if same {
            continue;
        }
        match table.get_mut(field).and_then(Item::as_value_mut) {
            Some(old) => {
                let decor = old.decor().clone();
                *old = new;
                *old.decor_mut() = decor;
            }
            None => {
                table.insert(field, Item::Value(new));
            }
        }
    }
}

fn is_same(item: &Item, value: &Json) -> bool {
    let Ok(Json::Object(read)) = read(&format!("it = {}", item_text(item))) else {
        // A separate table: it was read from this file, and was not written by windlass.
        return value.is_object();
    };
    read.get("it") == Some(value)
}

fn item_text(item: &Item) -> String {
    item.as_value()
        .map_or_else(String::new, |value| value.to_string().trim().to_owned())
}

fn value_of(value: &Json) -> Value {
    match value {
        Json::String(text) => text.as_str().into(),
        Json::Bool(yes) => (*yes).into(),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Json::Array(items) => Value::Array(items.iter().map(value_of).collect::<Array>()),
        Json::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| (key.as_str(), value_of(value)));
            Value::InlineTable(fields.collect())
        }
        Json::Null => "".into(),
    }
}

/// The document's text with the line ends of the original, and with or without a final one.
fn in_the_lines_of(text: &str, document: &DocumentMut) -> String {
    let mut written = document.to_string();
    if !text.ends_with('\n') && written.ends_with('\n') {
        written.pop();
    }
    if newline(text) == "\n" {
        return written;
    }
    written.replace("\r\n", "\n").replace('\n', "\r\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::document::Format;
    use super::*;

    fn add(text: &str) -> String {
        let entry = json!({"command": "windlass", "args": ["mcp", "--cwd", "/a b"]});
        Format::Toml
            .with_entry(text, "mcp_servers", "windlass", &entry)
            .unwrap()
    }

    fn take(text: &str) -> String {
        Format::Toml
            .without_entry(text, "mcp_servers", "windlass")
            .unwrap()
    }

    #[test]
    fn what_is_added_and_removed_leaves_the_bytes() {
        for text in [
            "model = \"o\" # mine\n",
            "model = \"o\"",
            "model = \"o\"\r\n",
            "# a comment\n\n[mcp_servers.b]\ncommand = \"x\"\n\n[z]\na = 1\n\n",
            "[mcp_servers]\n[mcp_servers.b]\ncommand='x'\n",
            "# only this\n",
        ] {
            let added = add(text);
            assert_ne!(added, text);
            assert_eq!(add(&added), added, "twice: {added}");
            assert_eq!(take(&added), text, "removed from: {added}");
        }
    }

    #[test]
    fn the_table_stands_at_the_end() {
        insta::assert_snapshot!(add("model = \"o\" # mine\n"), @r#"
        model = "o" # mine

        [mcp_servers.windlass]
        command = "windlass"
        args = ["mcp", "--cwd", "/a b"]
        "#);
    }

    #[test]
    fn a_container_on_one_line_is_changed_there() {
        let added = add("mcp_servers = { b = { command = \"x\" } } # all\n");
        assert!(added.ends_with("# all\n"), "{added}");
        assert_eq!(read(&added).unwrap()["mcp_servers"]["b"]["command"], "x");
        let left = read(&take(&added)).unwrap();
        assert_eq!(left, json!({"mcp_servers": {"b": {"command": "x"}}}));
    }

    #[test]
    fn an_entry_is_replaced_where_it_stands() {
        let text = "[mcp_servers.windlass]\ncommand = \"old\" # mine\nargs = []\n\n# about z\n[z]\na = 1\n";
        insta::assert_snapshot!(add(text), @r#"
        [mcp_servers.windlass]
        command = "windlass" # mine
        args = ["mcp", "--cwd", "/a b"]

        # about z
        [z]
        a = 1
        "#);
        assert!(take(text).ends_with("# about z\n[z]\na = 1\n"));
    }

    #[test]
    fn tables_below_the_entry_stay_with_it() {
        let text = "a = 1\n\n[mcp_servers.windlass]\ncommand = \"old\"\n\n[mcp_servers.windlass.env]\nA = \"1\"\n\n[z]\nb = 2\n";
        let entry = json!({"command": "new", "env": {"A": "1"}});
        let replaced = Format::Toml
            .with_entry(text, "mcp_servers", "windlass", &entry)
            .unwrap();
        assert_eq!(replaced, text.replace("old", "new"));
        assert_eq!(take(text), "a = 1\n\n[z]\nb = 2\n");
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_line() {
        let broken = Format::Toml.servers("a = 1\nb = = 2\n", "mcp_servers");
        assert_eq!(broken.unwrap_err().line, 2);
    }
}
