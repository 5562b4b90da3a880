//! Doc comments as help text.

use windlass_ops::{Entry, Naming, Toolset};

use super::own_command::own_commands;
use super::quote;

/// The first sentence, without its full stop, as lists of commands show it.
pub fn first_sentence(text: &str) -> String {
    let paragraph = reflow(text.split("\n\n").next().unwrap_or_default());
    let bytes = paragraph.as_bytes();
    // A full stop ends a sentence only before a capital, so that "e.g. this" is not split.
    let end = paragraph
        .match_indices(". ")
        .find(|(at, _)| bytes.get(at + 2).is_some_and(u8::is_ascii_uppercase))
        .map_or(paragraph.len(), |(at, _)| at);
    let sentence = paragraph.get(..end).unwrap_or(&paragraph);
    sentence.trim_end_matches('.').to_owned()
}

/// Joins the lines of each paragraph, which the source wrapped for its own width. Lists and
/// indented lines stay as they are.
pub fn reflow(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let starts_anew = line.is_empty()
            || line.starts_with([' ', '\t', '-', '*', '|', '`'])
            || line.starts_with(|letter: char| letter.is_ascii_digit());
        if out.is_empty() || out.ends_with('\n') {
            // Nothing to join with.
        } else if starts_anew {
            out.push('\n');
        } else {
            out.push(' ');
        }
        out.push_str(line);
        if line.is_empty() {
            out.push('\n');
        }
    }
    out.trim().to_owned()
}

/// Descriptions and texts are written for every surface and name operations; here a person types
/// commands.
pub fn in_typed_words(text: &str) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end);
        // Only names with an underscore: `events` may be an ordinary English word.
        let entry = word
            .contains('_')
            .then(|| windlass_ops::find(word))
            .flatten();
        match entry {
            Some(entry) => {
                out.push('`');
                out.push_str(&quote::command_line(typed_words(entry)));
                out.push('`');
            }
            None => out.push_str(word),
        }
        let gap = tail.find(is_word).unwrap_or(tail.len());
        let (between, next) = tail.split_at(gap);
        out.push_str(between);
        rest = next;
    }
    out
}

/// How hints name operations to a person at a terminal.
pub fn naming() -> Naming {
    Naming::typed(typed_command)
}

/// What a person types to run an operation: `windlass tasks next`.
pub fn typed_command(entry: &Entry) -> String {
    quote::command_line(typed_words(entry))
}

/// Commands for operations that have no command of their own: one that shares its name with another
/// operation, and one that people have a better command for.
const INSTEAD: &[(Toolset, &str, &[&str])] = &[
    (Toolset::Plan, "list_tasks", &["tasks", "list"]),
    (Toolset::Knowledge, "search_fulltext", &["search"]),
];

/// What a person types after `windlass` to run an operation.
pub fn typed_words(entry: &Entry) -> Vec<&'static str> {
    let name = entry.declaration.name;
    let instead = INSTEAD
        .iter()
        .find(|(toolset, of, _)| *toolset == entry.declaration.toolset && *of == name);
    if let Some((_, _, words)) = instead {
        return words.to_vec();
    }
    let own = own_commands().find(|own| own.operations.contains(&name));
    match own {
        Some(own) if entry.declaration.cli.is_empty() => own.words.to_vec(),
        _ => entry.declaration.command_words(),
    }
}

#[cfg(test)]
mod tests {
    use windlass_ops::OPERATIONS;

    use super::*;

    #[test]
    fn every_operation_is_named_as_it_is_typed() {
        assert_eq!(in_typed_words("Leave it, or ö."), "Leave it, or ö.");
        for entry in OPERATIONS {
            let name = entry.declaration.name;
            // Of two operations with one name, the first is meant.
            let first = windlass_ops::find(name).map(typed_words);
            if name.contains('_') && first == Some(typed_words(entry)) {
                let typed = quote::command_line(typed_words(entry));
                assert_eq!(
                    in_typed_words(&format!("Use {name}, or {name}x.")),
                    format!("Use `{typed}`, or {name}x.")
                );
            }
        }
    }

    /// A person never reads the name of a tool, except where it is what they type.
    #[test]
    fn hints_name_commands() {
        for entry in OPERATIONS {
            let declaration = &entry.declaration;
            let reference = format!("{}.{}", declaration.toolset.name(), declaration.name);
            let shown = naming().render(&format!("Use [[{reference}]]."));
            assert_eq!(shown, format!("Use `{}`.", typed_command(entry)));
            // Of two operations with one name, `windlass call` runs the first.
            let called = format!("windlass call {}", declaration.name);
            let is_first = windlass_ops::find(declaration.name)
                .is_some_and(|first| std::ptr::eq(first, entry));
            assert!(is_first || !shown.contains(&called), "{shown}");
            let typed = shown.replace(&called, "");
            let says_tool = declaration.name.contains('_') && typed.contains(declaration.name);
            assert!(!says_tool, "{shown}");
        }
    }

    #[test]
    fn first_sentences() {
        for (text, expected) in [
            ("", ""),
            ("Add an entity.", "Add an entity"),
            ("Add one. Then more.", "Add one"),
            ("Search, e.g. by tag. More.", "Search, e.g. by tag"),
            ("Wrapped\nhere. Next.\n\nParagraph.", "Wrapped here"),
            ("See v1.2 of it", "See v1.2 of it"),
        ] {
            assert_eq!(first_sentence(text), expected);
        }
    }

    #[test]
    fn paragraphs_are_joined_and_lists_are_kept() {
        let text = "One\nparagraph.\n\nA list:\n- first\n- second\n\n    code\n";
        assert_eq!(
            reflow(text),
            "One paragraph.\n\nA list:\n- first\n- second\n\n    code"
        );
    }
}
