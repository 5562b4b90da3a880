//! Generated documents: printed by the binary or recorded from it, and compared with the checked-in
//! files.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::cargo;
use crate::programs::output;
use crate::recording;

/// The hidden first argument that makes the binary print its documents.
const DOCUMENTS: &str = "__docs";

/// The picture in the README.
const RECORDING: &str = "docs/recording.svg";

/// A document: its path in the repository and its text.
type Document = (String, String);

/// Writes the documents that have changed.
pub fn write(root: &Path) -> Result<String, String> {
    let stale = stale(root, documents(root)?);
    let mut written = Vec::new();
    for (name, text) in &stale {
        let path = root.join(name);
        let folder = path.parent().unwrap_or(root);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|problem| format!("{name}: {problem}"))?;
        written.push(format!("wrote {name}"));
    }
    if written.is_empty() {
        written.push(UP_TO_DATE.to_owned());
    }
    Ok(written.join("\n"))
}

const UP_TO_DATE: &str = "The documents are up to date.";

/// Fails if a document is stale.
pub fn check(root: &Path) -> Result<String, String> {
    let stale = stale(root, documents(root)?);
    if stale.is_empty() {
        return Ok(UP_TO_DATE.to_owned());
    }
    let names = stale.iter().map(|(name, _)| format!("{name} is stale\n"));
    let names: String = names.collect();
    Err(format!(
        "{names}These documents do not match the code. To update them: cargo xtask docs"
    ))
}

/// All documents, generated from the current code.
fn documents(root: &Path) -> Result<Vec<Document>, String> {
    let binary = cargo::build_windlass(root)?;
    let printed = output(Command::new(&binary).arg(DOCUMENTS))?;
    let printed = parse(&printed);
    let mut documents =
        printed.ok_or_else(|| format!("windlass {DOCUMENTS} did not print documents"))?;
    let picture = recording::picture(root, &binary)?;
    documents.push((RECORDING.to_owned(), picture));
    Ok(documents)
}

/// Parses one JSON object: the texts by path.
fn parse(printed: &str) -> Option<Vec<Document>> {
    let documents: Json = serde_json::from_str(printed).ok()?;
    let documents = documents.as_object().filter(|them| !them.is_empty())?;
    documents
        .iter()
        .map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned())))
        .collect()
}

fn stale(root: &Path, documents: Vec<Document>) -> Vec<Document> {
    let is_stale = |(name, text): &Document| {
        let stored = fs::read_to_string(root.join(name));
        stored.ok().as_ref() != Some(text)
    };
    documents.into_iter().filter(is_stale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_texts_by_path() {
        let one = Some(vec![("docs/a.md".to_owned(), "# A\n".to_owned())]);
        assert_eq!(parse("{\"docs/a.md\": \"# A\\n\"}"), one);
        for wrong in ["", "{}", "[]", "{\"docs/a.md\": 1}"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn different_or_missing_documents_are_stale() {
        let root = crate::root();
        let same = fs::read_to_string(root.join("xtask/Cargo.toml")).unwrap();
        let document = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let found = stale(
            &root,
            vec![
                document("xtask/Cargo.toml", &same),
                document("Cargo.toml", &same),
                document("xtask/missing.md", ""),
            ],
        );
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Cargo.toml", "xtask/missing.md"]);
    }
}
