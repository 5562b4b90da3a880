//! Finds the methods that match some words.

use super::sdk::SdkMethod;

/// The weight of a word, by where it is found.
const WHOLE_NAME: u32 = 12;
const PART_OF_NAME: u32 = 6;
const NAMESPACE: u32 = 5;
const FIELD: u32 = 2;
const DESCRIPTION: u32 = 2;
/// Several matching words weigh more than one word in a good place.
const TOGETHER: u32 = 3;

/// Words that are ignored in a query.
const SMALL: &[&str] = &[
    "a", "all", "an", "and", "by", "for", "from", "how", "i", "in", "is", "it", "my", "of", "on",
    "or", "that", "the", "this", "to", "with",
];

/// The methods that match the words, best first.
pub fn search(query: &str, methods: &'static [SdkMethod]) -> Vec<&'static SdkMethod> {
    let words: Vec<String> = query
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty() && !SMALL.contains(&word.to_lowercase().as_str()))
        .map(stem)
        .collect();
    let mut found: Vec<(u32, &SdkMethod)> = methods
        .iter()
        .map(|method| (score(&words, method), method))
        .filter(|(score, _)| *score > 0)
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, method)| method).collect()
}

fn score(words: &[String], method: &SdkMethod) -> u32 {
    let name = stem(&method.method.name);
    let shown = stem(&method.shown().replace('.', ""));
    let namespace = stem(&method.method.namespace);
    let parts: Vec<String> = method.method.name.split('_').map(stem).collect();
    let tool = stem(method.entry.declaration.name);
    let description = method.entry.description().to_lowercase();
    let fields = &method.entry.fields().known;
    let mut total = 0;
    let mut found = 0;
    for word in words {
        let before = total;
        if *word == name || *word == tool || *word == shown || *word == parts.concat() {
            total += WHOLE_NAME;
        } else if parts.contains(word) {
            total += PART_OF_NAME;
        }
        if *word == namespace {
            total += NAMESPACE;
        }
        if fields.iter().any(|field| stem(field) == *word) {
            total += FIELD;
        }
        let is_described = description
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|known| stem(known) == *word);
        if is_described {
            total += DESCRIPTION;
        }
        found += u32::from(total > before);
    }
    total + TOGETHER * found * found
}

/// A word in lower case and singular.
fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    match word.strip_suffix("ies") {
        Some(start) => format!("{start}y"),
        None => word.strip_suffix('s').unwrap_or(&word).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(query: &str) -> String {
        let found = search(query, super::super::sdk::methods());
        found
            .first()
            .map(|method| method.shown())
            .unwrap_or_default()
    }

    #[test]
    fn the_best_comes_first() {
        assert_eq!(first("entities.create"), "entities.create");
        assert_eq!(first("entity_create"), "entities.create");
        assert_eq!(first("create an entity"), "entities.create");
        assert_eq!(first("start a command"), "commands.start");
        assert_eq!(first("shortest path between two entities"), "graph.path");
        assert_eq!(first("history of changes"), "events.list");
        assert_eq!(first("quux"), "");
    }
}
