//! The reference: documents that are made from the code and checked in, so that they are read where
//! the code is read and a change to them is seen in review.
//!
//! The text depends on the code alone, never on a terminal, a clock or the environment.

mod cli;
mod errors;
mod markdown;
mod tools;

use std::fs;
use std::path::Path;

const FOLDER: &str = "docs";
const MEND: &str = "cargo run -p xtask -- docs";

/// Every document: its name in the folder and its text.
fn documents() -> Vec<(&'static str, String)> {
    let mark = format!("<!-- Made by `{MEND}`. Do not edit. -->\n\n");
    let mut documents: Vec<_> = [
        ("reference/cli.md", cli::document()),
        ("reference/tools.md", tools::document()),
        ("reference/errors.md", errors::document()),
    ]
    .map(|(name, text)| (name, format!("{mark}{}\n", text.trim_end())))
    .into();
    let types = windlass_ops::sdk_declarations();
    documents.push((
        "sdk.d.ts",
        format!("// Made by `{MEND}`. Do not edit.\n\n{types}"),
    ));
    documents
}

/// Writes what has changed.
pub fn write(root: &Path) -> Result<String, String> {
    let stale = stale(root);
    for (name, text) in &stale {
        let path = root.join(FOLDER).join(name);
        let folder = path.parent().unwrap_or(root);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|problem| format!("{}: {problem}", path.display()))?;
    }
    let written: Vec<_> = stale
        .iter()
        .map(|(name, _)| format!("wrote {FOLDER}/{name}"))
        .collect();
    if written.is_empty() {
        Ok(format!("{FOLDER} is up to date."))
    } else {
        Ok(written.join("\n"))
    }
}

/// Fails where a document says something else than the code.
pub fn check(root: &Path) -> Result<String, String> {
    let stale = stale(root);
    if stale.is_empty() {
        return Ok(format!("{FOLDER} is up to date."));
    }
    let names: Vec<_> = stale
        .iter()
        .map(|(name, _)| format!("{FOLDER}/{name} is stale"))
        .collect();
    Err(format!("{}\nTo mend it: {MEND}", names.join("\n")))
}

fn stale(root: &Path) -> Vec<(&'static str, String)> {
    let is_stale = |(name, text): &(&str, String)| {
        let stored = fs::read_to_string(root.join(FOLDER).join(name));
        stored.ok().as_ref() != Some(text)
    };
    documents().into_iter().filter(is_stale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_up_to_date() {
        check(&crate::root()).unwrap();
    }
}
