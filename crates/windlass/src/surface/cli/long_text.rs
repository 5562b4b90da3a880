//! Long texts from a file or from standard input: `--content @notes.md`, `--description -`.

use std::io::Read as _;
use std::path::Path;

use serde_json::{Map, Value as Json};
use windlass_core::{Error, Result};

/// Fields that hold a document: `@FILE` reads a file, `-` reads standard input, `@@` begins a text
/// with one `@`.
const DOCUMENTS: &[&str] = &[
    "architecture",
    "boundaries",
    "content",
    "context",
    "conventions",
    "description",
    "hints",
    "pseudocode",
    "system_prompt",
    "template",
];

/// Fields that hold what someone says. A message may begin with `@name`, so only `-` is special.
const MESSAGES: &[&str] = &["body", "feedback", "reason", "response", "summary", "text"];

const STANDARD_INPUT: &str = "-";

/// The input with each `@FILE` or `-` replaced by its text. Files are relative to `cwd`.
pub fn read(mut input: Json, cwd: &Path) -> Result<Json> {
    if let Json::Object(fields) = &mut input {
        read_fields(fields, cwd)?;
        if let Some(Json::Object(properties)) = fields.get_mut("properties") {
            read_fields(properties, cwd)?;
        }
    }
    Ok(input)
}

fn read_fields(fields: &mut Map<String, Json>, cwd: &Path) -> Result<()> {
    for (name, value) in fields.iter_mut() {
        let is_document = DOCUMENTS.contains(&name.as_str());
        if !is_document && !MESSAGES.contains(&name.as_str()) {
            continue;
        }
        if let Json::String(text) = value
            && let Some(long) = long_text(name, text, is_document, cwd)?
        {
            *text = long;
        }
    }
    Ok(())
}

/// A message that may come from standard input.
pub fn message(name: &str, text: &str, cwd: &Path) -> Result<String> {
    let long = long_text(name, text, false, cwd)?;
    Ok(long.unwrap_or_else(|| text.to_owned()))
}

fn long_text(name: &str, text: &str, is_document: bool, cwd: &Path) -> Result<Option<String>> {
    if text == STANDARD_INPUT {
        let mut read = String::new();
        return match std::io::stdin().read_to_string(&mut read) {
            Ok(_) => Ok(Some(read)),
            Err(problem) => Err(cannot_read(name, "standard input", &problem)),
        };
    }
    if !is_document {
        return Ok(None);
    }
    match text.strip_prefix('@') {
        Some(rest) if rest.starts_with('@') => Ok(Some(rest.to_owned())),
        Some(path) => match std::fs::read_to_string(cwd.join(path)) {
            Ok(read) => Ok(Some(read)),
            Err(problem) => Err(cannot_read(name, path, &problem)),
        },
        None => Ok(None),
    }
}

fn cannot_read(name: &str, what: &str, problem: &std::io::Error) -> Error {
    Error::invalid_params(format!("{name}: cannot read {what}: {problem}"))
        .with("field", name)
        .with_hint("@FILE reads a file and - reads standard input; a text that begins with @ is written @@.")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_come_from_files_and_messages_do_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.md"), "# A\n").unwrap();
        let read = |input| read(input, folder.path());
        assert_eq!(
            read(
                json!({"content": "@a.md", "title": "@a.md", "body": "@a.md",
                "properties": {"context": "@a.md", "owner": "@a.md"}})
            )
            .unwrap(),
            json!({"content": "# A\n", "title": "@a.md", "body": "@a.md",
                "properties": {"context": "# A\n", "owner": "@a.md"}})
        );
        assert_eq!(
            read(json!({"content": "@@home"})).unwrap(),
            json!({"content": "@home"})
        );
        let error = read(json!({"description": "@none.md"})).unwrap_err();
        assert!(
            error
                .message()
                .starts_with("description: cannot read none.md")
        );
    }
}
