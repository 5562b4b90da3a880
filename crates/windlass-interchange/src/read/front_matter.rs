//! Pages of Markdown with YAML at their head.

use serde_json::{Map, Value as Json};

/// The fields at the head of a page, and the text below them.
pub struct Page<'a> {
    pub fields: Map<String, Json>,
    pub body: &'a str,
}

/// Takes a page apart. A page without front matter has no fields.
pub fn page(text: &str) -> Result<Page<'_>, (usize, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))
    else {
        return Ok(Page {
            fields: Map::new(),
            body: text,
        });
    };
    let mut offset = 0;
    for part in rest.split_inclusive('\n') {
        if part.trim_end() == "---" {
            let fields = fields(&rest[..offset])?;
            return Ok(Page {
                fields,
                body: &rest[offset + part.len()..],
            });
        }
        offset += part.len();
    }
    Err((1, "its front matter has no end".to_owned()))
}

fn fields(yaml: &str) -> Result<Map<String, Json>, (usize, String)> {
    if yaml.trim().is_empty() {
        return Ok(Map::new());
    }
    let parsed = serde_saphyr::from_str(yaml)
        .or_else(|problem| serde_saphyr::from_str(&with_names_quoted(yaml)).map_err(|_| problem));
    let value: Json = parsed.map_err(|problem| {
        let line = problem
            .location()
            .map_or(1, |at| usize::try_from(at.line()).unwrap_or(1) + 1);
        let text = problem.to_string();
        let text = text.lines().next().unwrap_or_default();
        (line, format!("its front matter is not valid YAML: {text}"))
    })?;
    match value {
        Json::Object(fields) => Ok(fields),
        _ => Err((2, "its front matter is not a list of fields".to_owned())),
    }
}

/// The same with quotes around values that begin with `@`, which YAML reserves and people write for
/// the name of a person: `assignee: @ann`, `[@ann, @bob]`, `- @ann`.
fn with_names_quoted(yaml: &str) -> String {
    let mut quoted = String::with_capacity(yaml.len() + 16);
    for line in yaml.split_inclusive('\n') {
        let mut rest = line;
        while let Some(at) = rest.find('@') {
            let (before, name) = rest.split_at(at);
            let end = name.find([',', ']', '\r', '\n']).unwrap_or(name.len());
            let begins_value = before.ends_with([' ', '[', ',', '\t'])
                && before.trim_end().ends_with([':', '-', '[', ',']);
            quoted.push_str(before);
            if begins_value && !name[..end].contains('"') {
                quoted.push('"');
                quoted.push_str(name[..end].trim_end());
                quoted.push('"');
            } else {
                quoted.push_str(&name[..end]);
            }
            rest = &name[end..];
        }
        quoted.push_str(rest);
    }
    quoted
}

/// A text field, whatever its type in YAML.
pub fn text(fields: &Map<String, Json>, name: &str) -> Option<String> {
    match fields.get(name)? {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(value) => Some(value.to_string()),
        _ => None,
    }
    .filter(|text| !text.trim().is_empty())
}

/// A list of texts, or one text.
pub fn texts(fields: &Map<String, Json>, name: &str) -> Vec<String> {
    match fields.get(name) {
        Some(Json::Array(items)) => items
            .iter()
            .filter_map(|item| match item {
                Json::String(text) => Some(text.clone()),
                Json::Number(number) => Some(number.to_string()),
                _ => None,
            })
            .collect(),
        Some(_) => text(fields, name).into_iter().collect(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_text_are_separated() {
        let page = page("---\nid: TASK-1\nlabels: [a, 2]\n---\n\nText\n").expect("read");
        assert_eq!(text(&page.fields, "id").as_deref(), Some("TASK-1"));
        assert_eq!(texts(&page.fields, "labels"), ["a", "2"]);
        assert_eq!(page.body, "\nText\n");
        assert_eq!(super::page("Text").expect("read").body, "Text");
    }

    #[test]
    fn names_of_people_need_no_quotes() {
        let page = page("---\nassignee: @ann\nothers: [@bob, 'x@y.z']\nmore:\n  - @eve\n---\n")
            .expect("read");
        assert_eq!(text(&page.fields, "assignee").as_deref(), Some("@ann"));
        assert_eq!(texts(&page.fields, "others"), ["@bob", "x@y.z"]);
        assert_eq!(texts(&page.fields, "more"), ["@eve"]);
    }

    #[test]
    fn broken_front_matter_has_a_line() {
        assert_eq!(page("---\nid: 1\n").err().expect("broken").0, 1);
        let (line, _) = page("---\nid: 1\nx: [\n---\n").err().expect("broken");
        assert!((3..=5).contains(&line), "{line}");
    }
}
