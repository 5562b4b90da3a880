//! Texts of developers: every documented item of this repository's own code.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_bench::Outcome;

/// Shorter comments say too little.
const SHORTEST: usize = 60;
/// Shorter texts in quotes are rarely messages.
const SHORTEST_MESSAGE: usize = 28;
const WORDS_BEFORE_NAME: [&str; 6] = ["fn", "struct", "enum", "trait", "const", "static"];

/// A comment, with what it is about.
pub struct Text {
    /// `crates/a/src/b.rs#name`.
    pub key: String,
    /// The name of the item.
    pub name: String,
    /// The first sentence.
    pub title: String,
    /// The rest, the name of the item, and the messages in it.
    pub content: String,
    /// Texts in quotes that people may see.
    pub messages: Vec<String>,
}

/// The items of all crates, in the order of their files. Items of one file that share a name are left
/// out, because they could not be told apart.
pub fn collect(root: &Path) -> Outcome<Vec<Text>> {
    let mut files: Vec<_> = ignore::Walk::new(root.join("crates"))
        .filter_map(Result::ok)
        .map(ignore::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|it| it == "rs"))
        .filter(|path| path.components().any(|it| it.as_os_str() == "src"))
        .collect();
    files.sort();
    let mut texts: BTreeMap<String, Option<Text>> = BTreeMap::new();
    for file in files {
        let name = file.strip_prefix(root)?.display().to_string();
        for text in of_file(&name, &std::fs::read_to_string(&file)?) {
            let entry = texts.entry(text.key.clone());
            entry
                .and_modify(|known| *known = None)
                .or_insert(Some(text));
        }
    }
    Ok(texts.into_values().flatten().collect())
}

fn of_file(file: &str, source: &str) -> Vec<Text> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let mut texts = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(words) = line.strip_prefix("///") {
            comment.push(words.trim());
            continue;
        }
        if line.starts_with("#[") {
            continue;
        }
        let words = comment.join(" ");
        if words.len() >= SHORTEST
            && let Some(name) = name_in(line)
        {
            texts.push(text(file, name, words.trim(), &lines[at..]));
        }
        comment.clear();
    }
    texts
}

fn name_in(line: &str) -> Option<&str> {
    let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.find(|word| WORDS_BEFORE_NAME.contains(word))?;
    words.find(|word| !word.is_empty())
}

fn text(file: &str, name: &str, comment: &str, code: &[&str]) -> Text {
    let (title, rest) = comment.split_once(". ").unwrap_or((comment, ""));
    let title: String = title.chars().take(200).collect();
    let until = code.iter().skip(1).position(|line| line.starts_with("///"));
    let body = &code[..until.map_or(code.len(), |it| it + 1).min(60)];
    let messages: Vec<String> = body.iter().filter_map(|line| message_in(line)).collect();
    Text {
        key: format!("{file}#{name}"),
        name: name.to_owned(),
        content: format!("{rest}\n{name}\n{}", messages.join("\n")),
        title,
        messages,
    }
}

/// What stands in quotes on a line, if it has several words.
fn message_in(line: &str) -> Option<String> {
    let text = line.split('"').nth(1)?;
    let is_message = text.len() >= SHORTEST_MESSAGE && text.matches(' ').count() >= 4;
    (is_message && !text.contains('\\')).then(|| text.to_owned())
}
