//! `--input`: the arguments of an operation as one JSON object.

use std::io::Read;
use std::path::Path;

use serde_json::Value as Json;
use windlass_core::{Error, Result};

/// Reads the value of `--input`. Files are relative to the folder of `--cwd`.
pub fn read(value: &str, cwd: &Path) -> Result<Json> {
    let (text, from) = match value.strip_prefix('@') {
        Some(path) => (read_file(&cwd.join(path))?, format!("file {path}")),
        None if value == "-" => (read_standard_input()?, "standard input".to_owned()),
        None => (value.to_owned(), "value".to_owned()),
    };
    serde_json::from_str(&text).map_err(|problem| {
        Error::invalid_params(format!("--input: the {from} is not valid JSON: {problem}"))
            .with("field", "--input")
            .with_hint("Give one JSON object, a file as @FILE, or - for standard input.")
    })
}

fn read_file(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|problem| {
        Error::invalid_params(format!(
            "--input: cannot read {}: {problem}",
            path.display()
        ))
        .with("field", "--input")
    })
}

fn read_standard_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|problem| {
            Error::invalid_params(format!("--input: cannot read standard input: {problem}"))
                .with("field", "--input")
        })?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn from_the_command_line_and_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("task.json"), r#"{"title": "x"}"#).unwrap();
        let read = |value| read(value, folder.path());
        assert_eq!(read(r#"{"a": [1]}"#).unwrap(), json!({"a": [1]}));
        assert_eq!(read("@task.json").unwrap(), json!({"title": "x"}));
        assert!(
            read("@none.json")
                .unwrap_err()
                .message()
                .contains("none.json")
        );
        insta::assert_snapshot!(
            read("{title: x}").unwrap_err(),
            @"--input: the value is not valid JSON: key must be a string at line 1 column 2"
        );
    }
}
