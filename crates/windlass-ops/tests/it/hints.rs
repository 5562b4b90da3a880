//! All hints in the sources: they refer to operations, so that every surface can name what its
//! caller can use.

use std::path::{Path, PathBuf};

use windlass_ops::{Audience, OPERATIONS, referenced};

/// Crates whose errors reach every surface.
const CRATES: &[&str] = &[
    "windlass-core",
    "windlass-store",
    "windlass-commands",
    "windlass-runs",
    "windlass-process",
    "windlass-ops",
];

/// Only reached through MCP resources, whose readers know such addresses.
const ABOUT_RESOURCES: &[&str] = &["windlass-ops/src/resources.rs"];

/// Texts that show the name of a tool as a value.
const NAMES_AS_VALUES: &[&str] = &["additional_disabled"];

fn sources() -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("a folder of crates");
    let mut folders: Vec<PathBuf> = CRATES
        .iter()
        .map(|name| crates.join(name).join("src"))
        .collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source");
                let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
                let path = path.strip_prefix(crates).expect("below").to_owned();
                found.push((path, shipped.to_owned()));
            }
        }
    }
    found
}

/// The string literals of the expression that follows, up to its end.
fn literals(source: &str, end: char) -> Vec<String> {
    let (mut depth, mut found) = (0_i32, Vec::new());
    let mut letters = source.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                let mut literal = String::new();
                while let Some(letter) = letters.next() {
                    match letter {
                        '\\' => literal.extend(letters.next()),
                        '"' => break,
                        other => literal.push(other),
                    }
                }
                found.push(literal);
            }
            letter if letter == end && depth == 0 => break,
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
    }
    found
}

/// Every literal of a hint, with its file.
fn hints() -> Vec<(PathBuf, String)> {
    let mut hints = Vec::new();
    for (path, source) in sources() {
        for (start, end) in [
            ("with_hint(", ')'),
            ("let hint = ", ';'),
            ("let mut hint = ", ';'),
        ] {
            for (at, _) in source.match_indices(start) {
                let rest = source.get(at + start.len()..).unwrap_or_default();
                let found = literals(rest, end).into_iter();
                hints.extend(found.map(|literal| (path.clone(), literal)));
            }
        }
    }
    hints
}

/// Splits a text into what is inside of `[[…]]` and the rest.
fn references(text: &str) -> (Vec<&str>, String) {
    let (mut inside, mut outside) = (Vec::new(), String::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[[") {
        outside += before;
        let (reference, after) = after.split_once("]]").unwrap_or((after, ""));
        inside.push(reference);
        rest = after;
    }
    (inside, outside + rest)
}

#[test]
fn references_are_to_operations() {
    let mut count = 0;
    for (path, hint) in hints() {
        for reference in references(&hint).0 {
            // The name is put together from a value.
            if reference.contains('{') {
                continue;
            }
            let known = referenced(reference).is_some();
            assert!(known, "{}: [[{reference}]]", path.display());
            assert!(
                reference.contains(['_', '.']),
                "{}: [[{reference}]] needs its toolset",
                path.display()
            );
            count += 1;
        }
    }
    assert!(count > 30, "only {count} references were found");
}

#[test]
fn hints_name_nothing_that_only_one_surface_knows() {
    // What only people can do, they do by a command, whoever reads the hint.
    let commands: Vec<String> = OPERATIONS
        .iter()
        .filter(|it| it.declaration.audience == Audience::Anyone)
        .filter(|it| !it.declaration.cli.is_empty())
        .map(|it| format!("windlass {}", it.declaration.cli.join(" ")))
        .collect();
    for (path, hint) in hints() {
        if ABOUT_RESOURCES.iter().any(|it| path == Path::new(it)) {
            continue;
        }
        let (_, text) = references(&hint);
        let at = format!("{}: {hint}", path.display());
        assert!(!text.contains("windlass://"), "{at}");
        for command in &commands {
            assert!(!text.contains(command), "{at}");
        }
        if NAMES_AS_VALUES.iter().any(|it| text.contains(it)) {
            continue;
        }
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        for word in words.filter(|word| word.contains('_')) {
            let is_tool = OPERATIONS.iter().any(|it| it.declaration.name == word);
            assert!(!is_tool, "write [[{word}]] in {at}");
        }
    }
}
